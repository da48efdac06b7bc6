/** The first bytes of a text object as text: compression, encoding and a byte-order mark are found here. */
import { isUtf8 } from 'node:buffer'
import { constants, gunzipSync } from 'node:zlib'

export interface HeadProblem {
  readonly reason: string
  readonly hint: string
}
export type Head =
  | { readonly kind: 'text'; readonly text: string; readonly whole: boolean; readonly packed: boolean }
  | ({ readonly kind: 'problem' } & HeadProblem)

/** `whole`: it is all of the object, so that a character or a stream that breaks off is wrong. */
interface Plain {
  readonly bytes: Buffer
  readonly whole: boolean
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b
/** Signatures of formats that people send by mistake. */
const MAGIC: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['Parquet', Buffer.from('PAR1')],
  ['Avro', Buffer.from('Obj\x01', 'latin1')],
  ['ORC', Buffer.from('ORC')],
  ['a zip archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['UTF-16', Buffer.from([0xff, 0xfe])],
  ['UTF-16', Buffer.from([0xfe, 0xff])],
]

export const nameFormat = (bytes: Buffer): string | undefined =>
  MAGIC.find(([, magic]) => bytes.subarray(0, magic.length).equals(magic))?.[0]

/** Gzip packs up to a thousand to one: a head must not fill the memory. */
const MAX_PLAIN = 8 * 1024 * 1024
const tooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

function inflate(bytes: Buffer, whole: boolean): Plain | HeadProblem {
  const finishFlush = whole ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
  try {
    return { bytes: gunzipSync(bytes, { finishFlush, maxOutputLength: MAX_PLAIN }), whole }
  } catch (error) {
    if (tooLarge(error)) return inflate(bytes.subarray(0, bytes.length / 2), false)
    return {
      reason: `is no whole gzip stream: ${error instanceof Error ? error.message : error}`,
      hint: 'Compress the file anew.',
    }
  }
}

/** From 1: the first line that is not UTF-8; a newline is never part of a longer character. */
function findBrokenLine(bytes: Buffer): number {
  let line = 1
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, from)
    const to = end === -1 ? bytes.length : end
    if (!isUtf8(bytes.subarray(from, to))) break
    from = to + 1
  }
  return line
}

/**
 * `bytes` is the beginning of the object, or all of it (`allOfIt`). A character that the end of a beginning cuts in
 * two is left out. `whole` of the answer: the text is all there is, so that its last line is a line too; `packed`: the object is gzip.
 */
export function readTextHead(bytes: Buffer, allOfIt: boolean): Head {
  const unpacked = isGzip(bytes) ? inflate(bytes, allOfIt) : { bytes, whole: allOfIt }
  if ('reason' in unpacked) return { kind: 'problem', ...unpacked }
  const { bytes: plain, whole } = unpacked
  const other = nameFormat(plain)
  if (other === 'gzip') return { kind: 'problem', reason: 'is compressed twice', hint: 'Compress it once.' }
  if (other)
    return {
      kind: 'problem',
      reason: `is ${other}, not text`,
      hint: 'Send the format that `source.format` of the feed names.',
    }
  if (plain.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) {
    return {
      kind: 'problem',
      reason: 'starts with a byte-order mark (byte 0)',
      hint: 'Write it as UTF-8 without one; BigQuery takes it for data.',
    }
  }
  // UTF-16 without its mark, or a binary format: BigQuery refuses the character.
  if (plain.includes(0))
    return {
      kind: 'problem',
      reason: `has a zero byte (byte ${plain.indexOf(0)}), so it is no text`,
      hint: 'Write it as UTF-8.',
    }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plain, { stream: !whole })
    return { kind: 'text', text, whole, packed: isGzip(bytes) }
  } catch {
    return {
      kind: 'problem',
      reason: `is not UTF-8 (line ${findBrokenLine(plain)})`,
      hint: 'Write it as UTF-8.',
    }
  }
}
