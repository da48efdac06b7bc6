/**
 * Changes of one key collapse to the newest before they are sent. A file may hold more keys than memory does, so it is
 * taken block by block; keys that come again in a later block are told apart by their sequence, as BigQuery does.
 */
import type { Change, EncodeChange } from './encode-change.ts'
import { ProtoBytes } from './proto-bytes.ts'
import { DigitsWanted, ValueProblem } from './raw-value.ts'
import { type FileRecord, RecordProblem } from './read/record.ts'
import { compareSequences } from './sequence.ts'

/** What a block holds at most: with the map around it about 100 MB. */
export interface BlockLimit {
  /** Of all changes that were read into it, those that collapsed included. */
  readonly bytes: number
  readonly changes: number
}
export const BLOCK_LIMIT: BlockLimit = { bytes: 32 * 1024 * 1024, changes: 150_000 }

export interface BlockChange extends Change {
  /** From 1. */
  readonly line: number
}

export interface Block {
  /** In the order of the file. */
  readonly changes: readonly BlockChange[]
  /** In which the changes lie. */
  readonly bytes: ProtoBytes
  /** The last line that is in it: everything up to there is sent when the block is. */
  readonly line: number
  /** Records that it was made of. */
  readonly records: number
}

function encode(
  encodeChange: EncodeChange,
  { line, fields, exact }: FileRecord,
  out: ProtoBytes,
): BlockChange {
  const start = out.length
  try {
    return Object.assign(encodeChange(fields, out), { line })
  } catch (error) {
    out.rewind(start)
    if (error instanceof DigitsWanted && exact) return encode(encodeChange, { line, fields: exact() }, out)
    throw error instanceof ValueProblem ? new RecordProblem(error.message, line, error.column) : error
  }
}

/** Of two changes with one sequence number the later one counts, as with BigQuery. Throws `RecordProblem`. */
export async function* collapse(
  batches: AsyncIterable<readonly FileRecord[]>,
  encodeChange: EncodeChange,
  limit: BlockLimit = BLOCK_LIMIT,
): AsyncGenerator<Block> {
  let newest = new Map<string, BlockChange>()
  let bytes = new ProtoBytes()
  let [line, records] = [0, 0]
  const end = (): Block => {
    const block = { changes: [...newest.values()], bytes, line, records }
    newest = new Map()
    bytes = new ProtoBytes()
    records = 0
    return block
  }
  for await (const batch of batches)
    for (const record of batch) {
      const change = encode(encodeChange, record, bytes)
      const known = newest.get(change.key)
      if (!known || compareSequences(change.sequence, known.sequence) >= 0) {
        // The newest stands where it came, so that what is sent keeps the file's order.
        if (known) newest.delete(change.key)
        newest.set(change.key, change)
      }
      line = record.line
      records += 1
      if (bytes.length >= limit.bytes || newest.size >= limit.changes) yield end()
    }
  if (records > 0) yield end()
}
