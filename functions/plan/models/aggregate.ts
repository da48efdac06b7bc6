/** Model aggregate: the row of a key and all rows that landed for it become one, in one job that writes staging. */
import { abilityOf, baseType } from '../../feed/column-type.ts'
import {
  type Aggregate,
  type Column,
  type CombinedColumn,
  columnInFiles,
  type Feed,
  ordersArrival,
} from '../../feed/feed.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot } from '../run-plan.ts'
import { type Sql, sql, sqlJoin } from '../sql.ts'
import { landingOf, sqlAlias, sqlFrom, stagingOf } from '../tables.ts'

type Ids = readonly Pick<PendingSnapshot, 'id'>[]

/**
 * Of `replace` the value that came last, NULL too; of `replace_if_not_null` the last that is none. The others are the
 * same in any order, and skip NULL.
 * docs.cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions#any_value
 */
function sqlCombined({ column, how }: CombinedColumn, arrival: Sql): Sql {
  switch (how) {
    case 'sum':
      return sql`SUM(${column})`
    case 'min':
      return sql`MIN(${column})`
    case 'max':
      return sql`MAX(${column})`
    case 'replace':
      return sql`ANY_VALUE(${column} HAVING MAX ${arrival})`
    case 'replace_if_not_null':
      return sql`ANY_VALUE(${column} HAVING MAX IF(${column} IS NULL, NULL, ${arrival}))`
    case 'hll':
      return sql`HLL_COUNT.MERGE_PARTIAL(${column})`
  }
}

const hasSketches = ({ values }: Aggregate) => values.some(({ how }) => how === 'hll')

/** One row a key, in the order of the table's columns. `sketch`: of values, not of sketches. */
function sqlGrouped(feed: Feed, model: Aggregate, from: Sql, sketch: boolean): Sql {
  const arrival = sqlAlias(feed, 'arrival')
  const combined = new Map(model.values.map(value => [value.column, value]))
  const items = feed.table.columns.map(({ name }) => {
    const value = combined.get(name)
    if (!value) return sql`${name}`
    return sketch && value.how === 'hll'
      ? sql`HLL_COUNT.INIT(${name}) AS ${name}`
      : sql`${sqlCombined(value, arrival)} AS ${name}`
  })
  return sql`SELECT ${sqlJoin(items)}
FROM (
${from}
)
GROUP BY ${sqlJoin(model.key)}`
}

/** NULL before all values, so that it loses; docs/decisions/0007. */
function sqlAscending({ name, type }: Column): Sql {
  if (!abilityOf(type)?.ordered) return sql`TO_JSON_STRING(${name})`
  return baseType(type) === 'FLOAT64' ? sql`IFNULL(IS_NAN(${name}), FALSE) DESC, ${name}` : sql`${name}`
}

const sqlColumns = ({ table }: Feed) => sqlJoin(table.columns.map(({ name }) => name))

/** What landed, each row with its place in the order of arrival; of several rows of a key in one snapshot the greater is later. */
function sqlLanded(context: RunContext, model: Aggregate, ids: Ids, proven: boolean): Sql {
  const { feed } = context
  const columns = sqlColumns(feed)
  const arrival = sqlAlias(feed, 'arrival')
  const ordered = ordersArrival(model)
  const rows = ids.map(({ id }, at) => {
    const place = !ordered ? sql`` : at === 0 ? sql`, 1 AS ${arrival}` : sql`, ${at + 1}`
    return sql`SELECT ${columns}${place}\nFROM ${sqlFrom(feed, landingOf(context, id))}`
  })
  const union = sqlJoin(rows, '\nUNION ALL\n')
  if (!ordered || (proven && rows.length === 1)) return union
  const values = feed.table.columns
    .filter(({ name }) => !model.key.includes(name))
    .map(column => columnInFiles(feed, column))
  const order = sqlJoin([arrival, ...values.map(sqlAscending)])
  const rank = sql`ROW_NUMBER() OVER (PARTITION BY ${sqlJoin(model.key)} ORDER BY ${order})`
  return sql`SELECT ${columns}, ${rank} AS ${arrival}\nFROM (\n${union}\n)`
}

/** Values become a sketch before they meet the one of staging. */
function sqlSketched(feed: Feed, model: Aggregate, landed: Sql): Sql {
  const grouped = sqlGrouped(feed, model, landed, true)
  const place = ordersArrival(model) ? sql`, 1` : sql``
  return sql`SELECT ${sqlColumns(feed)}${place}\nFROM (\n${grouped}\n) AS ${sqlAlias(feed, 'landed')}`
}

/**
 * One job reads staging and what landed and writes staging: what a crash interrupts has not happened, what ended well is
 * not done again under its id. `proven`: no key is twice in what landed.
 */
export function planAggregate(context: RunContext, ids: Ids, proven = false): JobBody[] {
  const { feed, warehouse } = context
  const { model } = feed
  if (model.kind !== 'aggregate') throw new Error('a feed of another model')
  const staging = stagingOf(feed, warehouse)
  const place = ordersArrival(model) ? sql`, 0 AS ${sqlAlias(feed, 'arrival')}` : sql``
  const old = sql`SELECT ${sqlColumns(feed)}${place}\nFROM ${sqlFrom(feed, staging)}`
  const landed = sqlLanded(context, model, ids, proven)
  const fresh = hasSketches(model) ? sqlSketched(feed, model, landed) : landed
  const query = sqlGrouped(feed, model, sql`${old}\nUNION ALL\n${fresh}`, false)
  return [
    planQuery(context, 'deduplicate', query, {
      destinationTable: staging,
      createDisposition: 'CREATE_NEVER',
      writeDisposition: 'WRITE_TRUNCATE_DATA',
    }),
  ]
}
