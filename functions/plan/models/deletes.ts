/** Rows that delete their key, and the tombstones that remember it: docs/decisions/0031-deleted-keys-are-remembered-beside-staging.md. */
import { baseType } from '../../feed/column-type.ts'
import type { DeleteWhen, Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { type Sql, sql, sqlJoin, sqlText, sqlType } from '../sql.ts'
import { sqlAlias, sqlFrom } from '../tables.ts'

function sqlSign(value: DeleteWhen['values'][number]): Sql {
  if (typeof value === 'boolean') return value ? sql`TRUE` : sql`FALSE`
  return typeof value === 'number' ? sql`${value}` : sqlText(value)
}

/** TRUE or FALSE, never NULL: does a row delete its key? `undefined` where no row of the feed does. */
export function sqlIsDeleted({ model }: Feed): Sql | undefined {
  const { deleteWhen } = model
  if (!deleteWhen) return undefined
  return sql`IFNULL(${deleteWhen.column} IN (${sqlJoin(deleteWhen.values.map(sqlSign))}), FALSE)`
}

export function sqlLive(feed: Feed): Sql | undefined {
  const deleted = sqlIsDeleted(feed)
  return deleted && sql`NOT ${deleted}`
}

/** What a tombstone has: the key, and the sequence of the row that deleted it. */
export const tombstoneColumns = ({ table, model }: Feed) =>
  table.columns.filter(({ name }) => model.key.includes(name) || model.sequence.columns.includes(name))

/** A tombstone as a row of the table, in the order of its columns: one that deletes its key. */
export function sqlTombstone(feed: Feed): Sql {
  const kept = new Set(tombstoneColumns(feed))
  const [value = true] = feed.model.deleteWhen?.values ?? []
  const columns = feed.table.columns.map(column => {
    if (kept.has(column)) return sql`${column.name}`
    return column.name === feed.model.deleteWhen?.column
      ? sqlSign(value)
      : sql`CAST(NULL AS ${sqlType(baseType(column.type))})`
  })
  return sqlJoin(columns)
}

/**
 * The tombstones from now on: of each key that a row deletes, unless a row that landed brings it back. Staging is not
 * looked at: a tombstone older than the row there loses against it, now and ever after. `order` is newest first.
 */
export function sqlTombstones(
  feed: Feed,
  tombstones: TableRef,
  landed: readonly TableRef[],
  order: readonly Sql[],
): Sql {
  const deleteWhen = feed.model.deleteWhen?.column
  const names = tombstoneColumns(feed).map(({ name }) => name)
  const [value = true] = feed.model.deleteWhen?.values ?? []
  const columns = sqlJoin(names)
  const sign = deleteWhen ? sql`${deleteWhen}` : sql`NULL`
  const old = sql`SELECT ${columns}, ${sqlSign(value)} AS ${sign}, ${0} AS ${sqlAlias(feed, 'arrival')}\nFROM ${sqlFrom(feed, tombstones)}`
  const fresh = landed.map(
    (table, at) => sql`SELECT ${columns}, ${sign}, ${at + 1}\nFROM ${sqlFrom(feed, table)}`,
  )
  const deleted = sqlIsDeleted(feed) ?? sql`FALSE`
  return sql`SELECT ${columns}
FROM (
${sqlJoin([old, ...fresh], '\nUNION ALL\n')}
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY ${sqlJoin(feed.model.key)} ORDER BY ${sqlJoin(order)}) = 1 AND ${deleted}`
}
