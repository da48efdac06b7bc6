/** What a feed is when it says no more than it must, and when it says all. */
import { expect, test } from 'vitest'
import { type Feed, sourceColumns } from '../../functions/feed/feed.ts'
import { readFeedText } from '../support/plan-case.ts'
import { feedWith, GOOD } from './feed-text.ts'

test('defaults', () => {
  const { model, refresh, gates, source } = readFeedText(GOOD)
  expect(model).toMatchObject({ missingRows: 'keep', sequence: { from: 'column', columns: ['changed'] } })
  expect(refresh).toMatchObject({ strategy: 'rewrite', withinSeconds: 3_600, rollbackDays: 7 })
  expect(gates).toMatchObject({
    zeroRows: 'hold',
    minRowsVsLast: 0.5,
    duplicateKeys: 'hold',
    nullKeys: 'reject',
  })
  expect(source.snapshot).toBe('integer')
  expect(source.format).toEqual({ kind: 'csv', header: true, delimiter: ',', nullText: '' })
})

test('a sequence from the snapshot is one more column of the table, and none of the files', () => {
  const feed = readFeedText(feedWith('sequence: changed', 'sequence: { from: snapshot, as: seen }'))
  expect(feed.table.columns.at(-1)).toEqual({ name: 'seen', type: 'INT64', optional: false })
  expect(sourceColumns(feed).map(({ name }) => name)).toEqual(['id', 'day', 'price', 'note', 'changed'])
})

test.each<readonly [from: string, to: string, read: (feed: Feed) => unknown, value: unknown]>([
  [
    'format: csv',
    'format: csv\n  csv: { null_text: "NULL", delimiter: "\\t", header: false }',
    feed => feed.source.format,
    { kind: 'csv', header: false, delimiter: '\t', nullText: 'NULL' },
  ],
  ['keep: 730 days', 'keep: 48 hours', feed => feed.table.partition?.keepDays, 2],
  [
    'sequence: changed',
    'sequence: changed\nrefresh: { within: 1 hour, rollback: 36 hours }',
    feed => feed.refresh,
    expect.objectContaining({ withinSeconds: 3_600, rollbackDays: 2 }),
  ],
  [
    'sequence: changed',
    'sequence: changed\ngates: { min_rows_vs_last: 0% }',
    feed => feed.gates.minRowsVsLast,
    0,
  ],
  [
    'complete:\n    manifest: sales/{snapshot}/manifest.json',
    'complete: single-file',
    feed => feed.source.complete,
    { kind: 'single-file' },
  ],
])('%s → %s', (from, to, read, value) => {
  expect(read(readFeedText(feedWith(from, to)))).toEqual(value)
})
