/** The fingerprints of a feed's partitions: one small table in the staging dataset, true for one run only. */
import type { Feed } from '../../../feed/feed.ts'
import type { TableRef } from '../../../feed/names.ts'
import type { SnapshotId } from '../../../feed/snapshot-id.ts'
import { hashOf } from '../../ids.ts'
import { planQuery, type RunContext } from '../../job.ts'
import { sqlPartitionStart } from '../../partitions.ts'
import type { JobBody } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText } from '../../sql.ts'
import { fingerprintsOf, scratchOf, sqlFrom } from '../../tables.ts'

/** What makes two partitions equal. */
export const MEASURES = ['partition_rows', 'high', 'middle', 'low'] as const
/** The same of the keys alone: two partitions of which these and the rows' number agree have the same keys. */
export const KEY_MEASURES = ['key_high', 'key_middle', 'key_low'] as const
const ALL_MEASURES = [...MEASURES, ...KEY_MEASURES]

const COLUMNS: readonly (readonly [name: string, type: Sql])[] = [
  ['partition_start', sql`STRING`],
  ...ALL_MEASURES.map(name => [name, sql`INT64`] as const),
  // Rows of staging, which may have kept some that the snapshot lacks.
  ['staging_rows', sql`INT64`],
  // No key in two rows and none NULL, as far as the run that wrote the partition counted.
  ['proven', sql`BOOL`],
  ['run', sql`STRING`],
  ['layout', sql`STRING`],
]
const names = sqlJoin(COLUMNS.map(([name]) => sqlName(name)))

/**
 * What the rows of staging depend on beside those of the snapshot: with another key, other columns or other gates
 * an equal partition has to be looked at again.
 */
export function layoutOf({ table, model, gates }: Feed): string {
  const columns = table.columns.map(({ name, type }) => [name, type])
  return hashOf({ columns, partition: table.partition, model, gates })
}

export function sqlCreateFingerprints({ feed, warehouse }: RunContext): Sql {
  const columns = COLUMNS.map(([name, type]) => sql`  ${sqlName(name)} ${type}`)
  return sql`CREATE TABLE IF NOT EXISTS ${fingerprintsOf(feed, warehouse)} (\n${sqlJoin(columns, ',\n')}\n)`
}

/**
 * How many rows staging has of a partition that was written. `landed`: those of the snapshot; `more`: as many as `table`
 * has beside them; `only`: as many as `table` has; `all`: as many as `table` has, also of partitions that were not.
 */
export type StagedRows =
  | { readonly kind: 'landed' }
  | { readonly kind: 'more' | 'only' | 'all'; readonly table: TableRef }

/** Fingerprints that hold from now on. */
export interface Fresh {
  readonly newest: SnapshotId
  /** Whether the partitions that differ were found unique by key. */
  readonly proven: boolean
  readonly staged: StagedRows
}

/** The rows of staging after the run, and what they are counted from. */
function sqlStaged(context: RunContext, changed: Sql, staged: StagedRows): { rows: Sql; join: Sql } {
  if (staged.kind === 'landed')
    return { rows: sql`IF(${changed}, partition_rows, staging_rows)`, join: sql`` }
  const { feed } = context
  const counted = sql`IFNULL(made.made_rows, 0)`
  const join = sql`
LEFT JOIN (
  SELECT ${sqlPartitionStart(feed)} AS partition_start, COUNT(*) AS made_rows
  FROM ${sqlFrom(feed, staged.table)}
  GROUP BY 1
) AS made USING (partition_start)`
  if (staged.kind === 'all') return { rows: counted, join }
  const rows = staged.kind === 'only' ? counted : sql`partition_rows + ${counted}`
  return { rows: sql`IF(${changed}, ${rows}, staging_rows)`, join }
}

function sqlFreshFingerprints(context: RunContext, { newest, proven, staged }: Fresh): Sql {
  const changes = scratchOf(context, 'changes')
  const changed = sql`partition_start IN (SELECT partition_start FROM ${changes} WHERE change = 'changed')`
  const { rows, join } = sqlStaged(context, changed, staged)
  return sql`SELECT
  partition_start, ${sqlJoin(ALL_MEASURES.map(sqlName))},
  ${rows} AS staging_rows,
  IF(${changed}, ${proven ? sql`TRUE` : sql`FALSE`}, proven) AS proven,
  ${sqlText(context.run)} AS run,
  ${sqlText(layoutOf(context.feed))} AS layout
FROM ${changes}${join}
WHERE snapshot = ${sqlText(newest)} AND change <> 'vanished'`
}

/** For a script that writes staging: both are there afterwards, or neither. Without `fresh` none are true any more. */
export function sqlReplaceFingerprints(context: RunContext, fresh: Fresh | undefined): Sql[] {
  const table = fingerprintsOf(context.feed, context.warehouse)
  const remove = sql`DELETE FROM ${table} WHERE TRUE`
  if (!fresh) return [remove]
  return [remove, sql`INSERT INTO ${table} (${names})\n${sqlFreshFingerprints(context, fresh)}`]
}

/** After a rewrite. Were it to fail, the fingerprints would be those of an earlier run, and equal to nothing. */
export function planFingerprints(context: RunContext, fresh: Fresh): JobBody {
  return planQuery(context, 'deduplicate', sqlFreshFingerprints(context, fresh), {
    destinationTable: fingerprintsOf(context.feed, context.warehouse),
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  })
}
