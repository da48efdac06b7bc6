/** The fingerprints of a feed's partitions: one small table in the staging dataset, true for one run only. */
import type { Feed } from '../../../feed/feed.ts'
import type { SnapshotId } from '../../../feed/snapshot-id.ts'
import { hashOf } from '../../ids.ts'
import { planQuery, type RunContext } from '../../job.ts'
import type { JobBody } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText } from '../../sql.ts'
import { fingerprintsOf, scratchOf } from '../../tables.ts'

/** What makes two partitions equal. */
export const MEASURES = ['partition_rows', 'high', 'middle', 'low'] as const

const COLUMNS: readonly (readonly [name: string, type: Sql])[] = [
  ['partition_start', sql`STRING`],
  ...MEASURES.map(name => [name, sql`INT64`] as const),
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

/** Fingerprints that hold from now on. */
export interface Fresh {
  readonly newest: SnapshotId
  /** Whether the partitions that differ were found unique by key. */
  readonly proven: boolean
}

function sqlFreshFingerprints(context: RunContext, { newest, proven }: Fresh): Sql {
  const changes = scratchOf(context, 'changes')
  const measures = sqlJoin(MEASURES.map(sqlName))
  const counted = sql`partition_start IN (SELECT partition_start FROM ${changes} WHERE change = 'changed')`
  return sql`SELECT
  partition_start, ${measures},
  IF(${counted}, ${proven ? sql`TRUE` : sql`FALSE`}, proven) AS proven,
  ${sqlText(context.run)} AS run,
  ${sqlText(layoutOf(context.feed))} AS layout
FROM ${changes}
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
