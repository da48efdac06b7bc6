/** Feed texts for tests: a good one, that one with a change, and the problems of one. */
import { parseFeed } from '../../functions/feed/parse-feed.ts'

export const GOOD = `name: sales
source:
  path: sales/{snapshot}/*.csv.gz
  complete:
    manifest: sales/{snapshot}/manifest.json
  format: csv
table:
  name: shop.sales
  columns:
    id: INT64
    day: DATE
    price: NUMERIC(10, 2)
    note: { type: STRING, description: what the till said }
    changed: TIMESTAMP
  partition: { by: day, every: day, keep: 730 days }
  cluster: [id]
model:
  kind: unique
  key: [id, day]
  sequence: changed
`

/** `GOOD` with one text put in place of another; throws when it is not there. */
export function feedWith(from: string, to: string): string {
  if (!GOOD.includes(from)) throw new Error(`${from} is not in the feed`)
  return GOOD.replace(from, () => to)
}

export function problemsOf(text: string) {
  const parsed = parseFeed(text, 'sales.yaml')
  return parsed.kind === 'feed' ? [] : parsed.problems
}
/** One change of `GOOD` and the one problem that it makes. */
export type Row = readonly [from: string, to: string, path: string, line: number, message: string]
