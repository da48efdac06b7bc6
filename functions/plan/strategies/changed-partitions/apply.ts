/** Strategy changed-partitions: exactly the partitions that differ are taken out of staging and put back, at once. */
import type { TableRef } from '../../../feed/names.ts'
import { planQuery, type RunContext } from '../../job.ts'
import { sqlLeftOver, sqlNewestRows, sqlRows, sqlTogether } from '../../models/unique.ts'
import { type PartitionStart, sqlInPartitions } from '../../partitions.ts'
import type { JobBody } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin } from '../../sql.ts'
import { scratchOf, stagingOf } from '../../tables.ts'
import { type Fresh, type StagedRows, sqlReplaceFingerprints } from './fingerprints.ts'

export interface Replacement {
  /** Landing tables, oldest first. */
  readonly landing: readonly TableRef[]
  /** Partitions whose rows are made anew. */
  readonly changed: readonly PartitionStart[]
  /** Those of them in which staging may have rows that the snapshot lacks. */
  readonly mixed: readonly PartitionStart[]
  /** Partitions that go. */
  readonly deleted: readonly PartitionStart[]
  /** Proven: every row of landing beats every one of staging, and no key is in two. */
  readonly newer: boolean
  /** The fingerprints that hold from now on. */
  readonly fresh: Omit<Fresh, 'staged'> | undefined
}

const LANDED: StagedRows = { kind: 'landed' }

/** Rows of the partitions that differ as they are to be, and the jobs that make them ready. */
interface Ready {
  readonly jobs: readonly JobBody[]
  readonly rows: Sql
  readonly staged: StagedRows
}

/** What landed is taken from landing itself; only what staging has beside it is written down before it goes. */
function planNewer(context: RunContext, landing: TableRef, { changed, mixed }: Replacement): Ready {
  const { feed, warehouse } = context
  const rows = sqlRows(feed, { table: landing, where: sqlInPartitions(feed, changed) })
  if (mixed.length === 0 || feed.model.missingRows === 'delete') return { jobs: [], rows, staged: LANDED }
  const kept = scratchOf(context, 'kept')
  const where = sqlInPartitions(feed, mixed)
  const staging = { table: stagingOf(feed, warehouse), where }
  const leftOver = sqlLeftOver(feed, { table: landing, where }, staging)
  return {
    jobs: [planScratch(context, leftOver, kept)],
    rows: sqlTogether([rows, sqlRows(feed, { table: kept })]),
    staged: { kind: 'more', table: kept },
  }
}

function planNewest(context: RunContext, { landing, changed }: Replacement): Ready {
  const { feed, warehouse } = context
  const where = sqlInPartitions(feed, changed)
  const landed = landing.map(table => ({ table, where }))
  const staging = { table: stagingOf(feed, warehouse), where }
  const sources = feed.model.missingRows === 'delete' ? landed : [staging, ...landed]
  const merged = scratchOf(context, 'merged')
  return {
    jobs: [planScratch(context, sqlNewestRows(feed, sources), merged)],
    rows: sqlRows(feed, { table: merged }),
    staged: { kind: 'only', table: merged },
  }
}

const planScratch = (context: RunContext, rows: Sql, destinationTable: TableRef): JobBody =>
  planQuery(context, 'deduplicate', rows, {
    destinationTable,
    createDisposition: 'CREATE_IF_NEEDED',
    writeDisposition: 'WRITE_TRUNCATE',
  })

/**
 * The rows are made ready first, then swapped in one transaction: readers of staging, and a run that is resumed, see
 * all of it or nothing. docs.cloud.google.com/bigquery/docs/transactions
 */
export function planReplace(context: RunContext, replacement: Replacement): JobBody[] {
  const { feed, warehouse } = context
  const { landing, changed, deleted, newer, fresh } = replacement
  const staging = stagingOf(feed, warehouse)
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const [only] = landing
  const ready = newer && only ? planNewer(context, only, replacement) : planNewest(context, replacement)
  const writes = changed.length > 0
  const statements = [
    sql`BEGIN TRANSACTION`,
    sql`DELETE FROM ${staging}\nWHERE ${sqlInPartitions(feed, [...changed, ...deleted])}`,
    ...(writes ? [sql`INSERT INTO ${staging} (${columns})\n${ready.rows}`] : []),
    ...sqlReplaceFingerprints(context, fresh && { ...fresh, staged: writes ? ready.staged : LANDED }),
    sql`COMMIT TRANSACTION`,
  ]
  const swap = planQuery(context, 'deduplicate', sql`${sqlJoin(statements, ';\n\n')};`)
  return writes ? [...ready.jobs, swap] : [swap]
}
