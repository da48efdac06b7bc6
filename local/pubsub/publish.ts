/** Publish: limits first (https://cloud.google.com/pubsub/quotas#resource_limits), the schema next, then every subscription. */
import { invalid, notFound } from './errors.ts'
import { requireJson } from './schema-service.ts'
import type { LiveTopic, State } from './state.ts'
import { encodeTime, type IncomingMessage, type Message } from './wire.ts'

const megabyte = 1_000_000
const bytes = (text: string) => Buffer.byteLength(text)

function checkAttributes(attributes: Readonly<Record<string, string>>): void {
  const entries = Object.entries(attributes)
  if (entries.length > 100) throw invalid('A message may have at most 100 attributes.')
  for (const [key, value] of entries) {
    if (key === '' || bytes(key) > 256) throw invalid(`Attribute keys must have 1 to 256 bytes: ${key}`)
    if (key.startsWith('goog')) throw invalid(`Attribute keys must not start with "goog": ${key}`)
    if (bytes(value) > 1024) throw invalid(`The value of the attribute ${key} is longer than 1024 bytes.`)
  }
}

function checkMessage(message: IncomingMessage): void {
  const { data, attributes = {}, orderingKey = '' } = message
  if (!data?.length && Object.keys(attributes).length === 0) throw invalid('Some messages are empty')
  if (bytes(orderingKey) > 1024) throw invalid('The ordering key is longer than 1024 bytes.')
  checkAttributes(attributes)
}

function checkBatch(messages: readonly IncomingMessage[]): void {
  if (messages.length === 0) throw invalid('No messages to publish')
  if (messages.length > 1000) throw invalid('A request may hold at most 1000 messages.')
  const size = messages.reduce((sum, { data, attributes = {} }) => {
    const texts = Object.entries(attributes).reduce((all, [key, value]) => all + bytes(key) + bytes(value), 0)
    return sum + (data?.length ?? 0) + texts
  }, 0)
  if (size > 10 * megabyte) throw invalid('The request is larger than 10 MB.')
  for (const message of messages) checkMessage(message)
}

/** What the topic's schema adds to every message; throws when one does not fit it. */
function applySchema(
  state: State,
  topic: LiveTopic,
  messages: readonly IncomingMessage[],
): Record<string, string> {
  const { schema, encoding } = topic.resource.schemaSettings ?? {}
  if (!schema) return {}
  const kept = state.schemas.find(schema)
  if (!kept) throw notFound('Schema associated with topic deleted.', schema)
  requireJson(encoding)
  for (const { data } of messages) kept.check(data ?? new Uint8Array())
  return {
    googclient_schemaencoding: 'JSON',
    googclient_schemaname: schema,
    googclient_schemarevisionid: kept.resource.revisionId,
  }
}

export function publish(state: State, request: { topic?: string; messages?: readonly IncomingMessage[] }) {
  const topic = state.topic(request.topic)
  const { messages = [] } = request
  checkBatch(messages)
  const added = applySchema(state, topic, messages)
  const publishTime = encodeTime(state.clock.now())
  return {
    messageIds: messages.map(({ data, attributes, orderingKey }) => {
      const message: Message = {
        ...(data ? { data } : {}),
        attributes: { ...attributes, ...added },
        ...(orderingKey ? { orderingKey } : {}),
        messageId: state.nextMessageId(),
        publishTime,
      }
      state.spread(topic, message)
      return message.messageId
    }),
  }
}
