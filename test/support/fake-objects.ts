/** Cloud Storage in memory, with its rule of generations: a write is one, and a precondition is checked with it. */
import type { Objects, StoredObject } from '../../functions/gcp/ports.ts'

interface Entry {
  readonly stored: StoredObject
  readonly content: Buffer
}

export interface FakeObjects extends Objects {
  /** Writes an object as a sender would. */
  put(bucket: string, name: string, content: string | Buffer, createdAt?: string): StoredObject
  /** Every name of a bucket, in order. */
  names(bucket: string): string[]
  text(bucket: string, name: string): string | undefined
}

/** Called before every operation; a test makes it wait, fail or count. */
export type Gate = (operation: 'read' | 'list' | 'write' | 'remove', name: string) => Promise<void>

const checksum = (content: Buffer): string => {
  const sum = content.reduce((hash, byte) => (Math.imul(hash, 31) + byte) >>> 0, 7)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(sum)
  return bytes.toString('base64')
}

export function makeFakeObjects(gate: Gate = async () => {}): FakeObjects {
  const entries = new Map<string, Entry>()
  let generation = 1_000
  const keyOf = (bucket: string, name: string) => `${bucket}\n${name}`

  function put(
    bucket: string,
    name: string,
    content: string | Buffer,
    createdAt = '2026-11-30T06:00:00.000Z',
  ): StoredObject {
    const bytes = Buffer.from(content)
    generation += 1
    const stored = {
      name,
      generation: String(generation),
      size: bytes.length,
      crc32c: checksum(bytes),
      createdAt,
    }
    entries.set(keyOf(bucket, name), { stored, content: bytes })
    return stored
  }

  const namesOf = (bucket: string, prefix = '') =>
    [...entries.keys()]
      .filter(key => key.startsWith(keyOf(bucket, prefix)))
      .map(key => key.slice(bucket.length + 1))
      .toSorted()

  return {
    put,
    names: bucket => namesOf(bucket),
    text: (bucket, name) => entries.get(keyOf(bucket, name))?.content.toString(),
    async stat(bucket, name) {
      await gate('read', name)
      return entries.get(keyOf(bucket, name))?.stored
    },
    async list(bucket, prefix) {
      await gate('list', prefix)
      return namesOf(bucket, prefix).flatMap(name => entries.get(keyOf(bucket, name))?.stored ?? [])
    },
    async listLevel(bucket, prefix) {
      await gate('list', prefix)
      const cut = (name: string) => name.indexOf('/', prefix.length) + 1 || name.length
      return {
        names: [...new Set(namesOf(bucket, prefix).map(name => name.slice(0, cut(name))))],
        more: false,
      }
    },
    async readText(bucket, name) {
      await gate('read', name)
      const found = entries.get(keyOf(bucket, name))
      return found && { text: found.content.toString(), generation: found.stored.generation }
    },
    async readRange(bucket, name, range) {
      await gate('read', name)
      const found = entries.get(keyOf(bucket, name))
      if (found?.stored.generation !== range.generation) return undefined
      return found.content.subarray(range.start, range.end)
    },
    async writeText(bucket, name, text, ifGeneration) {
      await gate('write', name)
      const live = entries.get(keyOf(bucket, name))?.stored.generation ?? '0'
      if (ifGeneration !== undefined && ifGeneration !== live) return undefined
      return put(bucket, name, text).generation
    },
    async remove(bucket, name, ifGeneration) {
      await gate('remove', name)
      const live = entries.get(keyOf(bucket, name))?.stored.generation
      if (ifGeneration === undefined || ifGeneration === live) entries.delete(keyOf(bucket, name))
    },
  }
}
