/** Makes buckets, datasets and the topic in the embedded cloud; what is there stays. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Encodings, SchemaTypes } from '@google-cloud/pubsub'
import type { Table } from '../functions/feed/feed.ts'
import { type CloudAddress, makeBigQuery, makePubSub, makeStorage } from './clients.ts'
import { NAMES } from './laptop-names.ts'

export async function ensureBuckets(cloud: CloudAddress, names: readonly string[]): Promise<void> {
  const storage = makeStorage(cloud)
  for (const name of names) {
    const [exists] = await storage.bucket(name).exists()
    if (!exists) await storage.createBucket(name, { location: cloud.location })
  }
}

/** Freshet's own two datasets, and the one that each feed serves its table from. */
export async function deployDatasets(
  cloud: CloudAddress,
  feeds: readonly { readonly table: Pick<Table, 'datasetId'> }[],
): Promise<void> {
  const bigquery = makeBigQuery(cloud)
  const serving = feeds.map(feed => feed.table.datasetId)
  for (const id of new Set([NAMES.landing, NAMES.staging, ...serving])) {
    const [exists] = await bigquery.dataset(id).exists()
    if (!exists) await bigquery.createDataset(id, { location: cloud.location })
  }
}

const SCHEMA = join(import.meta.dirname, '../functions/message.avsc')

/** The topic with its schema, and a subscription that keeps a feed's messages in order. */
export async function deployTopic(cloud: CloudAddress): Promise<void> {
  const pubsub = makePubSub(cloud)
  const topic = pubsub.topic(NAMES.topic)
  const [known] = await topic.exists()
  if (!known) {
    await pubsub.createSchema(NAMES.topic, SchemaTypes.Avro, await readFile(SCHEMA, 'utf8'))
    const schema = `projects/${cloud.project}/schemas/${NAMES.topic}`
    await pubsub.createTopic({ name: NAMES.topic, schemaSettings: { schema, encoding: Encodings.Json } })
  }
  const subscription = topic.subscription(NAMES.subscription)
  const [exists] = await subscription.exists()
  if (!exists) await topic.createSubscription(NAMES.subscription, { enableMessageOrdering: true })
  await pubsub.close()
}
