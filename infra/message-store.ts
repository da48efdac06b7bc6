/** Every message as a row: Pub/Sub writes them itself. docs.cloud.google.com/pubsub/docs/create-bigquery-subscription */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Keys } from './keys.ts'
import { messagesSchemaOf } from './messages-table.ts'
import { guardOf, type Stack } from './stack.ts'

export interface StoredTopic {
  /** The topic's schema. */
  readonly avro: string
  readonly topic: gcp.pubsub.Topic
  readonly dead: gcp.pubsub.Topic
  /** Member that Pub/Sub acts as. */
  readonly writer: pulumi.Output<string>
}

export class MessageStore extends pulumi.ComponentResource {
  readonly table: gcp.bigquery.Table

  constructor(stack: Stack, keys: Keys, stored: StoredTopic, opts: pulumi.ComponentResourceOptions) {
    super('freshet:MessageStore', 'message-store', {}, opts)
    const dataset = this.makeDataset(stack, keys)
    this.table = this.makeTable(stack, dataset, stored.avro)
    this.makeSubscription(stack, stored)
    this.registerOutputs({})
  }

  private makeDataset(stack: Stack, keys: Keys): gcp.bigquery.Dataset {
    const { project, location, kmsKey, destroyData } = stack.settings
    return new gcp.bigquery.Dataset(
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
      { parent: this, dependsOn: keys.grants, ...guardOf(stack) },
    )
  }

  private makeTable(stack: Stack, { datasetId }: gcp.bigquery.Dataset, avro: string): gcp.bigquery.Table {
    const { project, kmsKey, destroyData } = stack.settings
    return new gcp.bigquery.Table(
      'messages',
      {
        project,
        datasetId,
        tableId: 'refreshed',
        schema: JSON.stringify(messagesSchemaOf(avro)),
        timePartitioning: { type: 'DAY', field: 'publish_time' },
        clusterings: ['feed', 'status'],
        deletionProtection: !destroyData,
        ...(kmsKey !== undefined && { encryptionConfiguration: { kmsKeyName: kmsKey } }),
      },
      { parent: this, ...guardOf(stack) },
    )
  }

  private makeSubscription({ settings: { project }, names }: Stack, stored: StoredTopic): void {
    const { topic, dead, writer } = stored
    const { datasetId, tableId } = this.table
    const subscription = new gcp.pubsub.Subscription(
      'to-bigquery',
      {
        name: `${names.topic}-to-bigquery`,
        project,
        topic: topic.name,
        bigqueryConfig: {
          table: pulumi.interpolate`${project}.${datasetId}.${tableId}`,
          useTopicSchema: true,
          writeMetadata: true,
        },
        deadLetterPolicy: { deadLetterTopic: dead.id, maxDeliveryAttempts: 10 },
        retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' },
        expirationPolicy: { ttl: '' },
      },
      { parent: this, dependsOn: this.letWrite(project, dead, writer) },
    )
    new gcp.pubsub.SubscriptionIAMMember(
      'to-bigquery-subscriber',
      { project, subscription: subscription.name, role: 'roles/pubsub.subscriber', member: writer },
      { parent: this },
    )
  }

  /** Rows into this one table, and what can't be one to the dead letters. */
  private letWrite(
    project: string,
    dead: gcp.pubsub.Topic,
    member: pulumi.Output<string>,
  ): pulumi.Resource[] {
    const { datasetId, tableId } = this.table
    return [
      new gcp.bigquery.IamMember(
        'messages-writer',
        { project, datasetId, tableId, role: 'roles/bigquery.dataEditor', member },
        { parent: this },
      ),
      new gcp.pubsub.TopicIAMMember(
        'dead-letters-publisher',
        { project, topic: dead.name, role: 'roles/pubsub.publisher', member },
        { parent: this },
      ),
    ]
  }
}
