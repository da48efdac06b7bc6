/** The Subscriber service, except the stream: subscriptions, pull and acknowledgements. */
import { acknowledge, modifyAckDeadline } from './acknowledge.ts'
import { applyMask } from './changes.ts'
import { notFound, unsupported } from './errors.ts'
import { parseFilter } from './filter.ts'
import { Mailbox } from './mailbox.ts'
import { parseName, parseProject } from './names.ts'
import { type PullRequest, pull } from './pull.ts'
import type { LiveSubscription, State } from './state.ts'
import { parseSubscription, settingsOf } from './subscription-settings.ts'
import { type Mask, type Page, pageOf, type Subscription } from './wire.ts'

const mutable = [
  'ackDeadlineSeconds',
  'labels',
  'deadLetterPolicy',
  'retryPolicy',
  'expirationPolicy',
  'messageRetentionDuration',
  'retainAckedMessages',
  'enableExactlyOnceDelivery',
] as const

function createSubscription(state: State, request: Subscription): Subscription {
  const resource = parseSubscription(request)
  const filter = parseFilter(resource.filter ?? '')
  const topic = state.topics.get(parseName('topics', request.topic))
  if (!topic) throw notFound('Subscription topic does not exist', request.topic ?? '')
  const mailbox = new Mailbox(resource.name, state.clock, () => settingsOf(state, live.resource))
  const live: LiveSubscription = { resource, filter, mailbox, streams: new Set() }
  state.addSubscription(topic, live)
  return resource
}

function listSubscriptions(state: State, request: { project?: string } & Page) {
  const project = parseProject(request.project)
  const mine = [...state.subscriptions.values()].map(live => live.resource)
  const { items, ...rest } = pageOf(
    mine.filter(item => item.name.startsWith(`${project}/`)),
    request,
  )
  return { subscriptions: items, ...rest }
}

interface AckRequest {
  readonly subscription?: string
  readonly ackIds?: readonly string[]
  readonly ackDeadlineSeconds?: number
}

interface UpdateRequest {
  readonly subscription?: Subscription
  readonly updateMask?: Mask
}

function updateSubscription(state: State, { subscription = {}, updateMask }: UpdateRequest): Subscription {
  const live = state.subscription(subscription.name)
  live.resource = parseSubscription(applyMask(live.resource, subscription, updateMask, mutable))
  return live.resource
}

export function makeSubscriber(state: State) {
  return {
    createSubscription: (request: Subscription) => createSubscription(state, request),
    getSubscription: (request: { subscription?: string }) =>
      state.subscription(request.subscription).resource,
    listSubscriptions: (request: { project?: string } & Page) => listSubscriptions(state, request),

    updateSubscription: (request: UpdateRequest) => updateSubscription(state, request),

    deleteSubscription(request: { subscription?: string }) {
      const live = state.subscription(request.subscription)
      state.cutOff(live, notFound('Subscription does not exist', live.resource.name))
      state.subscriptions.delete(live.resource.name)
      return {}
    },

    modifyPushConfig(request: { subscription?: string; pushConfig?: { pushEndpoint?: string } }) {
      state.subscription(request.subscription)
      if (request.pushConfig?.pushEndpoint) throw unsupported('push subscriptions')
      return {}
    },

    pull: (request: PullRequest, signal: AbortSignal) =>
      pull(state.subscription(request.subscription), request, signal),

    acknowledge(request: AckRequest) {
      acknowledge(state.subscription(request.subscription), request.ackIds)
      return {}
    },

    modifyAckDeadline(request: AckRequest) {
      modifyAckDeadline(state.subscription(request.subscription), request.ackIds, request.ackDeadlineSeconds)
      return {}
    },
  }
}
