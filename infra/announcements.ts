/** The topic with its schema, where messages end that could not be stored, and who may subscribe. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Keys } from './keys.ts'
import { MessageStore } from './message-store.ts'
import type { Services } from './services.ts'
import type { Stack } from './stack.ts'

export const WEEK = '604800s'

export class Announcements extends pulumi.ComponentResource {
  readonly topic: gcp.pubsub.Topic
  readonly deadLetters: gcp.pubsub.Subscription
  readonly store: MessageStore

  constructor(stack: Stack, services: Services, keys: Keys, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Announcements', 'announcements', {}, opts)
    const { project, subscribers } = stack.settings
    const avro = readFileSync(join(stack.root, 'functions/message.avsc'), 'utf8')
    this.topic = this.makeTopic(stack, keys, avro)
    const dead = this.makeDeadLetters(stack, keys)
    this.deadLetters = dead.subscription
    const { topic } = this
    this.store = new MessageStore(
      stack,
      keys,
      { avro, topic, dead: dead.topic, writer: services.pubsubAgent },
      { parent: this },
    )
    for (const [at, member] of subscribers.entries())
      new gcp.pubsub.TopicIAMMember(
        `subscriber-${at}`,
        { project, topic: topic.name, role: 'roles/pubsub.subscriber', member },
        { parent: this },
      )
    this.registerOutputs({})
  }

  private makeTopic({ settings, names }: Stack, keys: Keys, definition: string): gcp.pubsub.Topic {
    const { project, kmsKey } = settings
    const name = names.topic
    const schema = new gcp.pubsub.Schema(
      'refreshed',
      { name, project, type: 'AVRO', definition },
      { parent: this },
    )
    return new gcp.pubsub.Topic(
      'refreshed',
      {
        name,
        project,
        schemaSettings: { schema: schema.id, encoding: 'JSON' },
        messageRetentionDuration: WEEK,
        ...(kmsKey !== undefined && { kmsKeyName: kmsKey }),
      },
      { parent: this, dependsOn: keys.grants },
    )
  }

  private makeDeadLetters({ settings: { project, kmsKey }, names }: Stack, keys: Keys) {
    const name = names.deadLetters
    const topic = new gcp.pubsub.Topic(
      'dead-letters',
      { name, project, ...(kmsKey !== undefined && { kmsKeyName: kmsKey }) },
      { parent: this, dependsOn: keys.grants },
    )
    const subscription = new gcp.pubsub.Subscription(
      'dead-letters',
      { name, project, topic: topic.name, messageRetentionDuration: WEEK, expirationPolicy: { ttl: '' } },
      { parent: this },
    )
    return { topic, subscription }
  }
}
