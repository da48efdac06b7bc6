/** The change feed that the bench streams, and its file: one change for each key. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ChangeFeed } from '../../functions/feed/changes/change-feed.ts'
import { parseFeedFile } from '../../functions/feed/parse-feed.ts'

export const PROJECT = 'bench'
export const DATASET = 'd'

export function readBenchFeed(): ChangeFeed {
  const parsed = parseFeedFile(
    `name: orders
delivers: changes
source: { path: "orders/*", format: ndjson }
table:
  name: d.orders
  columns: { id: INT64, status: STRING, total: "NUMERIC(12, 2)", paid: BOOL, weight: FLOAT64, note: STRING }
model: { key: [id] }
changes: { operation: op, upsert: [U], sequence: [{ field: lsn, as: integer }] }
`,
    'orders.yaml',
  )
  if (parsed.kind !== 'changes') throw new Error(JSON.stringify(parsed))
  return parsed.feed
}

function* linesOf(rows: number): Generator<string> {
  for (let id = 0; id < rows; id += 1) {
    const status = ['new', 'paid', 'sent'][id % 3]
    const total = `${id % 99_999}.${10 + (id % 90)}`
    const change = { op: 'U', lsn: id + 1, id, status, total, paid: id % 2 === 0, weight: id / 7 }
    yield `${JSON.stringify({ ...change, note: `Lieferung ${id}, Tür ${id % 17}` })}\n`
  }
}

export const writeChanges = (path: string, rows: number): Promise<void> =>
  pipeline(Readable.from(linesOf(rows)), createWriteStream(path))
