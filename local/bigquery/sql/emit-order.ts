/** Translates ORDER BY lists, with BigQuery's place for NULL and NaN. */
import type { OrderItem } from './ast.ts'
import { emitExpr } from './emit-expr.ts'
import { isType } from './emit-operator.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { typeText } from './type.ts'

/** One key. `single`: a RANGE frame with an offset allows no second key, which NaN would need. */
export function sqlOrderKey(value: Emitted, item: OrderItem, single: boolean): string {
  if (value.type.kind !== 'scalar' || isType(value, 'JSON', 'INTERVAL')) {
    throw new SqlFailure(
      `ORDER BY does not support expressions of type ${typeText(value.type)}`,
      item.expr.at,
    )
  }
  const direction = item.descending ? ' DESC' : ''
  const nulls = item.nulls ?? (item.descending ? 'LAST' : 'FIRST')
  const key = `${value.sql}${direction} NULLS ${nulls}`
  if (single || !isType(value, 'FLOAT64')) return key
  // BigQuery sorts NaN before every number, DuckDB after.
  return `isnan(${value.sql})${item.descending ? '' : ' DESC'} NULLS ${nulls}, ${key}`
}

export function sqlOrder(items: readonly OrderItem[], env: Env, single: boolean): string {
  return items.map(item => sqlOrderKey(emitExpr(item.expr, env), item, single)).join(', ')
}
