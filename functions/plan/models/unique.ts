/** Model unique: of the rows with one key, the newest stays. */
import { abilityOf, baseType } from '../../feed/column-type.ts'
import type { Column, Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { type Sql, sql, sqlJoin } from '../sql.ts'
import { sqlFrom } from '../tables.ts'

/** NaN has its own place in BigQuery's order; said out loud, it is the same place everywhere: last. */
function sqlDescending({ name, type }: Column): Sql {
  if (!abilityOf(type)?.ordered) return sql`TO_JSON_STRING(${name}) DESC`
  return baseType(type) === 'FLOAT64' ? sql`IFNULL(IS_NAN(${name}), FALSE), ${name} DESC` : sql`${name} DESC`
}

/**
 * The newest row of each key. The order is total over the row, so that a rerun gives the same table: on a tie of
 * the sequence the greater value of the first column that differs wins, NULL loses. docs/decisions/0007.
 */
export function sqlNewestRows(feed: Feed, from: TableRef): Sql {
  const { table, model } = feed
  const { key, sequence } = model
  const values = table.columns.filter(({ name }) => !key.includes(name) && name !== sequence.column)
  const order = [sql`${sequence.column} DESC`, ...values.map(sqlDescending)]
  return sql`SELECT ${sqlJoin(table.columns.map(({ name }) => name))}
FROM ${sqlFrom(feed, from)}
QUALIFY ROW_NUMBER() OVER (PARTITION BY ${sqlJoin(key)} ORDER BY ${sqlJoin(order)}) = 1`
}
