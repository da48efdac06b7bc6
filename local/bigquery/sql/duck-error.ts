/** DuckDB's failures in BigQuery's words. */
import { SqlError } from './error.ts'

const rewrites: readonly (readonly [RegExp, string])[] = [
  [/^Out of Range Error: Overflow in addition of INT64 \((-?\d+) \+ (-?\d+)\)/, 'int64 overflow: $1 + $2'],
  [/^Out of Range Error: Overflow in subtraction of INT64 \((-?\d+) - (-?\d+)\)/, 'int64 overflow: $1 - $2'],
  [
    /^Out of Range Error: Overflow in multiplication of INT64 \((-?\d+) \* (-?\d+)\)/,
    'int64 overflow: $1 * $2',
  ],
  [/^Conversion Error: Type INT128 with value (-?\d+) can't be cast.*INT64.*/s, 'int64 overflow'],
  [
    /^Binder Error: column "([^"]+)" must appear in the GROUP BY clause.*/s,
    'SELECT list expression references column $1 which is neither grouped nor aggregated',
  ],
  [
    /^Binder Error: aggregate function calls cannot be nested.*/s,
    'Aggregations of aggregations are not allowed',
  ],
  [/^Binder Error: (\w+) clause cannot contain aggregates.*/s, 'Aggregate function not allowed in $1 clause'],
  [
    /^Invalid Input Error: More than one row returned by a subquery.*/s,
    'Scalar subquery produced more than one element',
  ],
  [
    /^Binder Error: at least one window function must appear.*/s,
    'The QUALIFY clause requires analytic function to be present',
  ],
  [
    /^Binder Error: (\w+) clause cannot contain window functions.*/s,
    'Analytic function not allowed in $1 clause',
  ],
  [/^(?:Invalid Input|Out of Range|Conversion) Error: /, ''],
]

/** The message without DuckDB's prefix where it is a macro's own, and in BigQuery's words where they are known. */
export function toSqlError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  const message = error instanceof Error ? error.message : String(error)
  for (const [pattern, replacement] of rewrites) {
    if (pattern.test(message))
      return new SqlError('invalidQuery', message.replace(pattern, replacement).split('\n')[0] ?? message)
  }
  return new SqlError('invalidQuery', message.split('\n')[0] ?? message)
}
