/** INSERT as a query that gives whole rows of the target. */
import { assignTo, defaultOf, findColumn } from './dml-value.ts'
import { emitExpr } from './emit-expr.ts'
import { emitQuery } from './emit-query.ts'
import { type Env, quoteName } from './env.ts'
import { SqlFailure } from './error.ts'
import type { Insert } from './statement.ts'
import type { DmlPlan } from './translate-dml.ts'
import type { Column } from './type.ts'

export function planInsert(statement: Insert, env: Env): DmlPlan {
  const { name } = statement
  const all = env.scope.columns(name)
  const given =
    statement.columns.length > 0 ? statement.columns.map(column => findColumn(all, column, 0)) : all
  const twice = given.find((column, i) => given.indexOf(column) !== i)
  if (twice) throw new SqlFailure(`Duplicate column name: ${twice.name}`, 0)
  const { texts, source } = statement.query
    ? fromQuery(statement, given, env)
    : fromValues(statement, given, env)
  const items = all.map(column => {
    const i = given.indexOf(column)
    return `${texts[i] ?? defaultOf(statement.name, column, env)} AS ${quoteName(column.name)}`
  })
  return { kind: 'append', target: name, sql: `SELECT ${items.join(', ')} FROM ${source}` }
}

function fromQuery(
  statement: Insert,
  given: readonly Column[],
  env: Env,
): { texts: string[]; source: string } {
  const { query } = statement
  if (!query) throw new SqlFailure('INSERT without a query', 0)
  const { sql, fields } = emitQuery(query, env, false)
  if (fields.length !== given.length) {
    throw new SqlFailure(
      `Inserted row has wrong column count; Has ${fields.length}, expected ${given.length}`,
      query.at,
    )
  }
  const texts = fields.map((field, i) => {
    const column = given[i]
    return column ? assignTo(column, field, query.at) : field.sql
  })
  return { texts, source: `(${sql}) AS "_rows"` }
}

function fromValues(
  statement: Insert,
  given: readonly Column[],
  env: Env,
): { texts: string[]; source: string } {
  const rows = (statement.values ?? []).map(row => {
    if (row.length !== given.length) {
      throw new SqlFailure(
        `Inserted row has wrong column count; Has ${row.length}, expected ${given.length}`,
        row.find(v => v)?.at ?? 0,
      )
    }
    const values = row.map((expr, i) => {
      const column = given[i]
      if (!column) return 'NULL'
      return expr ? assignTo(column, emitExpr(expr, env), expr.at) : defaultOf(statement.name, column, env)
    })
    return `(${values.join(', ')})`
  })
  const names = given.map((_, i) => quoteName(`v${i}`))
  return { texts: names, source: `(VALUES ${rows.join(', ')}) AS "_rows"(${names.join(', ')})` }
}
