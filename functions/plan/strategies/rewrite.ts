/** Strategy rewrite: the newest row of each key, old and new, and staging swapped in one job. */
import type { Column } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { planJob, planQuery, type RunContext } from '../job.ts'
import { MODELS } from '../models/index.ts'
import { sqlRows, sqlTogether } from '../models/unique.ts'
import type { JobBody, PendingSnapshot, RunState, TableColumn } from '../run-plan.ts'
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

/** Under `missing_rows: delete` nothing is appended: staging becomes the newest snapshot. */
export function planAppend(
  context: RunContext,
  snapshots: readonly PendingSnapshot[],
  state: RunState,
): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const create = state.staging
    ? planNewColumns(context, state.staging.columns)
    : [planQuery(context, 'append', sqlCreateStaging(feed, staging))]
  if (feed.model.missingRows === 'delete') return create
  const copies = snapshots.map(({ id }) =>
    planJob(context, 'append', {
      copy: {
        sourceTable: landingOf(context, id),
        destinationTable: staging,
        createDisposition: 'CREATE_NEVER',
        writeDisposition: 'WRITE_APPEND',
      },
    }),
  )
  return [...create, ...copies]
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
  return [planQuery(context, 'restore', rows, write)]
}

/** WRITE_TRUNCATE_DATA swaps the rows and keeps policy tags, row access policies, constraints and NOT NULL. */
function planSwap(context: RunContext, query: Sql): JobBody {
  return planQuery(context, 'deduplicate', query, {
    destinationTable: stagingOf(context.feed, context.warehouse),
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  })
}

export function planDeduplicate(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const { feed, warehouse } = context
  const newest = snapshots.at(-1)
  const mirrors = feed.model.missingRows === 'delete' && newest !== undefined
  const table = mirrors ? landingOf(context, newest.id) : stagingOf(feed, warehouse)
  return [planSwap(context, MODELS[feed.model.kind].newest(feed, [{ table }]))]
}

/** What is known of staging's partitions before it is rewritten. */
export interface Older {
  /** The rows of staging outside the partitions that landing replaces whole; absent where that is all of them. */
  readonly where?: Sql | undefined
  /** None of those rows is of a partition that landed. */
  readonly apart: boolean
}

/** Where every row of landing wins, nothing is appended: what landed, and the rows of staging whose key it lacks. */
export function planNewerOver(context: RunContext, landing: TableRef, { where, apart }: Older): JobBody {
  const { feed, warehouse } = context
  const newer = { table: landing }
  if (feed.model.missingRows === 'delete') return planSwap(context, sqlRows(feed, newer))
  const staging = { table: stagingOf(feed, warehouse), where }
  const kept = apart ? sqlRows(feed, staging) : MODELS[feed.model.kind].leftOver(feed, newer, staging)
  return planSwap(context, sqlTogether([sqlRows(feed, newer), kept]))
}
