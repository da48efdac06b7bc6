/** Translates one SELECT block. */
import type { Expr, OrderItem, Query, Select } from './ast.ts'
import { emitCondition, emitExpr } from './emit-expr.ts'
import { emitFrom } from './emit-from.ts'
import { isType } from './emit-operator.ts'
import { sqlOrderKey } from './emit-order.ts'
import { type Output, sqlLimits } from './emit-query.ts'
import { type Emitted, type Env, type Field, noRows, quoteName } from './env.ts'
import { SqlFailure } from './error.ts'
import { emitItems, type Item, nameItems } from './select-items.ts'
import { duckType, type SqlType } from './type.ts'

/** `query` holds the ORDER BY and LIMIT that belong to this block. */
export function emitSelect(select: Select, query: Query | undefined, env: Env, whole: boolean): Output {
  const from = select.from ? emitFrom(select.from, env, noRows) : undefined
  const windows = new Map(select.windows.map(({ name, spec }) => [name.toLowerCase(), spec]))
  const inner: Env = { ...env, rows: [from?.rows ?? noRows, ...env.rows], windows }
  const items = emitItems(select, inner)
  const fields = nameItems(items)
  const late: Env = { ...inner, aliases: aliasesOf(items) }
  const parts = [from ? ` FROM ${from.sql}` : '']
  if (select.where) {
    if (!select.from)
      throw new SqlFailure('Query without FROM clause cannot have a WHERE clause', select.where.at)
    parts.push(` WHERE ${emitCondition(select.where, inner, 'WHERE clause')}`)
  }
  parts.push(sqlGroupBy(select, items, late))
  if (select.having) parts.push(` HAVING ${emitCondition(select.having, late, 'HAVING clause')}`)
  if (select.qualify) parts.push(` QUALIFY ${emitCondition(select.qualify, late, 'QUALIFY clause')}`)
  if (query && query.orderBy.length > 0) {
    parts.push(
      ` ORDER BY ${query.orderBy.map(item => sqlOrderItem(item, items, select.distinct, late)).join(', ')}`,
    )
  }
  if (query) parts.push(sqlLimits(query, env))
  const output =
    whole && select.as ? wholeValue(select, items, fields) : { list: sqlList(items, fields), fields }
  return {
    sql: `SELECT ${select.distinct ? 'DISTINCT ' : ''}${output.list}${parts.join('')}`,
    fields: output.fields,
  }
}

function aliasesOf(items: readonly Item[]): ReadonlyMap<string, Emitted> {
  const names = new Map<string, Emitted>()
  for (const { name, value } of items) {
    if (name !== undefined && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), value)
  }
  return names
}

function sqlList(items: readonly Item[], fields: readonly Field[]): string {
  return items.map(({ value }, i) => `${outputText(value)} AS ${fields[i]?.sql}`).join(', ')
}

/** A NULL of no other type is an INT64. */
function outputText(value: Emitted): string {
  return value.literal?.type === 'NULL' ? `CAST(${value.sql} AS ${duckType(value.type)})` : value.sql
}

function wholeValue(
  select: Select,
  items: readonly Item[],
  fields: readonly Field[],
): { list: string; fields: Field[] } {
  const [only] = items
  const sql = quoteName('_value')
  if (select.as === 'VALUE') {
    if (items.length !== 1 || !only)
      throw new SqlFailure('SELECT AS VALUE query must have exactly one column', select.at)
    return { list: `${outputText(only.value)} AS ${sql}`, fields: [{ name: '', sql, type: only.value.type }] }
  }
  const packed = items.map(({ value }, i) => `${fields[i]?.sql} := ${outputText(value)}`)
  const type: SqlType = { kind: 'struct', fields: fields.map(({ name, type }) => ({ name, type })) }
  return { list: `struct_pack(${packed.join(', ')}) AS ${sql}`, fields: [{ name: '', sql, type }] }
}

function ordinalItem(expr: Expr, items: readonly Item[], clause: string): Item | undefined {
  if (expr.kind !== 'literal' || expr.type !== 'INT64') return undefined
  const item = items[Number(expr.value) - 1]
  if (!item) throw new SqlFailure(`${clause} is out of SELECT column number range: ${expr.value}`, expr.at)
  return item
}

function sqlGroupBy(select: Select, items: readonly Item[], env: Env): string {
  if (select.grouping === 'ALL') return ' GROUP BY ALL'
  if (select.groupBy.length === 0) return ''
  const keys = select.groupBy.map(expr => {
    const item = ordinalItem(expr, items, 'GROUP BY')
    const { sql, type } = item?.value ?? emitExpr(expr, env)
    if (type.kind === 'array')
      throw new SqlFailure('Grouping by expressions of type ARRAY is not allowed', expr.at)
    return sql
  })
  return ` GROUP BY ${select.grouping ? `${select.grouping} (${keys.join(', ')})` : keys.join(', ')}`
}

/** A key that is a select item is named by its number: DISTINCT and volatile functions need that. */
function sqlOrderItem(item: OrderItem, items: readonly Item[], distinct: boolean, env: Env): string {
  const { expr } = item
  const numbered = ordinalItem(expr, items, 'ORDER BY')
  const name = expr.kind === 'path' && expr.parts.length === 1 ? expr.parts[0]?.toLowerCase() : undefined
  const index = numbered
    ? items.indexOf(numbered)
    : items.findIndex(i => name !== undefined && i.name?.toLowerCase() === name)
  const found = items[index]
  const value = found?.value ?? emitExpr(expr, env)
  if (!found || (isType(value, 'FLOAT64') && !distinct)) return sqlOrderKey(value, item, false)
  return sqlOrderKey({ sql: `${index + 1}`, type: value.type }, item, true)
}
