/** Figures that are known from elsewhere: an estimate that misses one of them is wrong. */
import { describe, expect, test } from 'vitest'
import { priceOfBytes, slotHoursFor } from '../../functions/estimate/cost.ts'
import { fullWritesADay } from '../../functions/estimate/limits.ts'
import { TIB } from '../../functions/estimate/step.ts'
import { countPartitions, scaleByPartitions } from '../../functions/estimate/workload.ts'
import { estimate, PRICES, retail, wayOf } from './given.ts'

test.each([
  { tib: 30, dollars: 187.5 },
  { tib: 1, dollars: 6.25 },
  { tib: 13.64, dollars: 85.25 },
  { tib: 0, dollars: 0 },
])('$tib TiB on demand are $dollars dollars', ({ tib, dollars }) => {
  expect(priceOfBytes(tib * TIB, PRICES)).toBeCloseTo(dollars, 2)
})

test('15 TB are 13.64 TiB, 85 dollars to read once and 171 twice', () => {
  expect(15e12 / TIB).toBeCloseTo(13.64, 2)
  expect(priceOfBytes(15e12, PRICES)).toBeCloseTo(85.27, 2)
  expect(wayOf(estimate(), 'merge').offers[0]?.money.run).toBeCloseTo(170.53, 2)
})

test('85.25 dollars buy 1,421 slot-hours of ENTERPRISE', () => {
  expect(Math.round(slotHoursFor(85.25, PRICES.slotHour.ENTERPRISE))).toBe(1_421)
})

test('730 days over 13 partitions are a factor of 56', () => {
  expect(scaleByPartitions(730, 13)).toBeCloseTo(56.15, 2)
  expect(Math.floor(scaleByPartitions(730, 13))).toBe(56)
})

test.each([
  { partitions: 731, writes: 41 },
  { partitions: 1, writes: 1_500 },
  { partitions: 0, writes: 1_500 },
  { partitions: 10_000, writes: 3 },
])('$partitions partitions can be written $writes times a day', ({ partitions, writes }) => {
  expect(fullWritesADay(partitions)).toBe(writes)
})

test.each([
  { every: 'day', keep: '730 days', partitions: 731 },
  { every: 'month', keep: '730 days', partitions: 25 },
  { every: 'year', keep: '730 days', partitions: 3 },
  { every: 'day', keep: '1 day', partitions: 2 },
])('$keep by $every are $partitions partitions', ({ every, keep, partitions }) => {
  const feed = retail('every: day, keep: 730 days', `every: ${every}, keep: ${keep}`)
  expect(countPartitions(feed)).toBe(partitions)
})

describe('six rewrites a day of 731 partitions', () => {
  const rewrite = wayOf(estimate(), 'rewrite')
  const useOf = (limit: string) => rewrite.limits.find(use => use.limit === limit)

  test('modify 4,386 partitions of staging and 4,386 of the target', () => {
    expect(useOf('partition modifications of staging')?.used).toBe(4_386)
    expect(useOf('partition modifications of target')?.used).toBe(4_386)
  })
  test('are 6 operations on staging and 6 on the target', () => {
    expect(useOf('table operations on staging')?.used).toBe(6)
    expect(useOf('table operations on target')?.used).toBe(6)
  })
  test('read staging for 171 dollars a run, and the keys of landing for 57 more by the gates', () => {
    const deduplicate = rewrite.steps.find(({ stage }) => stage === 'deduplicate')
    expect(priceOfBytes(deduplicate?.scannedBytes ?? 0, PRICES)).toBeCloseTo(170.53, 2)
    expect(rewrite.offers[0]?.money.run).toBeCloseTo(227.66, 2)
  })
})
