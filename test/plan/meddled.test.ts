/** Staging has as many rows as were published, or somebody else wrote it. */
import { expect, test } from 'vitest'
import { describeMeddling } from '../../functions/plan/meddled.ts'
import { readFeedText } from '../support/plan-case.ts'

const feedOf = (keep: string, model = 'missing_rows: keep', strategy = 'rewrite') =>
  readFeedText(`name: sales
source: { path: "s/{snapshot}/*.csv", complete: single-file, format: csv }
table:
  name: shop.sales
  columns: { id: INT64, day: DATE }
  partition: { by: day, every: day${keep} }
model: { kind: unique, key: [id, day], sequence: { from: snapshot, as: seq }, ${model} }
refresh: { strategy: ${strategy} }
gates: { min_rows_vs_last: 80% }
`)
const forEver = feedOf('')
const expiring = feedOf(', keep: 30 days')

test.each([
  ['as many', forEver, 100, 100, undefined],
  ['nothing published yet', forEver, 5, undefined, undefined],
  ['one fewer', forEver, 99, 100, 'staging has 99 rows, and the last refresh left 100 rows there'],
  ['one more', forEver, 101, 100, 'staging has 101 rows, and the last refresh left 100 rows there'],
  ['none at all', forEver, 0, 1_000, 'staging has 0 rows, and the last refresh left 1,000 rows there'],
  ['a partition expired', expiring, 80, 100, undefined],
  [
    'more than a partition',
    expiring,
    79,
    100,
    'staging has 79 rows, and the last refresh left 100 rows there',
  ],
  [
    'more, though some expire',
    expiring,
    101,
    100,
    'staging has 101 rows, and the last refresh left 100 rows there',
  ],
  ['written anew each time', feedOf('', 'missing_rows: delete'), 0, 100, undefined],
  [
    'mirrored by partitions',
    feedOf('', 'missing_rows: delete', 'changed-partitions'),
    0,
    100,
    'staging has 0 rows, and the last refresh left 100 rows there',
  ],
] as const)('%s', (_, feed, rows, published, says) => {
  expect(describeMeddling(feed, rows, published)).toBe(says)
})
