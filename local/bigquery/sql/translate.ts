/** Turns parsed statements into DuckDB SQL. */
import type { Expr, Query } from './ast.ts'
import { SqlError } from './error.ts'
import type { QueryParameter, Scope } from './scope.ts'
import type { Dml, SelectStatement, TableName } from './statement.ts'
import type { Column } from './type.ts'

/** One DuckDB query and the BigQuery types of its columns. Parameters are in the text already, as typed literals. */
export interface Translation {
  readonly sql: string
  readonly columns: readonly Column[]
}

/**
 * What a DML statement does, for tables made of immutable segments:
 * - `append`: add the rows of `sql` (all of the target's columns, in the target's order);
 * - `replace`: the target's content becomes the rows of `sql`; `counts` is a query with one row (inserted, updated,
 *   deleted: BIGINT) to run first: it also raises an error where a row is matched more than once;
 * - `truncate`: the target becomes empty.
 */
export type DmlPlan =
  | { readonly kind: 'append'; readonly target: TableName; readonly sql: string }
  | { readonly kind: 'replace'; readonly target: TableName; readonly sql: string; readonly counts: string }
  | { readonly kind: 'truncate'; readonly target: TableName }

/** DuckDB SQL for a query (of a SELECT, CREATE TABLE … AS, view …). `text` is the text it was parsed from, for error positions. */
export function translateQuery(
  _statement: Pick<SelectStatement, 'query' | 'text' | 'at'> & { readonly query: Query },
  _scope: Scope,
  _parameters: readonly QueryParameter[],
): Translation {
  throw new SqlError('invalidQuery', 'SQL is not served yet')
}

/** DuckDB SQL for a DML statement. */
export function translateDml(
  _statement: Dml,
  _scope: Scope,
  _parameters: readonly QueryParameter[],
): DmlPlan {
  throw new SqlError('invalidQuery', 'SQL is not served yet')
}

/** A DuckDB expression without columns, for options and defaults: `SELECT <sql>` evaluates it. */
export function translateExpression(
  _expr: Expr,
  _text: string,
  _scope: Scope,
): { sql: string; type: Column['type'] } {
  throw new SqlError('invalidQuery', 'SQL is not served yet')
}

/** DuckDB's message for a run-time failure (overflow, bad cast, division by zero) in BigQuery's words. */
export function toSqlError(error: unknown): SqlError {
  return error instanceof SqlError ? error : new SqlError('invalidQuery', String(error))
}
