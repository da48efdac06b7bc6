/** Turns DML into queries that give rows: tables are lists of immutable segments, so nothing is changed in place. */

import { planInsert } from './dml-insert.ts'
import { planMerge } from './dml-merge.ts'
import { planDelete, planUpdate } from './dml-update.ts'
import { makeEnv } from './env.ts'
import { SqlError, withText } from './error.ts'
import type { QueryParameter, Scope } from './scope.ts'
import type { Dml, TableName } from './statement.ts'

/**
 * What a DML statement does:
 * - `append`: add the rows of `sql` (all of the target's columns, in the target's order);
 * - `replace`: the target's content becomes the rows of `sql`; `counts` is a query to run first, with one row
 *   (inserted, updated, deleted: BIGINT), which also raises an error where a row is matched more than once;
 * - `truncate`: the target becomes empty.
 */
export type DmlPlan =
  | { readonly kind: 'append'; readonly target: TableName; readonly sql: string }
  | { readonly kind: 'replace'; readonly target: TableName; readonly sql: string; readonly counts: string }
  | { readonly kind: 'truncate'; readonly target: TableName }

/** DuckDB SQL for a DML statement. Throws `SqlError`. */
export function translateDml(statement: Dml, scope: Scope, parameters: readonly QueryParameter[]): DmlPlan {
  const env = makeEnv(scope, parameters)
  return withText(statement.script, () => {
    switch (statement.kind) {
      case 'insert':
        return planInsert(statement, env)
      case 'delete':
        return planDelete(statement, env)
      case 'update':
        return planUpdate(statement, env)
      case 'merge':
        return planMerge(statement, env)
      case 'truncate':
        // Asking for the columns refuses an unknown table.
        if (scope.columns(statement.name).length === 0)
          throw new SqlError('invalidQuery', 'A table without columns has no rows')
        return { kind: 'truncate', target: statement.name }
    }
  })
}
