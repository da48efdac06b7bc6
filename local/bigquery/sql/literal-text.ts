/** Arguments that must be known when the query is translated. */
import type { Expr } from './ast.ts'
import { SqlFailure } from './error.ts'

/** The text of a string literal; `what` says in the refusal what it was to be. */
export function literalText(expr: Expr | undefined, what: string, at: number): string {
  if (expr?.kind === 'literal' && expr.type === 'STRING') return expr.value
  throw new SqlFailure(
    `${what} that is not a string literal is not supported by the local BigQuery`,
    expr?.at ?? at,
  )
}
