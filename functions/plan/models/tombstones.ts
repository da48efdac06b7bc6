/** The table of tombstones beside staging: made, brought up to date, saved and put back with it. */
import type { Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot, RunPlan, SavedTable } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlType } from '../sql.ts'
import { landingOf, rollbackPointOf, tombstonesAt, tombstonesOf } from '../tables.ts'
import { sqlTombstones, tombstoneColumns } from './deletes.ts'
import { type RowsOf, sqlNewestFirst } from './unique.ts'

/** A mirror of the newest snapshot has nothing to remember: no older one is applied after it. */
export const hasTombstones = ({ model }: Feed): boolean =>
  model.deleteWhen !== undefined && model.missingRows === 'keep'

/** Nothing hangs on the table, and its columns follow the feed's. */
const REPLACE = { createDisposition: 'CREATE_NEVER', writeDisposition: 'WRITE_TRUNCATE' } as const
const planWrite = (context: RunContext, stage: 'deduplicate' | 'restore', query: Sql): JobBody =>
  planQuery(context, stage, query, {
    destinationTable: tombstonesOf(context.feed, context.warehouse),
    ...REPLACE,
  })

/** The tombstones as a source of rows: they are older than what landed, and newer than staging where they tie with it. */
export const tombstonesIn = ({ feed, warehouse }: RunContext): RowsOf[] =>
  hasTombstones(feed) ? [{ table: tombstonesOf(feed, warehouse), tombstones: true }] : []

export function planCreateTombstones(
  context: RunContext,
  stage: 'append' | 'deduplicate' = 'append',
): JobBody[] {
  const { feed, warehouse } = context
  if (!hasTombstones(feed)) return []
  const table = tombstonesOf(feed, warehouse)
  const columns = tombstoneColumns(feed).map(({ name, type }) => sql`${name} ${sqlType(type)}`)
  const create = sql`CREATE TABLE IF NOT EXISTS ${table} (\n  ${sqlJoin(columns, ',\n  ')}\n)`
  // The feed may have got another sequence since: what was deleted before is older than any value of it.
  const add = columns.map(column => sql`ADD COLUMN IF NOT EXISTS ${column}`)
  const widen = sql`ALTER TABLE ${table}\n  ${sqlJoin(add, ',\n  ')}`
  return [create, widen].map(query => planQuery(context, stage, query))
}

/** Before staging is written, so that it finds there what is gone. A rerun changes nothing. */
export function planTombstones(
  context: RunContext,
  snapshots: readonly Pick<PendingSnapshot, 'id'>[],
): JobBody[] {
  const { feed, warehouse } = context
  if (!hasTombstones(feed)) return []
  const landed = snapshots.map(({ id }) => landingOf(context, id))
  const query = sqlTombstones(feed, tombstonesOf(feed, warehouse), landed, sqlNewestFirst(feed, true))
  return [planWrite(context, 'deduplicate', query)]
}

/** What is saved of them with the rollback point. */
export function besideOf(feed: Feed, rollbackPoint: TableRef): Pick<RunPlan, 'beside'> {
  if (!hasTombstones(feed)) return {}
  const columns = tombstoneColumns(feed).map(({ name }) => name)
  return { beside: [{ table: tombstonesAt(rollbackPoint), columns }] }
}

export function planSaveTombstones(context: RunContext): JobBody[] {
  const { feed, warehouse } = context
  if (!hasTombstones(feed)) return []
  const save = sql`CREATE SNAPSHOT TABLE IF NOT EXISTS ${tombstonesAt(rollbackPointOf(context))}
CLONE ${tombstonesOf(feed, warehouse)}
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL ${feed.refresh.rollbackDays} DAY))`
  return [planQuery(context, 'save', save)]
}

/** `saved`: the tables of that time; where the tombstones are not among them, there were none. */
export function planRestoreTombstones(
  context: RunContext,
  stage: 'deduplicate' | 'restore',
  saved: readonly SavedTable[] = [],
): JobBody[] {
  const { feed, warehouse } = context
  if (!hasTombstones(feed)) return []
  const [point] = saved
  const columns = tombstoneColumns(feed).map(({ name, type }) =>
    !point || point.columns.includes(name) ? sql`${name}` : sql`CAST(NULL AS ${sqlType(type)}) AS ${name}`,
  )
  const query = point
    ? sql`SELECT ${sqlJoin(columns)}\nFROM ${point.table}`
    : sql`SELECT ${sqlJoin(columns)}\nFROM ${tombstonesOf(feed, warehouse)}\nWHERE FALSE`
  return [planWrite(context, stage, query)]
}
