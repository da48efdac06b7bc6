/** Feeds that serve a table of the live Postgres itself, by delta or by swap. */
import type { Feed, ServedInPostgres } from '../../functions/feed/feed.ts'
import { readFeedText } from '../support/plan-case.ts'

/** With no grace: what was swapped out goes at the next load. `columns` as in a feed file. */
export function liveFeed(
  way: ServedInPostgres['way'],
  table = 'app.items',
  columns = '{ id: INT64, seq: INT64, v: STRING }',
  key = '[id]',
): Feed {
  const feed = readFeedText(`name: items
source:
  path: items/{snapshot}/*.ndjson
  complete: { marker: "items/{snapshot}/_DONE" }
  format: ndjson
table: { name: shop.items, columns: ${columns} }
model: { kind: unique, key: ${key}, sequence: { from: snapshot, as: delivery } }
serve: [{ postgres: { database: crm, table: ${table}, way: ${way} } }]
`)
  return { ...feed, serve: (feed.serve ?? []).map(to => ({ ...to, graceSeconds: 0 })) }
}
