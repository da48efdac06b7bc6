/** What the translator needs to know of the world: tables, time and parameters. */
import type { TableName } from './ast.ts'
import type { Column, SqlType } from './type.ts'

export interface Scope {
  /**
   * DuckDB relation text for a table: a quoted name or a parenthesised query, whose columns are those of `columns`
   * (in any order, more are harmless). `asOf` is a moment in microseconds since 1970, for FOR SYSTEM_TIME AS OF.
   * Throws `SqlError` `notFound` for an unknown table. `INFORMATION_SCHEMA.X` comes as `table`.
   */
  relation(name: TableName, asOf?: bigint): string
  /** The columns in order; throws as `relation` does. Pseudo-columns are listed by `pseudoColumns`. */
  columns(name: TableName): readonly Column[]
  /** Columns that may be named but are not part of `*`, such as `_PARTITIONTIME`; their names must exist in `relation`. */
  pseudoColumns?(name: TableName): readonly Column[]
  /** Default expressions of a table's columns, by column name, as DuckDB text; for INSERT and DEFAULT. */
  defaults?(name: TableName): Readonly<Record<string, string>>
  /** The moment the query runs at, in milliseconds since 1970. */
  now(): number
  /** What SESSION_USER() says. */
  user?(): string
}

/** A query parameter, typed. `value` follows the type: text for scalars (as REST sends it), lists for arrays, one value a field for structs. */
export interface QueryParameter {
  /** Absent for a positional parameter. */
  readonly name?: string
  readonly type: SqlType
  readonly value: ParameterValue
}
export type ParameterValue = string | null | readonly ParameterValue[]
