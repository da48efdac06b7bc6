/** One door for contract tests: the embedded cloud in a temporary folder, or Google Cloud with TARGET=gcp. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bucket, Storage } from '@google-cloud/storage'
import { systemClock } from '../../local/service.ts'
import { startStorage } from '../../local/storage/index.ts'

export interface OpenCloud {
  readonly project: string
  readonly storage: Storage
  /** A new bucket, gone with everything in it when the cloud is closed. */
  createBucket(): Promise<Bucket>
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
  return {
    project: 'freshet-local',
    storage: new Storage({ apiEndpoint: service.url, projectId: 'freshet-local' }),
    async close() {
      await service.close()
      await rm(dir, { recursive: true })
    },
  }
}

function openGoogle() {
  return { project: project ?? '', storage: new Storage(), close: async () => {} }
}

export async function openCloud(): Promise<OpenCloud> {
  const cloud = onGoogle ? openGoogle() : await openEmbedded()
  const buckets: Bucket[] = []
  return {
    ...cloud,
    async createBucket() {
      const [bucket] = await cloud.storage.createBucket(uniqueName('freshet-test'))
      buckets.push(bucket)
      return bucket
    },
    async close() {
      for (const bucket of buckets) {
        await bucket.deleteFiles({ force: true })
        await bucket.delete()
      }
      await cloud.close()
    },
  }
}
