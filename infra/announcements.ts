/** The topic with its schema, and every message of it as a row. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Keys } from './keys.ts'
import { messagesSchemaOf } from './messages-table.ts'
import type { Services } from './services.ts'
import { guardOf, type Stack } from './stack.ts'

const WEEK = '604800s'
const TABLE = 'refreshed'

export class Announcements extends pulumi.ComponentResource {
  readonly topic: gcp.pubsub.Topic
  readonly deadLetters: gcp.pubsub.Subscription
  readonly messages: gcp.bigquery.Table

  constructor(stack: Stack, services: Services, keys: Keys, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Announcements', 'announcements', {}, opts)
    const parent = this
    const { project, subscribers, kmsKey } = stack.settings
    const { names } = stack
    const avro = readFileSync(join(stack.root, 'functions/message.avsc'), 'utf8')
    const encryption = kmsKey === undefined ? {} : { kmsKeyName: kmsKey }
    const after = { parent, dependsOn: keys.grants }
    const schema = new gcp.pubsub.Schema(
      'refreshed',
      { name: names.topic, project, type: 'AVRO', definition: avro },
      { parent },
    )
    this.topic = new gcp.pubsub.Topic(
      'refreshed',
      {
        name: names.topic,
        project,
        schemaSettings: { schema: schema.id, encoding: 'JSON' },
        messageRetentionDuration: WEEK,
        ...encryption,
      },
      after,
    )
    const dead = new gcp.pubsub.Topic(
      'dead-letters',
      { name: names.deadLetters, project, ...encryption },
      after,
    )
    this.deadLetters = new gcp.pubsub.Subscription(
      'dead-letters',
      {
        name: names.deadLetters,
        project,
        topic: dead.name,
        messageRetentionDuration: WEEK,
        expirationPolicy: { ttl: '' },
      },
      { parent },
    )
    this.messages = this.makeTable(stack, keys, avro)
    this.makeSubscription(stack, services, dead)
    for (const [at, member] of subscribers.entries())
      new gcp.pubsub.TopicIAMMember(
        `subscriber-${at}`,
        { project, topic: this.topic.name, role: 'roles/pubsub.subscriber', member },
        { parent },
      )
    this.registerOutputs({})
  }

  private makeTable(stack: Stack, keys: Keys, avro: string): gcp.bigquery.Table {
    const { project, location, kmsKey, destroyData } = stack.settings
    const guard = { parent: this, ...guardOf(stack) }
    const dataset = new gcp.bigquery.Dataset(
      'messages',
      {
        project,
        location,
        datasetId: stack.names.messages,
        description: 'What was announced: one row for each message.',
        storageBillingModel: 'LOGICAL',
        deleteContentsOnDestroy: destroyData,
        ...(kmsKey !== undefined && { defaultEncryptionConfiguration: { kmsKeyName: kmsKey } }),
      },
      { ...guard, dependsOn: keys.grants },
    )
    return new gcp.bigquery.Table(
      'messages',
      {
        project,
        datasetId: dataset.datasetId,
        tableId: TABLE,
        schema: JSON.stringify(messagesSchemaOf(avro)),
        timePartitioning: { type: 'DAY', field: 'publish_time' },
        clusterings: ['feed', 'status'],
        deletionProtection: !destroyData,
        ...(kmsKey !== undefined && { encryptionConfiguration: { kmsKeyName: kmsKey } }),
      },
      guard,
    )
  }

  /** Pub/Sub writes the rows itself. docs.cloud.google.com/pubsub/docs/create-bigquery-subscription */
  private makeSubscription(
    { settings: { project }, names }: Stack,
    { pubsubAgent: member }: Services,
    dead: gcp.pubsub.Topic,
  ): void {
    const parent = this
    const { datasetId, tableId } = this.messages
    const name = `${names.topic}-to-bigquery`
    const grants = [
      new gcp.bigquery.IamMember(
        'messages-writer',
        { project, datasetId, tableId, role: 'roles/bigquery.dataEditor', member },
        { parent },
      ),
      new gcp.pubsub.TopicIAMMember(
        'dead-letters-publisher',
        { project, topic: dead.name, role: 'roles/pubsub.publisher', member },
        { parent },
      ),
    ]
    const subscription = new gcp.pubsub.Subscription(
      'to-bigquery',
      {
        name,
        project,
        topic: this.topic.name,
        bigqueryConfig: {
          table: pulumi.interpolate`${project}.${datasetId}.${tableId}`,
          useTopicSchema: true,
          writeMetadata: true,
        },
        deadLetterPolicy: { deadLetterTopic: dead.id, maxDeliveryAttempts: 10 },
        retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' },
        expirationPolicy: { ttl: '' },
      },
      { parent, dependsOn: grants },
    )
    new gcp.pubsub.SubscriptionIAMMember(
      'to-bigquery-subscriber',
      { project, subscription: subscription.name, role: 'roles/pubsub.subscriber', member },
      { parent },
    )
  }
}
