/** Cloud Storage behind the port `Objects`. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import {
  ApiError,
  type Bucket,
  type File,
  type FileMetadata,
  type GetFilesOptions,
  Storage,
} from '@google-cloud/storage'
import { z } from 'zod'
import { FreshetError } from '../errors.ts'
import type { ObjectStreams } from './change-ports.ts'
import type { Objects, StoredObject } from './ports.ts'

/** https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooggeneration */
const mediaAnswer = z.object({ headers: z.object({ 'x-goog-generation': z.string() }) })

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

/** Of a thousand names each: https://cloud.google.com/storage/docs/json_api/v1/objects/list */
const MOST_PAGES = 10
const folders = z.object({ prefixes: z.array(z.string()).default([]) })

async function listLevel(bucket: Bucket, prefix: string): ReturnType<Objects['listLevel']> {
  const names: string[] = []
  let query: GetFilesOptions | null = { prefix, delimiter: '/' }
  for (let page = 0; page < MOST_PAGES && query; page += 1) {
    const [files, next, answer]: [File[], GetFilesOptions | null, unknown] = await bucket.getFiles({
      ...query,
      // The query for the next page comes without it.
      autoPaginate: false,
    })
    names.push(...files.map(({ name }) => name), ...folders.parse(answer).prefixes)
    query = next
  }
  return { names: names.toSorted(), more: query !== null }
}

async function readRange(file: File, start: number, end: number): Promise<Buffer | undefined> {
  if (end <= start) return Buffer.alloc(0)
  const found = await unless(404, () => file.download({ start, end: end - 1, validation: false }))
  return found?.[0]
}

async function* readAll(file: File): AsyncGenerator<Uint8Array> {
  try {
    yield* file.createReadStream({ decompress: false })
  } catch (error) {
    if (statusOf(error) !== 404) throw error
    throw new FreshetError({
      code: 'not-found',
      message: `Object ${file.name} was removed or replaced.`,
      hint: 'Send it again.',
    })
  }
}

export function makeObjects(options: {
  projectId: string
  apiEndpoint?: string | undefined
}): Objects & ObjectStreams {
  const { projectId, apiEndpoint } = options
  const storage = new Storage({ projectId, ...(apiEndpoint !== undefined && { apiEndpoint }) })
  const fileOf = (bucket: string, name: string, generation?: string) =>
    storage.bucket(bucket).file(name, generation === undefined ? {} : { generation })

  async function stat(bucket: string, name: string): Promise<StoredObject | undefined> {
    const found = await unless(404, () => fileOf(bucket, name).getMetadata())
    return found && toStored(found[0])
  }

  /** Text and generation come in one answer, so that they belong together. */
  async function readText(
    bucket: string,
    name: string,
  ): Promise<{ text: string; generation: string } | undefined> {
    const stream = fileOf(bucket, name).createReadStream()
    const answered = once(stream, 'response')
    const found = await unless(404, () => Promise.all([text(stream), answered]))
    if (!found) return undefined
    const [content, [answer]] = found
    return { text: content, generation: mediaAnswer.parse(answer).headers['x-goog-generation'] }
  }

  return {
    stat,
    readText,
    async list(bucket, prefix) {
      const [files] = await storage.bucket(bucket).getFiles({ prefix })
      return files.map(({ metadata }) => toStored(metadata))
    },
    listLevel: (bucket, prefix) => listLevel(storage.bucket(bucket), prefix),
    readRange: (bucket, name, { generation, start, end }) =>
      readRange(fileOf(bucket, name, generation), start, end),
    openRead: (bucket, name, generation) => readAll(fileOf(bucket, name, generation)),
    async writeText(bucket, name, content, ifGeneration) {
      const file = fileOf(bucket, name)
      const condition =
        ifGeneration === undefined ? {} : { preconditionOpts: { ifGenerationMatch: ifGeneration } }
      const written = await unless(412, async () => {
        await file.save(content, { resumable: false, contentType: 'application/json', ...condition })
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
