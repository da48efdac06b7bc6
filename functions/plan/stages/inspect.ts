/** Stage inspect: counts over landing, by which `verify` decides. */
import { type Feed, sourceColumns } from '../../feed/feed.ts'
import type { Identifier, TableRef } from '../../feed/names.ts'
import { SAMPLED_BYTES } from '../../feed/sampling.ts'
import { planQuery, type RunContext } from '../job.ts'
import { sqlIsDeleted } from '../models/deletes.ts'
import type { JobBody, PendingSnapshot } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlText } from '../sql.ts'
import { landingOf, sqlFrom } from '../tables.ts'
import type { Duplicates } from './duplicates.ts'
import { type BadRows, sqlCountBad } from './quarantine.ts'

/** What inspect found of one snapshot. `snapshot` is empty for all snapshots of the run together. */
export interface Inspection {
  readonly snapshot: string
  readonly row_count: number
  readonly key_count: number
  /** Set where `key_count` is the most there can be: keys that there are for certain. */
  readonly least_keys?: number | undefined
  /** Keys that stand in more than one row. */
  readonly duplicate_keys: number
  /** Rows with a NULL in a key column. */
  readonly null_key_rows: number
  /** Rows without a value in the partition column; 0 where there is none. */
  readonly null_partition_rows: number
  /** Rows that would expire at once, or lie more than a year ahead. */
  readonly outside_rows: number
  /** Rows that delete their key, where the feed has such. */
  readonly deleted_rows?: number | undefined
  /** Columns that have only NULL; empty over all snapshots together. */
  readonly empty_columns: readonly string[]
  /** Set where somebody looked closer. */
  readonly duplicates?: Duplicates | undefined
  /** Set where the feed lets bad rows pass. */
  readonly bad?: BadRows | undefined
}

const YEAR_AHEAD = 366

/**
 * True for a row that would expire at once, or lies more than a year ahead. `value`: its partition column, or something
 * else of that type and date.
 */
export function sqlOutside({ table: { partition, columns } }: Feed, value?: Sql): Sql {
  if (!partition) return sql`FALSE`
  const type = columns.find(({ name }) => name === partition.by)?.type
  const time = value ?? sql`${partition.by}`
  const date = type === 'DATE' ? time : sql`DATE(${time})`
  const late = sql`${date} > DATE_ADD(CURRENT_DATE(), INTERVAL ${YEAR_AHEAD} DAY)`
  const days = partition.keepDays
  return days === undefined ? late : sql`${late} OR ${date} < DATE_SUB(CURRENT_DATE(), INTERVAL ${days} DAY)`
}

/** What an inner row, a key with its copies, says of its partition; the column may or may not be part of the key. */
function sqlPartitionCounts(feed: Feed): { inner: Sql; nulls: Sql; outside: Sql } {
  const { model } = feed
  const { partition } = feed.table
  if (!partition) return { inner: sql``, nulls: sql`0`, outside: sql`0` }
  const outside = sqlOutside(feed)
  if (model.key.includes(partition.by)) {
    const count = (condition: Sql) => sql`IFNULL(SUM(IF(${condition}, copies, 0)), 0)`
    return { inner: sql``, nulls: count(sql`${partition.by} IS NULL`), outside: count(outside) }
  }
  const inner = sql`, COUNTIF(${partition.by} IS NULL) AS null_partition, COUNTIF(${outside}) AS outside`
  return { inner, nulls: sql`IFNULL(SUM(null_partition), 0)`, outside: sql`IFNULL(SUM(outside), 0)` }
}

/** Rows without a key: nothing of them is twice. */
function sqlCountRows(feed: Feed, snapshot: string, tables: readonly TableRef[]): Sql {
  const { partition } = feed.table
  const read = partition ? sql`${partition.by}` : sql`1`
  const rows = sqlJoin(
    tables.map(table => sql`SELECT ${read} FROM ${sqlFrom(feed, table)}`),
    '\n  UNION ALL\n  ',
  )
  const nulls = partition ? sql`COUNTIF(${partition.by} IS NULL)` : sql`0`
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  ${nulls} AS null_partition_rows,
  COUNTIF(${sqlOutside(feed)}) AS outside_rows
FROM (
  ${rows}
)`
}

function sqlCountTables(feed: Feed, snapshot: string, tables: readonly TableRef[]): Sql {
  const { key } = feed.model
  if (key.length === 0) return sqlCountRows(feed, snapshot, tables)
  const { partition } = feed.table
  const read = sqlJoin([
    ...key,
    ...(partition && !key.includes(partition.by) ? [partition.by] : []),
    ...(feed.model.deleteWhen ? [feed.model.deleteWhen.column] : []),
  ])
  const union = sqlJoin(
    tables.map(table => sql`SELECT ${read} FROM ${table}`),
    '\n    UNION ALL\n    ',
  )
  const from = tables.length === 1 && tables[0] ? sql`${tables[0]}` : sql`(\n    ${union}\n  )`
  return sqlCountKeys(feed, snapshot, from)
}

/** `from` has the key and the partition column. */
export function sqlCountKeys(feed: Feed, snapshot: string, from: Sql): Sql {
  const { key } = feed.model
  const keys = sqlJoin(key)
  const { inner, nulls, outside } = sqlPartitionCounts(feed)
  const isDeleted = sqlIsDeleted(feed)
  const deletes = isDeleted ? sql`, COUNTIF(${isDeleted}) AS deletes` : sql``
  const deleted = isDeleted ? sql`,\n  IFNULL(SUM(deletes), 0) AS deleted_rows` : sql``
  const hasNull = sqlJoin(
    key.map(name => sql`${name} IS NULL`),
    ' OR ',
  )
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(${hasNull}, copies, 0)), 0) AS null_key_rows,
  ${nulls} AS null_partition_rows,
  ${outside} AS outside_rows${deleted}
FROM (
  SELECT ${keys}, COUNT(*) AS copies${inner}${deletes}
  FROM ${from}
  GROUP BY ${keys}
)`
}

/** The columns that may turn out empty: those outside the key, unless nobody wants to know. */
export const watchedColumns = (feed: Feed): readonly Identifier[] =>
  feed.gates.emptiedColumns === 'allow'
    ? []
    : sourceColumns(feed)
        .map(({ name }) => name)
        .filter(name => !feed.model.key.includes(name))

const storedBytes = (files: PendingSnapshot['files']) => files.reduce((sum, { size }) => sum + size, 0)

/** The columns outside the key that have no value at all, as one text with a comma after each: no name has one. */
function sqlEmptyColumns(
  feed: Feed,
  { id: snapshot, files }: PendingSnapshot,
  landing: TableRef,
): Sql | undefined {
  const names = watchedColumns(feed)
  if (names.length === 0) return undefined
  const parts = names.map(name => sql`IF(COUNT(${name}) = 0, ${sqlText(`${name},`)}, '')`)
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  CONCAT(
    ${sqlJoin(parts, ',\n    ')}
  ) AS empty_columns
FROM ${landing}${storedBytes(files) > SAMPLED_BYTES ? sql` TABLESAMPLE SYSTEM (1 PERCENT)` : sql``}`
}

/** Two jobs for each snapshot (three where bad rows may pass), and one over all of them where there are several. */
export function planInspect(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const { feed } = context
  const tables = snapshots.map(({ id }) => landingOf(context, id))
  const each = snapshots.flatMap(snapshot => {
    const landing = landingOf(context, snapshot.id)
    const empty = sqlEmptyColumns(feed, snapshot, landing)
    const bad = feed.source.badRows === undefined ? [] : [sqlCountBad(context, snapshot.id)]
    return [sqlCountTables(feed, snapshot.id, [landing]), ...(empty ? [empty] : []), ...bad]
  })
  const all = snapshots.length > 1 ? [sqlCountTables(feed, '', tables)] : []
  return [...each, ...all].map(query => planQuery(context, 'inspect', query))
}

export type ResultRow = Readonly<Record<string, string | null>>

/** A count that can't be read must not pass for one that is in order. */
export function countOf(row: ResultRow, name: string): number {
  const text = row[name] ?? ''
  if (!/^\d+$/.test(text)) throw new Error(`inspect answered ${row[name]} for ${name}`)
  return Number(text)
}

function findBad(rows: readonly ResultRow[], snapshot: string): BadRows | undefined {
  const row = rows.find(row => row.snapshot === snapshot && row.bad_rows !== undefined)
  if (!row) return undefined
  const reasons = [row.first_reason, row.last_reason].filter(text => text !== undefined && text !== null)
  return { count: countOf(row, 'bad_rows'), reasons: [...new Set(reasons)].filter(text => text !== '') }
}

/** Inspections from the rows of the inspect jobs. */
export function parseInspections(rows: readonly ResultRow[]): Inspection[] {
  const emptyOf = (snapshot: string) =>
    rows.find(row => row.snapshot === snapshot && row.empty_columns !== undefined)
  return rows
    .filter(row => row.row_count !== undefined)
    .map(row => {
      const snapshot = row.snapshot ?? ''
      const empty = emptyOf(snapshot)?.empty_columns ?? ''
      const bad = findBad(rows, snapshot)
      return {
        snapshot,
        row_count: countOf(row, 'row_count'),
        key_count: countOf(row, 'key_count'),
        duplicate_keys: countOf(row, 'duplicate_keys'),
        null_key_rows: countOf(row, 'null_key_rows'),
        null_partition_rows: countOf(row, 'null_partition_rows'),
        outside_rows: countOf(row, 'outside_rows'),
        ...(row.deleted_rows !== undefined && { deleted_rows: countOf(row, 'deleted_rows') }),
        empty_columns: empty.split(',').filter(name => name !== ''),
        ...(bad && { bad }),
      }
    })
}
