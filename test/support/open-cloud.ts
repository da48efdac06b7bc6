/** One door for contract tests: the embedded cloud in a temporary folder, or Google Cloud with TARGET=gcp. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BigQuery, type Dataset } from '@google-cloud/bigquery'
import { PubSub, type Topic } from '@google-cloud/pubsub'
import { type Bucket, Storage } from '@google-cloud/storage'
import { startCloud } from '../../local/cloud.ts'

export interface OpenCloud {
  readonly project: string
  readonly storage: Storage
  readonly bigquery: BigQuery
  readonly pubsub: PubSub
  /** What points gcloud at the embedded cloud; nothing on Google's, where it has its own configuration. */
  readonly toolEnv: Readonly<Record<string, string>>
  /** A new bucket, gone with everything in it when the cloud is closed. */
  createBucket(): Promise<Bucket>
  /** A new dataset, gone with everything in it when the cloud is closed. */
  createDataset(): Promise<Dataset>
  /** A new topic, gone when the cloud is closed. */
  createTopic(options?: object): Promise<Topic>
  /** A new Avro schema's full name. */
  createSchema(definition: string): Promise<string>
  close(): Promise<void>
}

const onGoogle = process.env.TARGET === 'gcp'
const project = process.env.GOOGLE_CLOUD_PROJECT

/** Why tests that need a cloud can't run; `undefined` when they can. */
export const skipReason =
  onGoogle && !project ? '(skipped: TARGET=gcp needs GOOGLE_CLOUD_PROJECT)' : undefined

export const uniqueName = (kind: string) => `${kind}-${randomBytes(6).toString('hex')}`

async function openEmbedded() {
  // Read by the clients' libraries: without it they look for a metadata server first.
  process.env.METADATA_SERVER_DETECTION = 'none'
  const dir = await mkdtemp(join(tmpdir(), 'freshet-cloud-'))
  const cloud = await startCloud({ dir })
  const projectId = cloud.project
  const pubsub = new PubSub({ projectId, apiEndpoint: cloud.env.PUBSUB_EMULATOR_HOST, emulatorMode: true })
  return {
    project: cloud.project,
    storage: new Storage({ apiEndpoint: cloud.urls.storage, projectId }),
    bigquery: new BigQuery({ apiEndpoint: cloud.urls.bigquery, projectId }),
    pubsub,
    toolEnv: cloud.toolEnv,
    async close() {
      await pubsub.close()
      await cloud.close()
      await rm(dir, { recursive: true })
    },
  }
}

function openGoogle() {
  return {
    project: project ?? '',
    storage: new Storage(),
    bigquery: new BigQuery(),
    pubsub: new PubSub(),
    toolEnv: {},
    close: async () => {},
  }
}

export async function openCloud(): Promise<OpenCloud> {
  const cloud = onGoogle ? openGoogle() : await openEmbedded()
  const endings: Array<() => Promise<unknown>> = []
  return {
    ...cloud,
    async createBucket() {
      const [bucket] = await cloud.storage.createBucket(uniqueName('freshet-test'))
      endings.push(async () => {
        await bucket.deleteFiles({ force: true })
        await bucket.delete()
      })
      return bucket
    },
    async createDataset() {
      const [dataset] = await cloud.bigquery.createDataset(uniqueName('freshet_test').replaceAll('-', '_'))
      endings.push(() => dataset.delete({ force: true }))
      return dataset
    },
    async createTopic(options = {}) {
      const [topic] = await cloud.pubsub.createTopic({ name: uniqueName('topic'), ...options })
      endings.push(() => topic.delete())
      return topic
    },
    async createSchema(definition) {
      const schema = await cloud.pubsub.createSchema(uniqueName('schema'), 'AVRO', definition)
      endings.push(() => schema.delete())
      return await schema.getName()
    },
    async close() {
      for (const end of endings.toReversed()) await end()
      await cloud.close()
    },
  }
}
