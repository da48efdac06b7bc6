/** Makes buckets, datasets and the topic in the embedded cloud; what is there stays. */
import type { Feed } from '../functions/feed/feed.ts'
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
export async function deployDatasets(cloud: CloudAddress, feeds: readonly Feed[]): Promise<void> {
  const bigquery = makeBigQuery(cloud)
  const serving = feeds.map(feed => feed.table.datasetId)
  for (const id of new Set([NAMES.landing, NAMES.staging, ...serving])) {
    const [exists] = await bigquery.dataset(id).exists()
    if (!exists) await bigquery.createDataset(id, { location: cloud.location })
  }
}

/** The topic, and a subscription of it that keeps a feed's messages in order. */
export async function deployTopic(cloud: CloudAddress): Promise<void> {
  const pubsub = makePubSub(cloud)
  const topic = pubsub.topic(NAMES.topic)
  await topic.get({ autoCreate: true })
  const subscription = topic.subscription(NAMES.subscription)
  const [exists] = await subscription.exists()
  if (!exists) await topic.createSubscription(NAMES.subscription, { enableMessageOrdering: true })
  await pubsub.close()
}
