/** Values that go into columns: checked for their type, or the column's default. */
import { canCoerce, coerce } from './coerce.ts'
import { emitExpr } from './emit-expr.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import type { Assignment, TableName } from './statement.ts'
import { type Column, duckType, typeText } from './type.ts'

export function findColumn(columns: readonly Column[], name: string, at: number): Column {
  const found = columns.find(column => column.name.toLowerCase() === name.toLowerCase())
  if (!found) throw new SqlFailure(`Column ${name} is not present in the target table`, at)
  return found
}

/** The value as the column's type. */
export function assignTo(column: Column, value: Emitted, at: number): string {
  if (!canCoerce(value, column.type)) {
    throw new SqlFailure(
      `Value has type ${typeText(value.type)} which cannot be inserted into column ${column.name}, which has type ${typeText(column.type)}`,
      at,
    )
  }
  return value.literal?.type === 'NULL'
    ? `CAST(${value.sql} AS ${duckType(column.type)})`
    : coerce(value, column.type).sql
}

export function defaultOf(table: TableName, column: Column, env: Env): string {
  return env.scope.defaults?.(table)[column.name] ?? `CAST(NULL AS ${duckType(column.type)})`
}

/** New values by column; each column once. */
export function assignments(
  set: readonly Assignment[],
  table: TableName,
  env: Env,
): ReadonlyMap<Column, string> {
  const columns = env.scope.columns(table)
  const values = new Map<Column, string>()
  for (const { column: name, value, at } of set) {
    const column = findColumn(columns, name, at)
    if (values.has(column)) throw new SqlFailure(`Update item ${name} assigned more than once`, at)
    values.set(column, value ? assignTo(column, emitExpr(value, env), at) : defaultOf(table, column, env))
  }
  return values
}
