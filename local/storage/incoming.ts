/** Bytes on their way in: written to a file of the same volume and hashed as they pass, so that commit is a rename. */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32c } from '@node-rs/crc32'

/** A complete, durable file that no object owns yet. Hashes are base64; a composed object has no md5. */
export interface Content {
  readonly path: string
  readonly size: number
  readonly crc32c: string
  readonly md5Hash?: string
  readonly componentCount?: number
}

export interface Incoming {
  readonly size: number
  write(chunk: Uint8Array): Promise<void>
  /** Waits until the bytes are on the disk. */
  finish(): Promise<Content>
  /** Removes the file. Harmless after `finish`, when the file belongs to an object or was abandoned before. */
  abandon(): Promise<void>
}

export function encodeCrc32c(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
}

export async function openIncoming(directory: string): Promise<Incoming> {
  const path = join(directory, randomUUID())
  const file = await open(path, 'wx')
  const md5 = createHash('md5')
  let crc = 0
  let size = 0
  let closed = false
  const close = async () => {
    if (!closed) await file.close()
    closed = true
  }
  return {
    get size() {
      return size
    },
    async write(chunk) {
      const written = writeAll(file, chunk)
      // While the disk works.
      crc = crc32c(chunk, crc)
      md5.update(chunk)
      size += chunk.length
      await written
    },
    async finish() {
      await file.sync()
      await close()
      return { path, size, crc32c: encodeCrc32c(crc), md5Hash: md5.digest('base64') }
    },
    async abandon() {
      await close()
      await rm(path, { force: true })
    },
  }
}

/** Writes a whole stream; leaves no file behind when the stream breaks. */
export async function receive(directory: string, source: AsyncIterable<Uint8Array>): Promise<Content> {
  const incoming = await openIncoming(directory)
  try {
    for await (const chunk of source) await incoming.write(chunk)
    return await incoming.finish()
  } catch (error) {
    await incoming.abandon()
    throw error
  }
}
