/** Splits a script into statements and parses each. */
import type { Expr } from './ast.ts'
import { SqlError } from './error.ts'
import type { Statement } from './statement.ts'

/** All statements of a script, in order. Throws `SqlError` `invalidQuery` with the line and column of what is wrong. */
export function parseScript(_sql: string): readonly Statement[] {
  throw new SqlError('invalidQuery', 'SQL is not served yet')
}

/** One expression, for column defaults and the like. */
export function parseExpression(_sql: string): Expr {
  throw new SqlError('invalidQuery', 'SQL is not served yet')
}
