/** The first bytes of a text object as text: compression, encoding and a byte-order mark are found here. */
import { constants, gunzipSync } from 'node:zlib'

export interface HeadProblem {
  readonly reason: string
  readonly hint: string
}
export type Head =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'problem' } & HeadProblem)

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

function inflate(bytes: Buffer): Buffer | HeadProblem {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    return {
      reason: `is no whole gzip stream: ${error instanceof Error ? error.message : error}`,
      hint: 'Compress the file anew.',
    }
  }
}

/** `bytes` is the beginning of the object; a character that the end cuts in two is left out. */
export function readTextHead(bytes: Buffer): Head {
  const plain = isGzip(bytes) ? inflate(bytes) : bytes
  if (!Buffer.isBuffer(plain)) return { kind: 'problem', ...plain }
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
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(plain, { stream: true }) }
  } catch {
    return { kind: 'problem', reason: 'is not UTF-8', hint: 'Write it as UTF-8.' }
  }
}
