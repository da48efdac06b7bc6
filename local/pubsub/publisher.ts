/** The Publisher service: topics, and messages into them. */
import { applyMask } from './changes.ts'
import { failedPrecondition, invalid, unsupported } from './errors.ts'
import { parseName, parseProject } from './names.ts'
import { publish } from './publish.ts'
import { requireJson } from './schema-service.ts'
import { deletedTopic, type LiveTopic, type State } from './state.ts'
import { type IncomingMessage, type Mask, type Page, pageOf, type Topic, toMillis } from './wire.ts'

const known = new Set([
  'name',
  'labels',
  'messageRetentionDuration',
  'schemaSettings',
  'state',
  'satisfiesPzs',
])
const mutable = ['labels', 'messageRetentionDuration', 'schemaSettings'] as const

/** Throws for a setting that would change what a topic does and is not served. */
function parseTopic(state: State, topic: Topic): LiveTopic['resource'] {
  const name = parseName('topics', topic.name)
  for (const [field, value] of Object.entries(topic)) {
    const empty = value === undefined || (Array.isArray(value) && value.length === 0)
    if (!known.has(field) && !empty) throw unsupported(`the topic field ${field}`)
  }
  const retention = toMillis(topic.messageRetentionDuration)
  if (topic.messageRetentionDuration && (retention < 600_000 || retention > 31 * 86_400_000))
    throw invalid('message_retention_duration must be between 10 minutes and 31 days.')
  if (topic.schemaSettings) {
    state.schemas.require(topic.schemaSettings.schema)
    requireJson(topic.schemaSettings.encoding)
  }
  return { ...topic, name, state: 'ACTIVE' }
}

function createTopic(state: State, request: Topic): Topic {
  const resource = parseTopic(state, request)
  state.addTopic(resource)
  return resource
}

function updateTopic(state: State, request: { topic?: Topic; updateMask?: Mask }): Topic {
  const topic = state.topic(request.topic?.name)
  topic.resource = parseTopic(
    state,
    applyMask(topic.resource, request.topic ?? {}, request.updateMask, mutable),
  )
  return topic.resource
}

function listTopics(state: State, request: { project?: string } & Page) {
  const project = parseProject(request.project)
  const all = [...state.topics.values()].map(topic => topic.resource)
  const mine = all.filter(topic => topic.name.startsWith(`${project}/`))
  const { items, ...rest } = pageOf(mine, request)
  return { topics: items, ...rest }
}

function listTopicSubscriptions(state: State, request: { topic?: string } & Page) {
  const names = [...state.topic(request.topic).subscriptions.keys()].map(name => ({ name }))
  const { items, ...rest } = pageOf(names, request)
  return { subscriptions: items.map(item => item.name), ...rest }
}

/** Subscriptions outlive their topic, with what they still hold. */
function deleteTopic(state: State, request: { topic?: string }) {
  const topic = state.topic(request.topic)
  for (const subscription of topic.subscriptions.values())
    subscription.resource = { ...subscription.resource, topic: deletedTopic }
  state.topics.delete(topic.resource.name)
  return {}
}

function detachSubscription(state: State, request: { subscription?: string }) {
  const subscription = state.subscription(request.subscription)
  state.cutOff(subscription, failedPrecondition('The subscription is detached from its topic.'))
  subscription.resource = { ...subscription.resource, detached: true }
  return {}
}

interface PublishRequest {
  readonly topic?: string
  readonly messages?: readonly IncomingMessage[]
}

export function makePublisher(state: State) {
  return {
    createTopic: (request: Topic) => createTopic(state, request),
    getTopic: (request: { topic?: string }) => state.topic(request.topic).resource,
    updateTopic: (request: { topic?: Topic; updateMask?: Mask }) => updateTopic(state, request),
    listTopics: (request: { project?: string } & Page) => listTopics(state, request),
    listTopicSubscriptions: (request: { topic?: string } & Page) => listTopicSubscriptions(state, request),
    deleteTopic: (request: { topic?: string }) => deleteTopic(state, request),
    detachSubscription: (request: { subscription?: string }) => detachSubscription(state, request),
    publish: (request: PublishRequest) => publish(state, request),
  }
}
