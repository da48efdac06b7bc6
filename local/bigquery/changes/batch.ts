/** Changes on their way into a table: decoded, checked, in columns. */
import type { DuckDBValue } from '@duckdb/node-api'

export interface ChangeBatch {
  readonly rows: number
  /** By the column's name; every list has a value for each row. */
  readonly columns: ReadonlyMap<string, readonly DuckDBValue[]>
  /** As `parseSequence` gives them; `undefined` when the changes come without. */
  readonly sequences: readonly string[] | undefined
  readonly deletes: readonly boolean[]
}
