/** Tables that a run may not write are told apart before anything is loaded. */
import { describe, expect, test } from 'vitest'
import { checkStaging, checkTarget, type TableLayout } from '../../functions/plan/fit.ts'
import { readFeedText } from '../support/plan-case.ts'

const FEED = readFeedText(`name: day-sales
source: { path: "s/{snapshot}/*.csv", complete: single-file, format: csv }
table:
  name: shop.day_sales
  columns: { id: INT64, day: DATE, v: STRING }
  partition: { by: day, every: month }
  cluster: [id, v]
model: { kind: unique, key: [id], sequence: { from: snapshot, as: seq } }
`)
const fits: TableLayout = { kind: 'TABLE', partition: { by: 'DAY', every: 'month' }, cluster: ['id', 'V'] }
const ours = { freshet_feed: 'day-sales' }

const MISFITS: readonly [what: string, layout: Partial<TableLayout>, says: string][] = [
  [
    'partitioned otherwise',
    { partition: { by: 'day', every: 'day' } },
    'is partitioned by day of day, and the feed says partitioned by month of day',
  ],
  [
    'partitioned by another column',
    { partition: { by: 'sold', every: 'month' } },
    'is partitioned by month of sold',
  ],
  ['not partitioned', { partition: undefined }, 'is not partitioned, and the feed says'],
  ['partitioned by a range', { partition: { by: 'id', every: 'range' } }, 'is partitioned by range of id'],
  [
    'clustered otherwise',
    { cluster: ['v', 'id'] },
    'is clustered by v, id, and the feed says clustered by id, v',
  ],
  ['not clustered', { cluster: [] }, 'is not clustered'],
]

describe('staging', () => {
  test('laid out as the feed says, whatever the case of names', () => {
    expect(() => checkStaging(FEED, { layout: fits, labels: {} })).not.toThrow()
  })
  test.each(MISFITS)('%s', (_, layout, says) => {
    expect(() => checkStaging(FEED, { layout: { ...fits, ...layout }, labels: {} })).toThrow(says)
  })
})

describe('the target', () => {
  test("of this feed's own publishes", () => {
    expect(() => checkTarget(FEED, { layout: fits, labels: ours })).not.toThrow()
  })
  test.each(MISFITS)('%s', (_, layout, says) => {
    const check = () => checkTarget(FEED, { layout: { ...fits, ...layout }, labels: ours })
    expect(check).toThrow(says)
    expect(check).toThrow(expect.objectContaining({ code: 'schema-drift' }))
  })

  test.each<
    readonly [what: string, layout: Partial<TableLayout>, labels: Record<string, string>, says: string]
  >([
    ['one that nobody published', {}, {}, 'shop.day_sales was there before, and Freshet did not make it'],
    ['one with labels of other people', {}, { team: 'a' }, 'was there before'],
    ["another feed's", {}, { freshet_feed: 'sales' }, 'belongs to the feed sales'],
    ['a view', { kind: 'VIEW' }, ours, 'is a view'],
    ['a materialized view', { kind: 'MATERIALIZED_VIEW' }, ours, 'is a materialized view'],
    ['an external table', { kind: 'EXTERNAL' }, {}, 'is an external table'],
    ['a table snapshot', { kind: 'SNAPSHOT' }, ours, 'is a table snapshot'],
  ])('%s is not replaced', (_, layout, labels, says) => {
    const check = () => checkTarget(FEED, { layout: { ...fits, ...layout }, labels })
    expect(check).toThrow(says)
    expect(check).toThrow(expect.objectContaining({ code: 'foreign-target' }))
  })
})
