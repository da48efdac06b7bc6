/** Warnings come before a limit is met, and say over when it is. */
import { describe, expect, test } from 'vitest'
import { estimate, retail, wayOf } from './given.ts'

const warned = (given: Parameters<typeof estimate>[0], name: string, feed = retail()) =>
  estimate(given, { feed })
    .warnings.filter(text => text.startsWith(`${name}:`))
    .join('\n')

describe('partition modifications of staging, 731 partitions', () => {
  test.each([
    { runsADay: 6, says: '' },
    { runsADay: 32, says: '' },
    { runsADay: 33, says: '24,123 partition modifications of staging a day, near the limit of 30,000' },
    { runsADay: 41, says: '29,971 partition modifications of staging a day, near the limit of 30,000' },
    { runsADay: 42, says: '30,702 partition modifications of staging a day, over the limit of 30,000' },
  ])('$runsADay rewrites a day: $says', ({ runsADay, says }) => {
    const text = warned({ runsADay, bytes: 1e9 }, 'rewrite')
    if (says) expect(text).toContain(says)
    else expect(text).not.toContain('partition modifications')
  })
  test('changed-partitions writes staging by DML, which does not count', () => {
    expect(warned({ runsADay: 30, bytes: 1e9 }, 'changed-partitions')).toBe('')
  })
})

describe('other limits', () => {
  test.each([
    {
      name: 'rewrite',
      given: { runsADay: 51 },
      says: '51 rollback points of staging a day, over the limit of 50',
    },
    {
      name: 'rewrite',
      given: { runsADay: 40 },
      says: '40 rollback points of staging a day, near the limit of 50',
    },
    {
      name: 'merge',
      given: { runsADay: 7, bytes: 15e12 },
      says: 'TiB read on demand by the project a day, near',
    },
    {
      name: 'merge',
      given: { runsADay: 8, bytes: 15e12 },
      says: 'TiB read on demand by the project a day, over',
    },
    {
      name: 'rewrite',
      given: { partitions: 17_521 },
      says: '17,521 partitions of the table, over the limit of 10,000',
    },
    {
      name: 'merge',
      given: { partitions: 17_521 },
      says: '17,521 partitions that one job writes, over the limit of 4,000',
    },
    { name: 'rewrite', given: { bytes: 60e12 }, says: 'STANDARD ends at 1,600 slots, where a run takes' },
    { name: 'cdc', given: { bytes: 15e12, changed: 0.5 }, says: 'no number of slots keeps 60 minutes' },
  ])('$name: $says', ({ name, given, says }) => {
    expect(warned({ bytes: 1e9, ...given }, name)).toContain(says)
  })
  test('a limit that is not touched is not listed', () => {
    const limits = wayOf(estimate(), 'merge').limits.map(({ limit }) => limit)
    expect(limits.filter(limit => limit.includes('staging') || limit.includes('target'))).toEqual([])
  })
})
