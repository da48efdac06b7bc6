/** Strategy rewrite: the newest row of each key, old and new, and staging swapped in one job. */
import type { Column } from '../../feed/feed.ts'
import { planQuery, type RunContext } from '../job.ts'
import {
  planCreateTombstones,
  planRestoreTombstones,
  planTombstones,
  tombstonesIn,
} from '../models/tombstones.ts'
import { sqlLeftOver, sqlLiveRows, sqlNewestRows, sqlRows, sqlTogether } from '../models/unique.ts'
import type { JobBody, PendingSnapshot, PlannedSnapshot, RunState, TableColumn } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlType } from '../sql.ts'
import { landingOf, sqlCreateStaging, sqlFrom, stagingOf } from '../tables.ts'

/** Columns of the feed that the table does not have yet. */
const newColumns = ({ feed }: RunContext, actual: readonly TableColumn[]): readonly Column[] => {
  const known = new Set(actual.map(({ name }) => name.toLowerCase()))
  return feed.table.columns.filter(({ name }) => !known.has(name.toLowerCase()))
}

function planNewColumns(context: RunContext, actual: readonly TableColumn[]): JobBody[] {
  const added = newColumns(context, actual)
  if (added.length === 0) return []
  const parts = added.map(({ name, type }) => sql`ADD COLUMN IF NOT EXISTS ${name} ${sqlType(type)}`)
  const staging = stagingOf(context.feed, context.warehouse)
  return [planQuery(context, 'append', sql`ALTER TABLE ${staging}\n  ${sqlJoin(parts, ',\n  ')}`)]
}

/** Nothing is copied: what landed and staging are read side by side, so that it is known which row came later. */
export function planAppend(context: RunContext, state: RunState): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const create = state.staging
    ? planNewColumns(context, state.staging.columns)
    : [planQuery(context, 'append', sqlCreateStaging(feed, staging))]
  return [...create, ...planCreateTombstones(context)]
}

/** Run only when staging is not what it should be: back to what was published last, or to nothing. */
export function planRestore(context: RunContext, state: RunState): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const fresh = state.staging ? newColumns(context, state.staging.columns) : []
  // What was published last does not have the columns that this run adds.
  const columns = sqlJoin(
    feed.table.columns.map(column =>
      fresh.includes(column)
        ? sql`CAST(NULL AS ${sqlType(column.type)}) AS ${column.name}`
        : sql`${column.name}`,
    ),
  )
  const point = state.last?.rollbackPoint
  const rows = point
    ? sql`SELECT ${columns}\nFROM ${point}`
    : sql`SELECT ${columns}\nFROM ${sqlFrom(feed, staging)}\nWHERE FALSE`
  const write = {
    destinationTable: staging,
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  }
  const tombstones = planRestoreTombstones(context, 'restore', state.last?.beside)
  return [planQuery(context, 'restore', rows, write), ...tombstones]
}

/** WRITE_TRUNCATE_DATA swaps the rows and keeps policy tags, row access policies, constraints and NOT NULL. */
function planSwap(context: RunContext, query: Sql): JobBody {
  return planQuery(context, 'deduplicate', query, {
    destinationTable: stagingOf(context.feed, context.warehouse),
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  })
}

/** Under `missing_rows: delete` staging becomes the newest snapshot; else snapshots count as later in their order. */
export function planDeduplicate(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const { feed, warehouse } = context

  const landed = snapshots.map(({ id }) => ({ table: landingOf(context, id) }))
  if (feed.model.missingRows === 'delete') return [planSwap(context, sqlNewestRows(feed, landed.slice(-1)))]
  const sources = [{ table: stagingOf(feed, warehouse) }, ...tombstonesIn(context), ...landed]
  return [...planTombstones(context, snapshots), planSwap(context, sqlNewestRows(feed, sources))]
}

/** What is known of staging's partitions before it is rewritten. */
export interface Older {
  /** The rows of staging outside the partitions that landing replaces whole; absent where that is all of them. */
  readonly where?: Sql | undefined
  /** None of those rows is of a partition that landed. */
  readonly apart: boolean
}

/** Where every row of landing wins nothing is sorted: what landed, and the rows of staging whose key it lacks. */
export function planNewerOver(
  context: RunContext,
  { id, landing }: PlannedSnapshot,
  { where, apart }: Older,
): JobBody[] {
  const { feed, warehouse } = context
  const newer = { table: landing }
  const landed = sqlLiveRows(feed, newer)
  if (feed.model.missingRows === 'delete') return [planSwap(context, landed)]
  const staging = { table: stagingOf(feed, warehouse), where }
  const kept = apart ? sqlRows(feed, staging) : sqlLeftOver(feed, newer, staging)
  return [...planTombstones(context, [{ id }]), planSwap(context, sqlTogether([landed, kept]))]
}
