/** Stage inspect: counts over landing's key columns, by which `verify` decides. */
import type { Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlText } from '../sql.ts'
import { landingOf } from '../tables.ts'

/** One row of an inspect job. `snapshot` is empty in the row over all snapshots of the run together. */
export interface Inspection {
  readonly snapshot: string
  readonly row_count: number
  readonly key_count: number
  /** Keys that stand in more than one row. */
  readonly duplicate_keys: number
  /** Rows with a NULL in a key column. */
  readonly null_key_rows: number
}

function sqlInspect(feed: Feed, snapshot: string, tables: readonly TableRef[]): Sql {
  const { key } = feed.model
  const keys = sqlJoin(key)
  const rows = sqlJoin(
    tables.map(table => sql`SELECT ${keys} FROM ${table}`),
    '\n    UNION ALL\n    ',
  )
  const from = tables.length === 1 && tables[0] ? sql`${tables[0]}` : sql`(\n    ${rows}\n  )`
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(has_null, copies, 0)), 0) AS null_key_rows
FROM (
  SELECT ${keys}, COUNT(*) AS copies, ${sqlJoin(
    key.map(name => sql`${name} IS NULL`),
    ' OR ',
  )} AS has_null
  FROM ${from}
  GROUP BY ${keys}
)`
}

/** A job for each snapshot, and one over all of them where there are several. */
export function planInspect(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const each = snapshots.map(({ id }) => sqlInspect(context.feed, id, [landingOf(context, id)]))
  const all = sqlInspect(
    context.feed,
    '',
    snapshots.map(({ id }) => landingOf(context, id)),
  )
  return (snapshots.length > 1 ? [...each, all] : each).map(query => planQuery(context, 'inspect', query))
}
