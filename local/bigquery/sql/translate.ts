/** Turns parsed statements into DuckDB SQL. */
import type { Expr, Query } from './ast.ts'
import { canCoerce, coerce } from './coerce.ts'
import { emitExpr } from './emit-expr.ts'
import { emitQuery } from './emit-query.ts'
import { makeEnv } from './env.ts'
import { SqlError, withText } from './error.ts'
import type { QueryParameter, Scope } from './scope.ts'
import { type Column, type SqlType, typeText } from './type.ts'

/** One DuckDB query and the BigQuery types of its columns. Parameters are in the text already, as typed literals. */
export interface Translation {
  readonly sql: string
  readonly columns: readonly Column[]
}

/** DuckDB SQL for a query (of a SELECT, CREATE TABLE … AS, view …). `script` is the text it was parsed from, for error positions. */
export function translateQuery(
  statement: { readonly query: Query; readonly script: string },
  scope: Scope,
  parameters: readonly QueryParameter[],
): Translation {
  return withText(statement.script, () => {
    const { sql, fields } = emitQuery(statement.query, makeEnv(scope, parameters), false)
    const seen = new Set<string>()
    for (const { name } of fields) {
      if (seen.has(name.toLowerCase())) {
        throw new SqlError(
          'invalidQuery',
          `Duplicate column names in the result are not supported. Found duplicate(s): ${name}`,
        )
      }
      seen.add(name.toLowerCase())
    }
    return { sql, columns: fields.map(({ name, type }) => ({ name, type })) }
  })
}

/** A DuckDB expression without columns, for options and defaults: `SELECT <sql>` evaluates it. With `to`, as that type. */
export function translateExpression(
  expr: Expr,
  script: string,
  scope: Scope,
  to?: SqlType,
): { sql: string; type: SqlType } {
  return withText(script, () => {
    const value = emitExpr(expr, makeEnv(scope, []))
    if (!to) return { sql: value.sql, type: value.type }
    if (!canCoerce(value, to)) {
      throw new SqlError(
        'invalidQuery',
        `Expression of type ${typeText(value.type)} can't be used where ${typeText(to)} is needed`,
      )
    }
    return { sql: coerce(value, to).sql, type: to }
  })
}
