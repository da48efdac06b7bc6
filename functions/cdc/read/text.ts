/** The bytes of an object as pieces of text: unpacked when they are gzip, and refused when they are no UTF-8. */
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { RecordProblem } from './record.ts'

type Bytes = AsyncIterable<Uint8Array>

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

async function* again(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): Bytes {
  yield* first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

const isBroken = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_TRAILING_JUNK)/.test(String(error.code))

async function* unpack(packed: Bytes): Bytes {
  // Ends both when whoever reads leaves early, and hands on what goes wrong with either.
  const source = Readable.from(packed)
  const gunzip = pipeline(source, createGunzip(), () => {})
  try {
    yield* gunzip
  } catch (error) {
    throw isBroken(error) ? new RecordProblem(`is broken gzip: ${error.message}`, 0) : error
  }
}

/** Content says what is gzip, not the name: docs.cloud.google.com/storage/docs/transcoding */
async function* plain(bytes: Bytes): Bytes {
  const iterator = bytes[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let size = 0
  while (size < 2) {
    const next = await iterator.next()
    if (next.done) break
    head.push(next.value)
    size += next.value.length
  }
  const all = again(head, iterator)
  try {
    yield* isGzip(Buffer.concat(head).subarray(0, 2)) ? unpack(all) : all
  } finally {
    await iterator.return?.()
  }
}

/** Pieces of text, cut anywhere. A byte order mark is left out. Throws `RecordProblem`. */
export async function* readText(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of plain(bytes)) yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } catch (error) {
    const wrong =
      error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    throw wrong ? new RecordProblem('is no UTF-8', 0) : error
  }
}
