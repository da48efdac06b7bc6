/** Cloud Storage behind the port `Objects`. */
import { ApiError, type File, type FileMetadata, Storage } from '@google-cloud/storage'
import type { Objects, StoredObject } from './ports.ts'

const statusOf = (error: unknown) => (error instanceof ApiError ? Number(error.code) : undefined)

/** `undefined` instead of the given HTTP status; every other error goes on. */
async function unless<T>(status: number, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (statusOf(error) === status) return undefined
    throw error
  }
}

function toStored({
  name = '',
  generation = '',
  size = 0,
  crc32c = '',
  timeCreated = '',
}: FileMetadata): StoredObject {
  return { name, generation: String(generation), size: Number(size), crc32c, createdAt: timeCreated }
}

async function readRange(file: File, start: number, end: number): Promise<Buffer | undefined> {
  if (end <= start) return Buffer.alloc(0)
  const found = await unless(404, () => file.download({ start, end: end - 1, validation: false }))
  return found?.[0]
}

export function makeObjects(options: { projectId: string; apiEndpoint?: string | undefined }): Objects {
  const { projectId, apiEndpoint } = options
  const storage = new Storage({ projectId, ...(apiEndpoint !== undefined && { apiEndpoint }) })
  const fileOf = (bucket: string, name: string, generation?: string) =>
    storage.bucket(bucket).file(name, generation === undefined ? {} : { generation })

  async function stat(bucket: string, name: string): Promise<StoredObject | undefined> {
    const found = await unless(404, () => fileOf(bucket, name).getMetadata())
    return found && toStored(found[0])
  }

  /** The text of the generation that was seen; when that is replaced meanwhile, of the next. */
  async function readText(
    bucket: string,
    name: string,
  ): Promise<{ text: string; generation: string } | undefined> {
    const seen = await stat(bucket, name)
    if (!seen) return undefined
    const found = await unless(404, () => fileOf(bucket, name, seen.generation).download())
    return found ? { text: found[0].toString('utf8'), generation: seen.generation } : readText(bucket, name)
  }

  return {
    stat,
    readText,
    async list(bucket, prefix) {
      const [files] = await storage.bucket(bucket).getFiles({ prefix })
      return files.map(({ metadata }) => toStored(metadata))
    },
    readRange: (bucket, name, { generation, start, end }) =>
      readRange(fileOf(bucket, name, generation), start, end),
    async writeText(bucket, name, text, ifGeneration) {
      const file = fileOf(bucket, name)
      const condition =
        ifGeneration === undefined ? {} : { preconditionOpts: { ifGenerationMatch: ifGeneration } }
      const written = await unless(412, async () => {
        await file.save(text, { resumable: false, contentType: 'application/json', ...condition })
        return String(file.metadata.generation)
      })
      return written
    },
    async remove(bucket, name, ifGeneration) {
      const condition = ifGeneration === undefined ? {} : { ifGenerationMatch: ifGeneration }
      await unless(412, () => fileOf(bucket, name).delete({ ignoreNotFound: true, ...condition }))
    },
  }
}
