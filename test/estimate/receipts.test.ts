/** What receipts replace, and what they must not. */
import { describe, expect, test } from 'vitest'
import { measureReceipts, medianOf } from '../../functions/estimate/receipts.ts'
import { GIB } from '../../functions/estimate/step.ts'
import { NO_ROWS, type RefreshMessage } from '../../functions/message.ts'
import { estimate, wayOf } from './given.ts'

const receipt = (given: Partial<RefreshMessage>): RefreshMessage => ({
  version: 1,
  status: 'refreshed',
  feed: 'store-attributes',
  table: 'p.retail.store_attributes',
  snapshots: ['1'],
  run: 'r',
  strategy: 'rewrite',
  rows: { ...NO_ROWS, after: 1_000 },
  partitions: { total: 0, changed: 0 },
  arrivedAt: '2026-11-29T00:00:00.000Z',
  finishedAt: '2026-11-29T00:30:00.000Z',
  withinSeconds: 1_800,
  bytesProcessed: 0,
  slotMs: 0,
  rollbackPoint: '',
  reason: '',
  ...given,
})

test.each([
  { values: [], median: undefined },
  { values: [3], median: 3 },
  { values: [9, 1, 5], median: 5 },
  { values: [4, 1, 3, 2], median: 2.5 },
])('median of $values is $median', ({ values, median }) => expect(medianOf(values)).toBe(median))

test.each([
  { name: 'no receipt', receipts: [] },
  { name: 'nothing but trouble', receipts: [receipt({ status: 'held' }), receipt({ status: 'failed' })] },
])('$name measures nothing', ({ receipts }) => {
  expect(measureReceipts(receipts, { slots: true })).toBeUndefined()
})

test('slot-milliseconds for a GiB are the median of each strategy', () => {
  const ran = (strategy: string, perGiB: number, gib: number) =>
    receipt({ strategy, bytesProcessed: gib * GIB, slotMs: perGiB * gib })
  const receipts = [
    ran('rewrite', 10, 4),
    ran('rewrite', 30, 1),
    ran('rewrite', 20, 2),
    ran('changed-partitions', 5, 1),
    receipt({ strategy: 'rewrite', slotMs: 9 }),
    receipt({ strategy: 'rollback' }),
  ]
  expect(measureReceipts(receipts, { slots: true })?.slotMsPerGiB).toEqual({
    rewrite: 20,
    'changed-partitions': 5,
  })
  expect(measureReceipts(receipts, { slots: false })?.slotMsPerGiB).toEqual({})
})

test('rows are of the latest refresh, and runs that stopped do not count', () => {
  const measured = measureReceipts(
    [
      receipt({ status: 'held', rows: { ...NO_ROWS, after: 7 } }),
      receipt({ rows: { ...NO_ROWS, after: 20 }, withinSeconds: 60 }),
      receipt({ rows: { ...NO_ROWS, after: 10 }, withinSeconds: 120 }),
    ],
    { slots: true },
  )
  expect(measured).toMatchObject({ rows: 20, runs: 2, within: { median: 90, worst: 120 } })
  expect(measured).not.toHaveProperty('partitions')
  expect(measured).not.toHaveProperty('runsADay')
})

test('changed partitions are only known where a strategy looked', () => {
  const counted = (strategy: string, changed: number) =>
    receipt({ strategy, partitions: { total: 10, changed } })
  const measured = measureReceipts(
    [counted('rewrite', 10), counted('changed-partitions', 1), counted('changed-partitions', 3)],
    { slots: true },
  )
  expect(measured).toMatchObject({ partitions: 10, changedPartitionShare: 0.2 })
})

test('from a day of receipts on, they say how often the source delivers', () => {
  const at = (hour: number) => receipt({ finishedAt: new Date(Date.UTC(2026, 10, 29, hour)).toISOString() })
  expect(measureReceipts([at(0), at(4)], { slots: true })?.runsADay).toBeUndefined()
  expect(measureReceipts([0, 4, 8, 12, 16, 20, 24].map(at), { slots: true })?.runsADay).toBe(6)
})

describe('a measured figure', () => {
  const slotMsPerGiB = { rewrite: 9_000 }
  const measured = estimate({}, { slotMsPerGiB })
  const rewrite = wayOf(measured, 'rewrite')

  test('replaces the slots of a whole run, and of that strategy alone', () => {
    expect(rewrite.measured).toBe(true)
    expect(rewrite.run.slotHours).toBeCloseTo(((rewrite.run.scannedBytes / GIB) * 9_000) / 3_600_000, 6)
    expect(wayOf(measured, 'merge').run).toEqual(wayOf(estimate(), 'merge').run)
  })
  test('leaves bytes and limits as they are', () => {
    const assumed = wayOf(estimate(), 'rewrite')
    expect(rewrite.run.scannedBytes).toBe(assumed.run.scannedBytes)
    expect(rewrite.limits).toEqual(assumed.limits)
  })
  test('is shared by the stages in their assumed proportion', () => {
    const share = ({ steps, run }: typeof rewrite) => steps.map(({ slotMs }) => slotMs / run.slotHours)
    const assumed = share(wayOf(estimate(), 'rewrite'))
    for (const [at, value] of share(rewrite).entries()) expect(value).toBeCloseTo(assumed[at] ?? 0, 3)
  })
})
