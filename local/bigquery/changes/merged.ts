/** A table with its waiting changes merged in, as text that DuckDB can read FROM. */
import type { Draft } from '../catalogue/draft.ts'
import { heldSegments, type Segment, segmentName, type TableEntry } from '../catalogue/entry.ts'
import { duckColumnType, type Field, quote } from '../catalogue/field.ts'
import { sqlEveryRow, sqlRelation, sqlUnexpired } from '../catalogue/relation.ts'
import { deletedColumn, positionColumn } from './columns.ts'
import { encodeArrival, sqlArrival } from './position.ts'
import { needsMerge } from './staleness.ts'

/** Deletes that were applied are kept for two days (https://cloud.google.com/bigquery/docs/change-data-capture#deleted_data_considerations). */
const deleteRetention = 2 * 86_400_000

const position = quote(positionColumn)
const deleted = quote(deletedColumn)

function sqlHeld(field: Field, held: ReadonlySet<string>): string {
  const name = quote(field.name)
  return held.has(field.name) ? name : `NULL::${duckColumnType(field)} AS ${name}`
}

/** Changes of one segment. Columns that were added to the table since are NULL in it. */
function sqlChanges(schema: readonly Field[], segment: Segment, gone: string, where: string): string {
  const held = new Set(segment.columns.map(column => column.name))
  const columns = schema.map(field => sqlHeld(field, held))
  return `SELECT ${columns.join(', ')}, ${position}, ${gone} AS ${deleted} FROM ${segmentName(segment.id)} WHERE ${where}`
}

/** A condition for deletes that are still kept at `draft`'s time. */
function sqlKept(draft: Draft): string {
  const oldest = Math.max(0, draft.now - deleteRetention)
  return `${sqlArrival(position)} >= '${encodeArrival(oldest * 1000)}'`
}

/** The newest change of every key, deletes among them: the table's columns, the position and whether it is a delete. */
export function sqlNewest(table: TableEntry, draft: Draft): string {
  const { schema, upserts, primaryKey = [] } = table
  const logs = (upserts?.waiting ?? []).map(({ segment }) => {
    // What arrives while this text runs is not part of it.
    const where = `rowid < ${draft.arrived(segment)}`
    return sqlChanges(schema, draft.segment(segment), deleted, where)
  })
  const kept = upserts?.deletes
  if (kept !== undefined) logs.push(sqlChanges(schema, draft.segment(kept), 'true', sqlKept(draft)))
  const key = primaryKey.map(quote).join(', ')
  const all = `(${logs.join(' UNION ALL ')})`
  // No two changes have the same position. DuckDB 1.5 fails on QUALIFY row_number() = 1 in a materialized CTE.
  return `SELECT * FROM ${all} WHERE ${position} IN (SELECT max(${position}) FROM ${all} GROUP BY ${key})`
}

/** The latest arrival of all that is kept, as `arrival`; `undefined` when no change is. */
export function sqlLatestArrival(table: TableEntry, draft: Draft): string | undefined {
  const parts = heldSegments(table)
    .map(id => draft.segment(id))
    .filter(segment => segment.columns.some(column => column.name === positionColumn))
    .map(({ id }) => `SELECT max(${sqlArrival(position)}) AS arrival FROM ${segmentName(id)}`)
  return parts.length === 0 ? undefined : `SELECT max(arrival) AS arrival FROM (${parts.join(' UNION ALL ')})`
}

/** The table's own rows with their positions. */
function sqlBase(table: TableEntry, draft: Draft): string {
  const extra = (segment: Segment) =>
    segment.columns.some(column => column.name === positionColumn)
      ? `coalesce(${position}, '') AS ${position}`
      : `'' AS ${position}`
  const columns = table.schema.map(f => `NULL::${duckColumnType(f)} AS ${quote(f.name)}`)
  return sqlEveryRow(table, draft, extra) ?? `SELECT ${columns.join(', ')}, '' AS ${position} WHERE false`
}

/** The rows after the changes, with their positions. `newest` is what `sqlNewest` says, or a table that holds it. */
export function sqlApplied(table: TableEntry, draft: Draft, newest: string): string {
  const columns = (from: string) =>
    [...table.schema.map(f => f.name), positionColumn].map(name => `${from}.${quote(name)}`).join(', ')
  const same = (table.primaryKey ?? []).map(name => `b.${quote(name)} = n.${quote(name)}`).join(' AND ')
  const all = `WITH newest AS MATERIALIZED (${newest}), base AS NOT MATERIALIZED (${sqlBase(table, draft)})
    SELECT ${columns('b')} FROM base AS b ANTI JOIN newest AS n ON ${same} AND n.${position} > b.${position}
    UNION ALL
    SELECT ${columns('n')} FROM (FROM newest WHERE NOT ${deleted}) AS n
      ANTI JOIN base AS b ON ${same} AND b.${position} >= n.${position}`
  const segments = [...table.segments, ...(table.upserts?.waiting ?? [])].map(s => draft.segment(s.segment))
  const filter = sqlUnexpired(table, segments, draft.now)
  return filter === undefined ? all : `SELECT * FROM (${all}) WHERE ${filter}`
}

/** What a query reads: the table as it is, or with its waiting changes where they may not wait longer. */
export function sqlCurrent(table: TableEntry, draft: Draft): string {
  if (!needsMerge(table, draft)) return sqlRelation(table, draft)
  const columns = table.schema.map(f => quote(f.name)).join(', ')
  return `(SELECT ${columns} FROM (${sqlApplied(table, draft, sqlNewest(table, draft))}))`
}
