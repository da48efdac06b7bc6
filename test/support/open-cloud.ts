/** One door for contract tests: the embedded cloud in a temporary folder, or Google Cloud with TARGET=gcp. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PubSub, type Topic } from '@google-cloud/pubsub'
import { type Bucket, Storage } from '@google-cloud/storage'
import { startPubSub } from '../../local/pubsub/index.ts'
import { systemClock } from '../../local/service.ts'
import { startStorage } from '../../local/storage/index.ts'

export interface OpenCloud {
  readonly project: string
  readonly storage: Storage
  readonly pubsub: PubSub
  /** A new bucket, gone with everything in it when the cloud is closed. */
  createBucket(): Promise<Bucket>
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
  process.env.METADATA_SERVER_DETECTION = 'none'
  const dir = await mkdtemp(join(tmpdir(), 'freshet-cloud-'))
  const service = await startStorage({ dir, clock: systemClock })
  const events = await startPubSub({ clock: systemClock, project: 'freshet-local' })
  const pubsub = new PubSub({
    projectId: 'freshet-local',
    apiEndpoint: new URL(events.url).host,
    emulatorMode: true,
  })
  return {
    project: 'freshet-local',
    storage: new Storage({ apiEndpoint: service.url, projectId: 'freshet-local' }),
    pubsub,
    async close() {
      await pubsub.close()
      await events.close()
      await service.close()
      await rm(dir, { recursive: true })
    },
  }
}

function openGoogle() {
  return { project: project ?? '', storage: new Storage(), pubsub: new PubSub(), close: async () => {} }
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
