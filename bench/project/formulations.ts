/** What a refresh could be made of, as statements: each makes the same table out of staging and what landed. */
import type { Feed } from '../../functions/feed/feed.ts'
import type { TableRef } from '../../functions/feed/names.ts'
import { sqlLeftOver, sqlNewestRows, sqlRows, sqlTogether } from '../../functions/plan/models/unique.ts'
import { sqlInPartitions } from '../../functions/plan/partitions.ts'
import { type Sql, sql, sqlJoin } from '../../functions/plan/sql.ts'

export interface Formulation {
  readonly name: string
  /** `rows`: a query, whose rows are the table. `change`: a statement that changes staging. */
  readonly kind: 'rows' | 'change'
  readonly sqlOver: (staging: TableRef) => Sql
}

const columnsOf = ({ table }: Feed) => table.columns.map(({ name }) => name)

function sqlArrayAgg(feed: Feed, staging: TableRef, landing: TableRef): Sql {
  const columns = columnsOf(feed)
  const { key, sequence } = feed.model
  const all = sqlTogether([staging, landing].map(table => sqlRows(feed, { table })))
  return sql`SELECT ${sqlJoin(columns.map(name => sql`newest.${name}`))}
FROM (
SELECT ARRAY_AGG(STRUCT(${sqlJoin(columns)}) ORDER BY ${sqlJoin(sequence.columns.map(name => sql`${name} DESC`))} LIMIT 1)[OFFSET(0)] AS newest
FROM (
${all}
)
GROUP BY ${sqlJoin(key)}
)`
}

/** Rows that differ in the sequence alone are left as they are: it is new each time. */
function sqlMerge(feed: Feed, staging: TableRef, landing: TableRef): Sql {
  const columns = columnsOf(feed)
  const { key, sequence } = feed.model
  const values = columns.filter(name => !key.includes(name))
  const differs = values
    .filter(name => !sequence.columns.includes(name))
    .map(name => sql`fresh.${name} IS DISTINCT FROM old.${name}`)
  return sql`MERGE INTO ${staging} AS old
USING ${landing} AS fresh
ON ${sqlJoin(
    key.map(name => sql`fresh.${name} = old.${name}`),
    ' AND ',
  )}
WHEN MATCHED AND (${sqlJoin(differs, ' OR ')}) THEN
  UPDATE SET ${sqlJoin(values.map(name => sql`${name} = fresh.${name}`))}
WHEN NOT MATCHED THEN
  INSERT (${sqlJoin(columns)}) VALUES (${sqlJoin(columns.map(name => sql`fresh.${name}`))})`
}

/** For rows of landing that are newer than all of staging, each key once. */
export function sqlFormulations(feed: Feed, landing: TableRef): readonly Formulation[] {
  const fresh = { table: landing }
  return [
    { name: 'window', kind: 'rows', sqlOver: table => sqlNewestRows(feed, [{ table }, fresh]) },
    { name: 'array_agg', kind: 'rows', sqlOver: table => sqlArrayAgg(feed, table, landing) },
    {
      name: 'anti-join',
      kind: 'rows',
      sqlOver: table => sqlTogether([sqlRows(feed, fresh), sqlLeftOver(feed, fresh, { table })]),
    },
    { name: 'merge', kind: 'change', sqlOver: table => sqlMerge(feed, table, landing) },
  ]
}

/** The newest partitions replaced by those of landing, as changed-partitions does where keys are the same. */
export function sqlSwap(feed: Feed, staging: TableRef, landing: TableRef, partitions: number): Sql {
  const by = feed.table.partition?.by
  if (!by) throw new Error('a table without partitions')
  const days = Array.from({ length: partitions }, (_, at) => new Date(Date.now() - 86_400_000 * (at + 1)))
  const where = sqlInPartitions(
    feed,
    days.map(day => day.toISOString().slice(0, 10)),
  )
  const statements = [
    sql`BEGIN TRANSACTION`,
    sql`DELETE FROM ${staging} WHERE ${where}`,
    sql`INSERT INTO ${staging} (${sqlJoin(columnsOf(feed))})\n${sqlRows(feed, { table: landing, where })}`,
    sql`COMMIT TRANSACTION`,
  ]
  return sql`${sqlJoin(statements, ';\n\n')};`
}
