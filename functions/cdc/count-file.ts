/** What a change file amounts to, and rows that are too large to be sent. */
import type { Block } from './collapse.ts'
import { fillRequests, MAX_REQUEST_BYTES } from './fill-requests.ts'
import { RecordProblem } from './read/record.ts'

export interface FileCounts {
  readonly records: number
  /** After changes of one key were collapsed. */
  readonly upserts: number
  readonly deletes: number
  readonly requests: number
  readonly bytes: number
}

export const NO_CHANGES: FileCounts = { records: 0, upserts: 0, deletes: 0, requests: 0, bytes: 0 }

export const addCounts = (a: FileCounts, b: FileCounts): FileCounts => ({
  records: a.records + b.records,
  upserts: a.upserts + b.upserts,
  deletes: a.deletes + b.deletes,
  requests: a.requests + b.requests,
  bytes: a.bytes + b.bytes,
})

/** A row that no request could carry. */
export function findTooLarge({ changes }: Block): RecordProblem | undefined {
  const large = changes.find(({ start, end }) => end - start > MAX_REQUEST_BYTES)
  return large && new RecordProblem('is a row of more than 9 MB, which no request carries', large.line)
}

/** What a block adds, in so many requests. */
export function countBlock(block: Block, requests: number): FileCounts {
  const upserts = block.changes.filter(({ kind }) => kind === 'upsert').length
  const bytes = block.changes.reduce((sum, { start, end }) => sum + end - start, 0)
  return { records: block.records, upserts, deletes: block.changes.length - upserts, requests, bytes }
}

/** Throws `RecordProblem`. */
export async function countChanges(blocks: AsyncIterable<Block>): Promise<FileCounts> {
  let counts = NO_CHANGES
  for await (const block of blocks) {
    const problem = findTooLarge(block)
    if (problem) throw problem
    counts = addCounts(counts, countBlock(block, [...fillRequests(block)].length))
  }
  return counts
}
