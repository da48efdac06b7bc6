/** Model unique: of the rows with one key, the newest stays. */
import { abilityOf, baseType } from '../../feed/column-type.ts'
import type { Column, Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { type Sql, sql, sqlJoin } from '../sql.ts'
import { sqlAlias, sqlFrom } from '../tables.ts'

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
}

export const sqlRows = (feed: Feed, { table, where }: RowsOf): Sql =>
  sql`SELECT ${sqlColumns(feed)}\nFROM ${sqlFrom(feed, table)}${where ? sql`\nWHERE ${where}` : sql``}`

/**
 * The newest row of each key. The order is total over the row, so that a rerun gives the same table: on a tie of
 * the sequence the greater value of the first column that differs wins, NULL loses. docs/decisions/0007.
 */
export function sqlNewestRows(feed: Feed, sources: readonly RowsOf[]): Sql {
  const { table, model } = feed
  const { key, sequence } = model
  const values = table.columns.filter(({ name }) => !key.includes(name) && name !== sequence.column)
  const order = [sql`${sequence.column} DESC`, ...values.map(sqlDescending)]
  const [first] = sources
  const whole = sources.length === 1 && first && !first.where ? first.table : undefined
  const union = sqlTogether(sources.map(source => sqlRows(feed, source)))
  return sql`SELECT ${sqlColumns(feed)}
FROM ${whole ? sqlFrom(feed, whole) : sql`(\n${union}\n)`}
QUALIFY ROW_NUMBER() OVER (PARTITION BY ${sqlJoin(key)} ORDER BY ${sqlJoin(order)}) = 1`
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
