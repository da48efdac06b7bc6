/** The queries that take rows out of BigQuery for Postgres: all of a table, or what differs between two. */
import type { Column, Feed } from '../feed/feed.ts'
import type { TableRef } from '../feed/names.ts'
import type { Extract } from '../gcp/ports.ts'
import { hashOf } from '../plan/ids.ts'
import type { Warehouse } from '../plan/run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName } from '../plan/sql.ts'
import { sqlSent } from './postgres-type.ts'
import { sqlRowHash } from './row-hash.ts'

const fieldOf = (at: number): Sql => sqlName(`c${at}`)
const sqlFields = (columns: readonly Column[]): Sql =>
  sqlJoin(
    columns.map((column, at) => sql`${sqlSent(column)} AS ${fieldOf(at)}`),
    ',\n  ',
  )
const sqlKeyOf = (feed: Feed, prefix: string): Sql =>
  sqlJoin(feed.model.key.map((name, at) => sql`${name} AS ${sqlName(`${prefix}${at}`)}`))
const sqlSameKey = (feed: Feed): Sql =>
  sqlJoin(
    feed.model.key.map((_, at) => sql`older.${sqlName(`o${at}`)} = newer.${sqlName(`n${at}`)}`),
    ' AND ',
  )

export function keyColumns(feed: Feed): readonly Column[] {
  const byName = new Map<string, Column>(feed.table.columns.map(column => [column.name, column]))
  return feed.model.key.map(name => byName.get(name)).filter(column => column !== undefined)
}

/** Every row: a text for each column, `c0` and so on, and the row's hash `h`. */
export const sqlAllRows = ({ table: { columns } }: Feed, from: TableRef): Sql =>
  sql`SELECT\n  ${sqlFields(columns)},\n  CAST(${sqlRowHash(columns)} AS STRING) AS h\nFROM ${from}`

/** Rows of `to` that `from` has not, or has otherwise. Compared is all that is sent, every digit of it. */
export function sqlChangedRows(feed: Feed, from: TableRef, to: TableRef): Sql {
  const { columns } = feed.table
  const fields = sqlJoin([...columns.map((_, at) => fieldOf(at)), sqlName('h')])
  return sql`WITH newer AS (
SELECT
  ${sqlFields(columns)},
  ${sqlKeyOf(feed, 'n')},
  CAST(${sqlRowHash(columns)} AS STRING) AS h,
  ${sqlRowHash(columns, 'sent')} AS d
FROM ${to}
), older AS (
SELECT ${sqlKeyOf(feed, 'o')}, ${sqlRowHash(columns, 'sent')} AS d
FROM ${from}
)
SELECT ${fields}
FROM newer
LEFT JOIN older ON ${sqlSameKey(feed)}
WHERE older.d IS NULL OR older.d != newer.d`
}

/** Keys of `from` that `to` has no more: a text for each key column, and an empty hash. */
export function sqlGoneKeys(feed: Feed, from: TableRef, to: TableRef): Sql {
  const key = keyColumns(feed)
  return sql`WITH older AS (
SELECT
  ${sqlFields(key)},
  ${sqlKeyOf(feed, 'o')}
FROM ${from}
), newer AS (
SELECT ${sqlKeyOf(feed, 'n')}, TRUE AS here
FROM ${to}
)
SELECT ${sqlJoin(key.map((_, at) => fieldOf(at)))}, '' AS h
FROM older
LEFT JOIN newer ON ${sqlSameKey(feed)}
WHERE newer.here IS NULL`
}

/**
 * The same query for the same `reader` has the same id, so that what a crash left behind is found again, in the same
 * order. Two tables that are served the same rows have an extract each: the first to be done drops its own.
 */
export function planExtract(
  feed: Feed,
  warehouse: Warehouse,
  query: Sql,
  { reader, attempt }: { readonly reader: string; readonly attempt: number },
): Extract {
  const hash = hashOf({ feed: feed.name, query: query.text, reader })
  const name = feed.name.replaceAll('-', '_')
  const { projectId, landing } = warehouse
  const into = { projectId, datasetId: landing, tableId: `${name}__out_${hash}_a${attempt}` }
  return {
    into,
    job: {
      jobReference: {
        projectId,
        jobId: `freshet_${name}_serve_${hash}_a${attempt}`,
        location: warehouse.location,
      },
      configuration: {
        labels: { freshet_feed: feed.name, freshet_stage: 'serve' },
        query: {
          query: query.text,
          useLegacySql: false,
          destinationTable: into,
          writeDisposition: 'WRITE_TRUNCATE',
        },
      },
    },
  }
}
