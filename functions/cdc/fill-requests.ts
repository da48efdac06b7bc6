/** Fills append requests: large enough that their number does not matter, small enough to flow. */
import type { Block } from './collapse.ts'

export interface AppendRequest {
  readonly rows: readonly Buffer[]
  /** The line of each row. */
  readonly lines: readonly number[]
  readonly bytes: number
}

/**
 * BigQuery takes 10 MB in a request (docs.cloud.google.com/bigquery/docs/reference/storage/rpc/google.cloud.bigquery.storage.v1#appendrowsrequest)
 * and is best with 1 MB and more (docs…/write-api-best-practices). Beyond that the client's memory grows and nothing gets
 * faster: bench/RESULTS.md.
 */
export const REQUEST_BYTES = 1024 * 1024
export const MAX_REQUEST_BYTES = 9 * 1024 * 1024

/** Tag and length of a row in its request. */
const FRAME = 6

/** Every request but the last is full: the next row would not have fitted. A row that is larger than that goes alone. */
export function* fillRequests(
  block: Pick<Block, 'changes' | 'bytes'>,
  limit: number = REQUEST_BYTES,
): Generator<AppendRequest> {
  const { changes, bytes: written } = block
  let rows: Buffer[] = []
  let lines: number[] = []
  let bytes = 0
  for (const change of changes) {
    const size = change.end - change.start + FRAME
    if (rows.length > 0 && bytes + size > limit) {
      yield { rows, lines, bytes }
      rows = []
      lines = []
      bytes = 0
    }
    rows.push(written.view(change.start, change.end))
    lines.push(change.line)
    bytes += size
  }
  if (rows.length > 0) yield { rows, lines, bytes }
}
