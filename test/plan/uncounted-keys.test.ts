/** Law: where only partitions that differ are counted, the keys of a snapshot lie between what inspect says at least and at most. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResultRow } from '../../functions/plan/stages/inspect.ts'
import { parseChanges } from '../../functions/plan/strategies/changed-partitions/changes.ts'

/** Keys of one partition, row by row: what is there twice is a duplicate that was let pass. */
type Rows = readonly number[]
interface Given {
  readonly start: string
  readonly before: Rows
  /** `undefined`: as before. */
  readonly after: readonly (Rows | undefined)[]
  /** A run may have let duplicates pass without counting these rows: then equal ones prove nothing. */
  readonly counted: boolean
}

const rows = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 })
const partitions = fc.nat(1).chain(more =>
  fc.uniqueArray(
    fc.record<Given>({
      start: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03', ''),
      before: rows,
      after: fc.array(fc.option(rows, { nil: undefined }), { minLength: more + 1, maxLength: more + 1 }),
      counted: fc.boolean(),
    }),
    { selector: ({ start }) => start, minLength: 1 },
  ),
)
const distinct = (all: readonly Rows[]) => new Set(all.flat()).size
const nameOf = (at: number) => String(at + 1)

/** What the queries of stage inspect answer. */
function inspect(given: readonly Given[]): { answered: ResultRow[]; truth: Map<string, number> } {
  const ids = given[0]?.after.map((_, at) => nameOf(at)) ?? []
  const fresh = ({ before, after }: Given, at: number) => after[at] ?? before
  const same = (partition: Given, at: number) =>
    fresh(partition, at).toSorted().join() === partition.before.toSorted().join()
  const changes = ids.flatMap((snapshot, at) =>
    given
      .filter(partition => fresh(partition, at).length > 0)
      .map(partition => ({
        snapshot,
        partition_start: partition.start,
        change: same(partition, at) ? 'equal' : 'changed',
        partition_rows: String(fresh(partition, at).length),
        outside_rows: '0',
        proven: String(partition.counted && distinct([partition.before]) === partition.before.length),
      })),
  )
  const changed = new Set(
    changes.filter(({ change }) => change === 'changed').map(({ partition_start: start }) => start),
  )
  const counts = (snapshot: string, of: readonly number[]) => {
    const keys = (some: readonly Given[]) =>
      some.reduce((sum, partition) => sum + distinct(of.map(at => fresh(partition, at))), 0)
    const zero = { row_count: '0', duplicate_keys: '0', null_key_rows: '0' }
    const counted = keys(given.filter(({ start }) => changed.has(start)))
    const row = { ...zero, null_partition_rows: '0', outside_rows: '0', snapshot, key_count: String(counted) }
    return { row, truth: keys(given) }
  }
  const each = ids.map((id, at) => counts(id, [at]))
  const all = ids.length > 1 ? [...each, counts('', [...ids.keys()])] : each
  return {
    answered: [...changes, ...all.map(({ row }) => row)],
    truth: new Map(all.map(({ row, truth }) => [row.snapshot, truth])),
  }
}

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
test(`the keys of a snapshot lie between the least and the most, seed ${seed}`, () => {
  fc.assert(
    fc.property(partitions, given => {
      const { answered, truth } = inspect(given)
      for (const { snapshot, key_count: most, least_keys: least = most } of parseChanges(answered, {
        snapshots: [],
      }).inspections) {
        expect(least).toBeLessThanOrEqual(truth.get(snapshot) ?? 0)
        expect(most).toBeGreaterThanOrEqual(truth.get(snapshot) ?? 0)
      }
    }),
    { seed, numRuns: Number(process.env.RUNS ?? 300) },
  )
})
