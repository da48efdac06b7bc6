/** Topics and the subscriptions that hang on them: in memory, gone with the process. */
import type { Clock } from '../service.ts'
import { exists, notFound } from './errors.ts'
import type { Filter } from './filter.ts'
import type { Mailbox } from './mailbox.ts'
import { parseName, requireProject } from './names.ts'
import { Schemas } from './schema-service.ts'
import type { Message, Subscription, Topic } from './wire.ts'

/** What a subscription whose topic was deleted says its topic is. */
export const deletedTopic = '_deleted-topic_'

export interface LiveSubscription {
  resource: Subscription & { readonly name: string }
  readonly filter: Filter
  readonly mailbox: Mailbox
  /** Ends each open stream, with the reason. */
  readonly streams: Set<(error: Error) => void>
}

export interface LiveTopic {
  resource: Topic & { readonly name: string }
  readonly subscriptions: Map<string, LiveSubscription>
}

export class State {
  readonly clock: Clock
  readonly project: string
  readonly schemas: Schemas
  readonly topics = new Map<string, LiveTopic>()
  readonly subscriptions = new Map<string, LiveSubscription>()
  #messages = 0

  constructor(clock: Clock, project: string) {
    this.clock = clock
    this.project = project
    this.schemas = new Schemas(clock, project)
  }

  topic(name: string | undefined): LiveTopic {
    const topic = this.topics.get(parseName('topics', name))
    if (!topic) throw notFound('Topic not found', name ?? '')
    return topic
  }

  subscription(name: string | undefined): LiveSubscription {
    const subscription = this.subscriptions.get(parseName('subscriptions', name))
    if (!subscription) throw notFound('Subscription does not exist', name ?? '')
    return subscription
  }

  addTopic(resource: LiveTopic['resource']): void {
    requireProject(resource.name, this.project)
    if (this.topics.has(resource.name)) throw exists('Topic', resource.name)
    this.topics.set(resource.name, { resource, subscriptions: new Map() })
  }

  addSubscription(topic: LiveTopic, subscription: LiveSubscription): void {
    const { name } = subscription.resource
    requireProject(name, this.project)
    if (this.subscriptions.has(name)) throw exists('Subscription', name)
    this.subscriptions.set(name, subscription)
    topic.subscriptions.set(name, subscription)
  }

  /** Ends what reads from a subscription, and cuts it off from its topic. */
  cutOff(subscription: LiveSubscription, reason: Error): void {
    const { name, topic = '' } = subscription.resource
    this.topics.get(topic)?.subscriptions.delete(name)
    for (const end of subscription.streams) end(reason)
    subscription.mailbox.clear()
  }

  nextMessageId(): string {
    return String(++this.#messages)
  }

  /** Hands a message to every subscription that wants it. */
  spread(topic: LiveTopic, message: Message): void {
    for (const { filter, mailbox } of topic.subscriptions.values())
      if (filter(message.attributes ?? {})) mailbox.offer(message)
  }
}
