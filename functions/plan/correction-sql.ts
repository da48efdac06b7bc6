/** The statements of a correction: how many rows it concerns, and the one that changes them. */
import { baseType } from '../feed/column-type.ts'
import type { Bound, Correction, Scalar, Test } from '../feed/correction.ts'
import type { Column, Feed } from '../feed/feed.ts'
import type { TableRef } from '../feed/names.ts'
import type { Warehouse } from './run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText, sqlType } from './sql.ts'
import { stagingOf } from './tables.ts'

/** A literal of the column's type, or what BigQuery says is none when it reads it. */
function sqlValue({ type }: Column, value: Scalar): Sql {
  if (value === null) return sql`NULL`
  const text = sqlText(String(value))
  const base = baseType(type)
  if (base === 'STRING') return text
  if (base === 'BYTES') return sql`FROM_BASE64(${text})`
  return base === 'JSON' ? sql`PARSE_JSON(${text})` : sql`CAST(${text} AS ${sqlType(base)})`
}

function sqlAmong(column: Column, values: readonly Scalar[]): Sql {
  const known = values.filter(value => value !== null)
  const parts = [
    ...(known.length > 0
      ? [sql`${column.name} IN (${sqlJoin(known.map(value => sqlValue(column, value)))})`]
      : []),
    ...(known.length < values.length ? [sql`${column.name} IS NULL`] : []),
  ]
  return parts.length === 1 ? sqlJoin(parts) : sql`(${sqlJoin(parts, ' OR ')})`
}

const COMPARE: Readonly<Record<Bound, Sql>> = { from: sql`>=`, after: sql`>`, to: sql`<=`, before: sql`<` }
const BOUNDS = ['from', 'after', 'to', 'before'] as const

function sqlTests({ column, values, not, bounds }: Test): Sql[] {
  return [
    ...(values ? [sqlAmong(column, values)] : []),
    ...BOUNDS.flatMap(bound => {
      const value = bounds[bound]
      return value === undefined ? [] : [sql`${column.name} ${COMPARE[bound]} ${sqlValue(column, value)}`]
    }),
    ...(not ? [sql`NOT IFNULL(${sqlAmong(column, not)}, FALSE)`] : []),
  ]
}

const sqlWhere = (where: readonly Test[]): Sql =>
  where.length === 0 ? sql`TRUE` : sqlJoin(where.flatMap(sqlTests), ' AND ')

const [OLD, NEW] = [sqlName('corrected_row'), sqlName('correction_row')]
const sqlSameKey = ({ model }: Feed): Sql =>
  sqlJoin(
    model.key.map(name => sql`${OLD}.${name} = ${NEW}.${name}`),
    ' AND ',
  )
const tableIn = ({ projectId }: Warehouse, from: { datasetId: string; tableId: string }): TableRef => ({
  projectId,
  ...from,
})

/** `ambiguous`: keys that stand in several rows of the table that brings the values. */
export function sqlCountCorrected(feed: Feed, correction: Correction, warehouse: Warehouse): Sql {
  const staging = stagingOf(feed, warehouse)
  if (correction.kind !== 'join')
    return sql`SELECT COUNT(*) AS table_rows, COUNTIF(${sqlWhere(correction.where)}) AS corrected_rows, 0 AS ambiguous
FROM ${staging}`
  const from = tableIn(warehouse, correction.from)
  const keys = sqlJoin(feed.model.key)
  return sql`SELECT
  (SELECT COUNT(*) FROM ${staging}) AS table_rows,
  (SELECT COUNT(*) FROM ${staging} AS ${OLD} INNER JOIN ${from} AS ${NEW} ON ${sqlSameKey(feed)}) AS corrected_rows,
  (SELECT COUNT(*) FROM (SELECT ${keys} FROM ${from} GROUP BY ${keys} HAVING COUNT(*) > 1)) AS ambiguous`
}

export function sqlCorrect(feed: Feed, correction: Correction, warehouse: Warehouse): Sql {
  const staging = stagingOf(feed, warehouse)
  switch (correction.kind) {
    case 'delete':
      return sql`DELETE FROM ${staging}\nWHERE ${sqlWhere(correction.where)}`
    case 'update': {
      const set = correction.set.map(({ column, value }) => sql`${column.name} = ${sqlValue(column, value)}`)
      return sql`UPDATE ${staging}\nSET ${sqlJoin(set)}\nWHERE ${sqlWhere(correction.where)}`
    }
    case 'join': {
      const set = correction.set.map(name => sql`${name} = ${NEW}.${name}`)
      return sql`UPDATE ${staging} AS ${OLD}\nSET ${sqlJoin(set)}\nFROM ${tableIn(warehouse, correction.from)} AS ${NEW}\nWHERE ${sqlSameKey(feed)}`
    }
  }
}
