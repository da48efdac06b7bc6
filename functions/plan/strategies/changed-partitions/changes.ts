/** What inspect found of each partition, read from the rows of its jobs. */

import type { PartitionStart } from '../../partitions.ts'
import type { PlannedSnapshot, RunPlan } from '../../run-plan.ts'
import { countOf, type Inspection, parseInspections, type ResultRow } from '../../stages/inspect.ts'

export interface PartitionChange {
  readonly snapshot: string
  readonly start: PartitionStart
  /** `vanished`: the newest snapshot has no row of it, the one before had. */
  readonly change: 'equal' | 'changed' | 'vanished'
  readonly rows: number
  readonly outside: number
  /** The last snapshot had every key of it once, and none NULL. */
  readonly proven: boolean
  /** It has the same keys as then, each once: nobody had to count them. */
  readonly sameKeys: boolean
  /** Rows of it were loaded. */
  readonly landed: boolean
  /** Rows that staging has of it; `undefined` where nobody knows. */
  readonly stagingRows: number | undefined
}

function parseChange(row: ResultRow): PartitionChange {
  const { snapshot, partition_start: start, change } = row
  if (typeof snapshot !== 'string' || typeof start !== 'string')
    throw new Error('inspect answered a partition without a name')
  if (change !== 'equal' && change !== 'changed' && change !== 'vanished')
    throw new Error(`inspect answered ${change} for partition ${start}`)
  const vanished = change === 'vanished'
  return {
    snapshot,
    start,
    change,
    rows: vanished ? 0 : countOf(row, 'partition_rows'),
    outside: vanished ? 0 : countOf(row, 'outside_rows'),
    proven: row.proven === 'true',
    sameKeys: row.same_keys === 'true',
    landed: typeof row.partition_value === 'string',
    stagingRows: typeof row.staging_rows === 'string' ? countOf(row, 'staging_rows') : undefined,
  }
}

/** Partitions that differ in any of the snapshots. */
export const startsOf = (
  changes: readonly PartitionChange[],
  kind: PartitionChange['change'],
): ReadonlySet<PartitionStart> =>
  new Set(changes.filter(({ change }) => change === kind).map(({ start }) => start))

/**
 * Partitions of which staging has the keys of the snapshot and no others: it had those of the last snapshot at least, and has
 * no more rows. What landed takes the place of all of it.
 */
export const isReplaced = ({ change, sameKeys, rows, stagingRows }: PartitionChange): boolean =>
  change !== 'vanished' && sameKeys && stagingRows === rows

const sum = (changes: readonly PartitionChange[], of: 'rows' | 'outside') =>
  changes.reduce((total, change) => total + change[of], 0)

export interface ChangesFound {
  readonly changes: readonly PartitionChange[]
  /** Of all rows that landed, as the gates want them. */
  readonly inspections: readonly Inspection[]
  /** Of the partitions that differ alone: keys, duplicates and NULL keys were counted there, or known before. */
  readonly counted: readonly Inspection[]
}

/**
 * Keys of the partitions that were not counted. An equal one that is proven has as many as rows. Of any other, in which
 * somebody let duplicates pass, no more is known than that its rows are the most, and one is the least.
 */
function uncountedKeys(landed: readonly PartitionChange[], changed: ReadonlySet<PartitionStart>) {
  const most = new Map<PartitionStart, number>()
  const least = new Map<PartitionStart, number>()
  for (const { start, rows, proven } of landed) {
    if (changed.has(start)) continue
    most.set(start, Math.max(rows, most.get(start) ?? 0))
    least.set(start, Math.max(proven ? rows : Math.min(rows, 1), least.get(start) ?? 0))
  }
  const total = (keys: ReadonlyMap<PartitionStart, number>) => [...keys.values()].reduce((a, b) => a + b, 0)
  return { most: total(most), least: total(least) }
}

function addKnown(counted: Inspection, all: readonly PartitionChange[]): Inspection {
  const known = sum(
    all.filter(({ change, sameKeys }) => change === 'changed' && sameKeys),
    'rows',
  )
  return { ...counted, row_count: counted.row_count + known, key_count: counted.key_count + known }
}

function complete(counted: Inspection, all: readonly PartitionChange[]): Inspection {
  const changed = startsOf(all, 'changed')
  const mine = all.filter(({ snapshot, change }) => snapshot === counted.snapshot && change !== 'vanished')
  const landed = counted.snapshot === '' ? all : mine
  const { most, least } = uncountedKeys(landed, changed)
  return {
    ...counted,
    row_count: sum(landed, 'rows'),
    key_count: counted.key_count + most,
    ...(least < most && { least_keys: counted.key_count + least }),
    null_partition_rows: sum(
      landed.filter(({ start }) => start === ''),
      'rows',
    ),
    outside_rows: sum(landed, 'outside'),
  }
}

/** Partitions whose objects were not loaded, and of which no fingerprint is left: their rows are known all the same. */
function addSkipped(found: readonly PartitionChange[], { snapshots }: Pick<RunPlan, 'snapshots'>) {
  const names = new Set(found.map(({ start }) => start))
  const more = snapshots.flatMap(({ id, skipped }) =>
    (skipped?.partitions ?? [])
      .filter(({ start }) => !names.has(start))
      .map(({ start, rows }): PartitionChange => {
        const [proven, sameKeys, landed, stagingRows] = [false, false, false, undefined]
        return {
          snapshot: id,
          start,
          change: 'equal',
          rows,
          outside: 0,
          proven,
          sameKeys,
          landed,
          stagingRows,
        }
      }),
  )
  return [...found, ...more]
}

export function parseChanges(rows: readonly ResultRow[], plan: Pick<RunPlan, 'snapshots'>): ChangesFound {
  const changes = addSkipped(rows.filter(({ change }) => change !== undefined).map(parseChange), plan)
  const counted = parseInspections(rows).map(found => addKnown(found, changes))
  return { changes, counted, inspections: counted.map(found => complete(found, changes)) }
}

/** Rows of each partition of the newest snapshot, for a run that does not load all of them again. */
export const rowsByPartition = (
  changes: readonly PartitionChange[],
  newest: string,
): Readonly<Record<PartitionStart, number>> =>
  Object.fromEntries(
    changes
      .filter(({ snapshot, change }) => snapshot === newest && change !== 'vanished')
      .map(({ start, rows }) => [start, rows]),
  )

/** The newest snapshot's rows, and those of them in partitions that differ. */
export function shareOfRows(
  changes: readonly PartitionChange[],
  newest: PlannedSnapshot | undefined,
): { readonly all: number; readonly changed: number } {
  const changed = startsOf(changes, 'changed')
  const landed = changes.filter(({ snapshot }) => snapshot === newest?.id)
  return {
    all: sum(landed, 'rows'),
    changed: sum(
      landed.filter(({ start }) => changed.has(start)),
      'rows',
    ),
  }
}
