/** What each way reads and writes, and that the estimate of a strategy is of the plan that is really made. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { planRun } from '../../functions/plan/plan-run.ts'
import type { JobBody } from '../../functions/plan/run-plan.ts'
import { readPlanCases } from '../support/plan-case.ts'
import { estimate, retail, wayOf } from './given.ts'

const S = 15e12
const near = (value: number, of: number) => expect(value / S).toBeCloseTo(of, 3)
const small = retail('gates: {', 'gates: { emptied_columns: allow,')
const mirror = retail('missing_rows: keep', 'missing_rows: delete')

describe('bytes of a run, in sizes of the table', () => {
  test.each([
    { way: 'merge', read: 2, written: 1 + 14 / 731 },
    // The values outside the key, 16 of 48 bytes, are sampled at 1 %.
    { way: 'rewrite', read: 2 + 32 / 48 + 0.16 / 48, written: 2 },
    { way: 'rewrite', feed: small, read: 2 + 32 / 48, written: 2 },
    { way: 'rewrite', feed: mirror, read: 1 + 32 / 48 + 0.16 / 48, written: 2 },
    { way: 'changed-partitions', read: 1 + 24 / 48 + 0.16 / 48 + (2 * 14) / 731, written: 1 + 14 / 731 },
    {
      way: 'changed-partitions',
      feed: mirror,
      read: 1 + 24 / 48 + 0.16 / 48 + 14 / 731,
      written: 1 + 14 / 731,
    },
    { way: 'changed-partitions', changedPartitions: 0, read: 1 + 24 / 48 + 0.16 / 48, written: 1 },
    { way: 'changed-partitions', changedPartitions: 439, read: 3 + 24 / 48 + 0.16 / 48, written: 2 },
    { way: 'cdc', read: 1, written: 14 / 731 },
    { way: 'cdc', changed: 0, read: 0, written: 0 },
  ])('$way $changedPartitions $changed', ({ way, feed, read, written, ...given }) => {
    const { run } = wayOf(estimate(given, feed ? { feed } : {}), way)
    near(run.scannedBytes, read)
    near(run.writtenBytes, written)
  })
})

describe('what is not possible is said', () => {
  const flat = retail('  partition: { by: date, every: day, keep: 730 days }\n')
  test.each([
    { way: 'changed-partitions', feed: flat, says: 'no partitions' },
    {
      way: 'cdc',
      feed: retail('attribute_id: INT64', 'attribute_id: TIME'),
      says: 'attribute_id is TIME',
    },
  ])('$way: $says', ({ way, feed, says }) => {
    const found = wayOf(estimate({}, { feed }), way)
    expect(found.impossible).toContain(says)
    expect(found.offers).toEqual([])
    expect(found.choice).toBeUndefined()
  })
})

test('changed partitions of more than half are a rewrite that also paid for fingerprints', () => {
  const result = estimate({ changedPartitions: 731 })
  expect(wayOf(result, 'changed-partitions').notes.join()).toContain('does what rewrite does')
  expect(wayOf(result, 'changed-partitions').steps.map(({ stage }) => stage)).toEqual([
    'load',
    'inspect',
    'fingerprint',
    'deduplicate',
    'save',
    'clone',
  ])
})

test('a table of 60 TB is loaded by several jobs, each of which writes every partition of landing', () => {
  const { limits } = wayOf(estimate({ bytes: 60e12 }), 'rewrite')
  expect(limits).toContainEqual(
    expect.objectContaining({ limit: 'partition modifications of landing', used: 5 * 731 }),
  )
})

const table = z.object({ datasetId: z.string(), tableId: z.string() })
type Table = z.infer<typeof table>

/** Jobs that count against the daily limits of a table: DDL and DML do not, but a clone is taken to. */
function countWrites(jobs: readonly JobBody[], { datasetId, tableId }: Table): number {
  return jobs.filter(({ configuration: { load, copy, query } }) => {
    const to = table.safeParse((load ?? copy ?? query)?.destinationTable).data
    const [, clone] = /^CREATE OR REPLACE TABLE (\S+)\s+CLONE/.exec(String(query?.query)) ?? []
    if (clone !== undefined) return clone.replaceAll('`', '').endsWith(`${datasetId}.${tableId}`)
    return to?.datasetId === datasetId && to.tableId === tableId
  }).length
}

const ONE_SNAPSHOT = readPlanCases().filter(
  ({ snapshots, state, feed }) => snapshots.length === 1 && state.staging && feed.table.partition,
)

describe('the steps of rewrite are the stages of the plan', () => {
  test.each(ONE_SNAPSHOT)('$name', ({ feed, snapshots, state }) => {
    const plan = planRun(feed, snapshots, state)
    const { steps } = wayOf(estimate({ bytes: 1e9 }, { feed }), 'rewrite')
    const jobsOf = (stage: string) => plan.stages.find(({ name }) => name === stage)?.jobs ?? []
    const worked = ['load', 'inspect', 'append', 'deduplicate', 'save', 'clone']
    expect(steps.map(({ stage }) => stage)).toEqual(worked.filter(stage => jobsOf(stage).length > 0))
    const main = worked.flatMap(jobsOf)
    const touched = (name: string) =>
      steps.flatMap(({ touches }) => touches).filter(touch => touch.table === name)
    const sum = (name: string) => touched(name).reduce((total, { operations }) => total + operations, 0)
    const staging = table.parse(jobsOf('deduplicate')[0]?.configuration.query?.destinationTable)
    expect(sum('staging')).toBe(countWrites(main, staging))
    expect(sum('target')).toBe(countWrites(main, plan.table))
  })

  test('inspect reads every column of the files while emptied_columns is on, and the key alone while it is not', () => {
    const found = ONE_SNAPSHOT.find(({ name }) => name === 'retail-second')
    if (!found) throw new Error('the case retail-second is gone')
    const read = (emptiedColumns: 'hold' | 'allow') => {
      const feed = { ...found.feed, gates: { ...found.feed.gates, emptiedColumns } }
      const stage = planRun(feed, found.snapshots, found.state).stages.find(({ name }) => name === 'inspect')
      const text = stage?.jobs.map(({ configuration }) => configuration.query?.query).join(' ') ?? ''
      const columns = feed.table.columns.filter(({ name }) => text.includes(`\`${name}\``))
      return columns.length
    }
    expect(read('hold')).toBe(found.feed.table.columns.length)
    expect(read('allow')).toBe(found.feed.model.key.length)
  })
})
