/** Model unique: of the rows with one key, the newest stays. */
import { abilityOf, baseType } from '../../feed/column-type.ts'
import type { Column, Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { type Sql, sql, sqlJoin } from '../sql.ts'
import { sqlAlias, sqlFrom } from '../tables.ts'
import { sqlIsDeleted, sqlLive, sqlTombstone } from './deletes.ts'

/** NaN has its own place in BigQuery's order; said out loud, it is the same place everywhere: last. */
function sqlDescending({ name, type }: Column): Sql {
  if (!abilityOf(type)?.ordered) return sql`TO_JSON_STRING(${name}) DESC`
  return baseType(type) === 'FLOAT64' ? sql`IFNULL(IS_NAN(${name}), FALSE), ${name} DESC` : sql`${name} DESC`
}

const sqlColumns = ({ table }: Feed) => sqlJoin(table.columns.map(({ name }) => name))

/** The rows of a table, or of some of its partitions. */
export interface RowsOf {
  readonly table: TableRef
  /** Over the columns of the table. */
  readonly where?: Sql | undefined
  /** What is remembered of keys that are gone: the table has the key and the sequence alone. */
  readonly tombstones?: true
}

export const sqlRows = (feed: Feed, { table, where }: RowsOf): Sql =>
  sql`SELECT ${sqlColumns(feed)}\nFROM ${sqlFrom(feed, table)}${where ? sql`\nWHERE ${where}` : sql``}`

/** The same, but for those that say that their key is gone. */
export function sqlLiveRows(feed: Feed, { table, where }: RowsOf): Sql {
  const live = sqlLive(feed)
  const both = where && live ? sql`${where} AND ${live}` : (where ?? live)
  return sqlRows(feed, { table, where: both })
}

/** `arrival` counts the sources: of two rows that tie, the one of the later source wins. */
function sqlSource(feed: Feed, { table, where, tombstones }: RowsOf, arrival: number): Sql {
  const columns = tombstones ? sqlTombstone(feed) : sqlColumns(feed)
  const named = arrival === 0 ? sql` AS ${sqlAlias(feed, 'arrival')}` : sql``
  return sql`SELECT ${columns}, ${arrival}${named}\nFROM ${sqlFrom(feed, table)}${where ? sql`\nWHERE ${where}` : sql``}`
}

/** Newest first: by sequence, then by arrival; in one snapshot a deletion is the last word. */
export function sqlNewestFirst(feed: Feed, severalSources: boolean): Sql[] {
  const deleted = sqlIsDeleted(feed)
  return [
    ...feed.model.sequence.columns.map(name => sql`${name} DESC`),
    ...(severalSources ? [sql`${sqlAlias(feed, 'arrival')} DESC`] : []),
    ...(deleted ? [sql`${deleted} DESC`] : []),
  ]
}

/**
 * The newest row of each key, none for a key that the newest deletes. `sources` come in the order of their arrival: on
 * a tie of the sequence the later one wins. Within one source the greater value of the first column that differs
 * wins, NULL loses, so that the order is total and a rerun gives the same table: docs/decisions/0007.
 */
export function sqlNewestRows(feed: Feed, sources: readonly RowsOf[]): Sql {
  const { key, sequence } = feed.model
  const values = feed.table.columns.filter(
    ({ name }) => !key.includes(name) && !sequence.columns.includes(name),
  )
  const [only] = sources
  const whole = sources.length === 1 && only && !only.where ? only.table : undefined
  const order = [...sqlNewestFirst(feed, whole === undefined), ...values.map(sqlDescending)]
  const union = sqlTogether(sources.map((source, at) => sqlSource(feed, source, at)))
  const live = sqlLive(feed)
  return sql`SELECT ${sqlColumns(feed)}
FROM ${whole ? sqlFrom(feed, whole) : sql`(\n${union}\n)`}
QUALIFY ROW_NUMBER() OVER (PARTITION BY ${sqlJoin(key)} ORDER BY ${sqlJoin(order)}) = 1${live ? sql` AND ${live}` : sql``}`
}

/**
 * The rows of `older` whose key `newer` lacks. With the rows of `newer` they are the newest rows of both where `newer` has
 * every key once, none of them NULL, and no row of `older` is newer; and nothing is sorted. An outer join, since DuckDB
 * takes four times as long for NOT EXISTS, and BigQuery does the same for both. docs/decisions/0014.
 */
export function sqlLeftOver(feed: Feed, newer: RowsOf, older: RowsOf): Sql {
  const [old, fresh] = [sqlAlias(feed, 'older'), sqlAlias(feed, 'newer')]
  const columns = feed.table.columns.map(({ name }) => sql`${old}.${name}`)
  const same = feed.model.key.map(name => sql`${fresh}.${name} = ${old}.${name}`)
  // Where a row has no partner all of the partner's columns are NULL, so that one tells.
  const lacks = feed.model.key.slice(0, 1).map(name => sql`${fresh}.${name} IS NULL`)
  const keys = sql`SELECT ${sqlJoin(feed.model.key)}\nFROM ${sqlFrom(feed, newer.table)}${newer.where ? sql`\nWHERE ${newer.where}` : sql``}`
  return sql`SELECT ${sqlJoin(columns)}
FROM (
${sqlRows(feed, older)}
) AS ${old}
LEFT JOIN (
${keys}
) AS ${fresh}
ON ${sqlJoin(same, ' AND ')}
WHERE ${sqlJoin(lacks)}`
}

/** Several queries of rows as one. */
export const sqlTogether = (queries: readonly Sql[]): Sql => sqlJoin(queries, '\nUNION ALL\n')
