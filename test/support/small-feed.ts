/** A feed of three columns for tests of state and handlers, and its files. */
import type { Feed } from '../../functions/feed/feed.ts'
import type { Row } from './fake-warehouse.ts'
import { readFeedText } from './plan-case.ts'

export const TARGET = 'p.shop.items'

export function smallFeed(settings: {
  complete?: string
  missing?: 'keep' | 'delete'
  gates?: string
  path?: string
}): Feed {
  const { complete = '{ marker: "items/{snapshot}/_DONE" }', missing = 'keep', gates, path } = settings
  return readFeedText(`name: items
source:
  path: ${path ?? 'items/{snapshot}/*.ndjson'}
  complete: ${complete}
  format: ndjson
table:
  name: shop.items
  columns: { id: INT64, seq: INT64, v: STRING }
model: { kind: unique, key: [id], sequence: seq, missing_rows: ${missing} }
gates: { ${gates ?? 'zero_rows: allow, min_rows_vs_last: 0%, duplicate_keys: newest, max_deleted: 100%'} }
`)
}

export const encodeRows = (rows: readonly Row[]): string =>
  rows.map(({ id, seq, v }) => `${JSON.stringify({ id, seq, v })}\n`).join('')
export const row = (id: number, seq = 1, v = 'a'): Row => ({ id, seq, v })
