/** Where an expression is translated: the relations it sees, their columns, and what its query knows. */
import type { TableName, WindowSpec } from './ast.ts'
import type { QueryParameter, Scope } from './scope.ts'
import type { SqlType } from './type.ts'

/** A translated expression. */
export interface Emitted {
  readonly sql: string
  readonly type: SqlType
  /** Set for a literal or a NULL: BigQuery lets it take other types than its own. */
  readonly literal?: { readonly type: string; readonly value: string }
  /** The fields of a STRUCT written out: each converts as it would by itself. */
  readonly parts?: readonly Emitted[]
}

/** A column of a relation: the name BigQuery knows, and the DuckDB text that reads it. */
export interface Field extends Emitted {
  readonly name: string
}

export interface Relation {
  readonly alias: string
  readonly fields: readonly Field[]
  /** Fields that may be named but are not part of `*`. */
  readonly hidden: readonly Field[]
  /** Set when the relation's row is a value, as UNNEST gives: what the alias alone means. */
  readonly value?: Emitted
  /** The table it reads, if it is one. */
  readonly table?: TableName
}

/** The relations of one FROM clause; `merged` are the columns of USING, `order` what `*` gives. */
export interface Rows {
  readonly relations: readonly Relation[]
  readonly merged: readonly Field[]
  readonly order: readonly Field[]
}

export interface Env {
  readonly scope: Scope
  readonly parameters: readonly QueryParameter[]
  readonly ctes: ReadonlyMap<string, readonly Field[]>
  /** Innermost first. */
  readonly rows: readonly Rows[]
  readonly windows: ReadonlyMap<string, WindowSpec>
  /** Select-list names, which GROUP BY, HAVING, QUALIFY and ORDER BY may use; they win over columns. */
  readonly aliases?: ReadonlyMap<string, Emitted>
}

export const noRows: Rows = { relations: [], merged: [], order: [] }

export function makeEnv(scope: Scope, parameters: readonly QueryParameter[]): Env {
  return { scope, parameters, ctes: new Map(), rows: [], windows: new Map() }
}

/** The environment of a query inside this one: it sees these rows, but not this query's aliases and windows. */
export function innerEnv(env: Env): Env {
  const { aliases: _, ...rest } = env
  return { ...rest, windows: new Map() }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A DuckDB string literal of any text. */
export function quoteText(text: string): string {
  const quoted = (part: string) => `'${part.replaceAll("'", "''")}'`
  // The C interface ends a statement's text at a NUL.
  return text.includes('\0') ? `(${text.split('\0').map(quoted).join(' || chr(0) || ')})` : quoted(text)
}
