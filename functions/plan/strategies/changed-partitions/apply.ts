/** Strategy changed-partitions: exactly the partitions that differ are taken out of staging and put back, at once. */
import type { TableRef } from '../../../feed/names.ts'
import { planQuery, type RunContext } from '../../job.ts'
import { MODELS } from '../../models/index.ts'
import { sqlRows } from '../../models/unique.ts'
import { type PartitionStart, sqlInPartitions } from '../../partitions.ts'
import type { JobBody } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin } from '../../sql.ts'
import { scratchOf, sqlFrom, stagingOf } from '../../tables.ts'
import { type Fresh, sqlReplaceFingerprints } from './fingerprints.ts'

export interface Replacement {
  /** Landing tables, oldest first. */
  readonly landing: readonly TableRef[]
  /** Partitions whose rows are made anew. */
  readonly changed: readonly PartitionStart[]
  /** Partitions that go. */
  readonly deleted: readonly PartitionStart[]
  /** Proven: every row of landing beats every one of staging, and no key is in two. */
  readonly newer: boolean
  /** The fingerprints that hold from now on. */
  readonly fresh: Fresh | undefined
}

function sqlMerged({ feed, warehouse }: RunContext, { landing, changed, newer }: Replacement): Sql {
  const { newest, newerOver } = MODELS[feed.model.kind]
  const where = sqlInPartitions(feed, changed)
  const landed = landing.map(table => ({ table, where }))
  const staging = { table: stagingOf(feed, warehouse), where }
  const [only] = landed
  const mirrors = feed.model.missingRows === 'delete'
  if (newer && only) return mirrors ? sqlRows(feed, only) : newerOver(feed, only, staging)
  return newest(feed, mirrors ? landed : [staging, ...landed])
}

/**
 * The rows are made ready first, then swapped in one transaction: readers of staging, and a run that is resumed, see
 * all of it or nothing. docs.cloud.google.com/bigquery/docs/transactions
 */
export function planReplace(context: RunContext, replacement: Replacement): JobBody[] {
  const { feed, warehouse } = context
  const { changed, deleted, fresh } = replacement
  const staging = stagingOf(feed, warehouse)
  const merged = scratchOf(context, 'merged')
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const merge = planQuery(context, 'deduplicate', sqlMerged(context, replacement), {
    destinationTable: merged,
    createDisposition: 'CREATE_IF_NEEDED',
    writeDisposition: 'WRITE_TRUNCATE',
  })
  const statements = [
    sql`BEGIN TRANSACTION`,
    sql`DELETE FROM ${staging}\nWHERE ${sqlInPartitions(feed, [...changed, ...deleted])}`,
    ...(changed.length > 0
      ? [sql`INSERT INTO ${staging} (${columns})\nSELECT ${columns}\nFROM ${sqlFrom(feed, merged)}`]
      : []),
    ...sqlReplaceFingerprints(context, fresh),
    sql`COMMIT TRANSACTION`,
  ]
  const swap = planQuery(context, 'deduplicate', sql`${sqlJoin(statements, ';\n\n')};`)
  return changed.length > 0 ? [merge, swap] : [swap]
}
