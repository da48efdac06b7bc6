/** A subscription's settings: checked, completed with Google's defaults, and what the mailbox makes of them. */
import { invalid, unsupported } from './errors.ts'
import type { Settings } from './mailbox.ts'
import { parseName } from './names.ts'
import type { LiveSubscription, State } from './state.ts'
import {
  encodeTime,
  type Message,
  type RetryPolicy,
  type Seconds,
  type Subscription,
  toMillis,
} from './wire.ts'

const day = 86_400_000

// `pushConfig` may be there when it is empty: that is how a pull subscription is written.
const known = new Set(
  `name topic ackDeadlineSeconds retainAckedMessages messageRetentionDuration labels enableMessageOrdering
   expirationPolicy filter deadLetterPolicy retryPolicy enableExactlyOnceDelivery detached state pushConfig`.split(
    /\s+/,
  ),
)

function checkDuration(name: string, value: Seconds | undefined, min: number, max: number): void {
  const millis = toMillis(value)
  if (value && (millis < min || millis > max))
    throw invalid(`${name} must be between ${min / 1000} s and ${max / 1000} s.`)
}

function checkPolicies({ deadLetterPolicy, retryPolicy }: Subscription): void {
  if (deadLetterPolicy) {
    parseName('topics', deadLetterPolicy.deadLetterTopic)
    const attempts = deadLetterPolicy.maxDeliveryAttempts ?? 5
    if (attempts < 5 || attempts > 100) throw invalid('max_delivery_attempts must be between 5 and 100.')
  }
  checkDuration('minimum_backoff', retryPolicy?.minimumBackoff, 0, 600_000)
  checkDuration('maximum_backoff', retryPolicy?.maximumBackoff, 0, 600_000)
  const { min, max } = backoff(retryPolicy)
  if (min > max) throw invalid('minimum_backoff must not be longer than maximum_backoff.')
}

function backoff(policy: RetryPolicy | undefined) {
  const min = policy?.minimumBackoff ? toMillis(policy.minimumBackoff) : 10_000
  return { min, max: policy?.maximumBackoff ? toMillis(policy.maximumBackoff) : 600_000 }
}

/** Throws INVALID_ARGUMENT or UNIMPLEMENTED for what can't be; fills in the defaults that Google fills in. */
export function parseSubscription(subscription: Subscription): LiveSubscription['resource'] {
  const name = parseName('subscriptions', subscription.name)
  for (const [field, value] of Object.entries(subscription)) {
    const empty =
      value === undefined ||
      (typeof value === 'object' && Object.values(value).every(item => item === undefined))
    if (!known.has(field) && !empty) throw unsupported(`the subscription field ${field}`)
  }
  if (subscription.pushConfig?.pushEndpoint) throw unsupported('push subscriptions')
  const deadline = subscription.ackDeadlineSeconds || 10
  if (deadline < 10 || deadline > 600)
    throw invalid('Invalid ack deadline: ack_deadline_seconds must be between 10 and 600.')
  checkDuration('message_retention_duration', subscription.messageRetentionDuration, 600_000, 31 * day)
  checkPolicies(subscription)
  return {
    ...subscription,
    name,
    ackDeadlineSeconds: deadline,
    messageRetentionDuration: subscription.messageRetentionDuration ?? encodeTime(7 * day),
    expirationPolicy: subscription.expirationPolicy ?? { ttl: encodeTime(31 * day) },
    state: 'ACTIVE',
  }
}

/** Publishes a message that was given up to the dead letter topic; false when that topic is not there. */
function sendDeadLetter(
  state: State,
  resource: LiveSubscription['resource'],
  message: Message,
  attempts: number,
): boolean {
  const topic = state.topics.get(resource.deadLetterPolicy?.deadLetterTopic ?? '')
  if (!topic) return false
  const [, project = '', , id = ''] = resource.name.split('/')
  const added = {
    CloudPubSubDeadLetterSourceDeliveryCount: String(attempts),
    CloudPubSubDeadLetterSourceSubscription: id,
    CloudPubSubDeadLetterSourceSubscriptionProject: project,
    CloudPubSubDeadLetterSourceTopicPublishTime: new Date(toMillis(message.publishTime)).toISOString(),
  }
  const copy = {
    ...message,
    attributes: { ...message.attributes, ...added },
    messageId: state.nextMessageId(),
    publishTime: encodeTime(state.clock.now()),
  }
  state.spread(topic, copy)
  return true
}

/** Read anew for each use, so that an update of the subscription takes effect. */
export function settingsOf(state: State, resource: LiveSubscription['resource']): Settings {
  const { deadLetterPolicy, retryPolicy } = resource
  const { min, max } = backoff(retryPolicy)
  return {
    ordered: resource.enableMessageOrdering ?? false,
    retentionMs: toMillis(resource.messageRetentionDuration),
    restMs: attempts => (retryPolicy ? Math.min(min * 2 ** (attempts - 1), max) : 0),
    giveUp: (message, attempts) =>
      deadLetterPolicy !== undefined &&
      attempts >= (deadLetterPolicy.maxDeliveryAttempts ?? 5) &&
      sendDeadLetter(state, resource, message, attempts),
  }
}
