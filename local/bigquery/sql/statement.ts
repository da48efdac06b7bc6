/** What a BigQuery statement can be, once parsed: a union on `kind`. */
import type { Expr, From, Query, TableName } from './ast.ts'
import type { SqlType } from './type.ts'

export type { TableName } from './ast.ts'

/** An option's value: plain data when it is written with literals only, else the expression to evaluate. */
export type OptionValue =
  | { readonly kind: 'literal'; readonly value: LiteralValue }
  | { readonly kind: 'expression'; readonly expr: Expr }
/** Strings, numbers and booleans as such; arrays and tuples (`[("a","b")]`) as lists. An INT64 too big for a number is a string. */
export type LiteralValue = string | number | boolean | null | readonly LiteralValue[]
/** By lower-case option name. */
export type Options = Readonly<Record<string, OptionValue>>

export interface ColumnDefinition {
  readonly name: string
  readonly type: SqlType
  readonly mode: 'NULLABLE' | 'REQUIRED' | 'REPEATED'
  /** The text of the DEFAULT expression. */
  readonly default?: string
  readonly defaultExpr?: Expr
  readonly options: Options
}

export type PartitionBy =
  | { readonly kind: 'time'; readonly column: string; readonly unit: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR' }
  | { readonly kind: 'ingestion'; readonly unit: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR' }
  | {
      readonly kind: 'range'
      readonly column: string
      readonly start: number
      readonly end: number
      readonly interval: number
    }

interface Base<K extends string, T extends string> {
  readonly kind: K
  /** As `statistics.query.statementType` spells it. */
  readonly statementType: T
  /** The statement's own text, without the semicolon. */
  readonly text: string
  /** The whole script, in which all offsets of the tree count. */
  readonly script: string
  /** Tables read, once each. */
  readonly references: readonly TableName[]
}

export interface SelectStatement extends Base<'select', 'SELECT'> {
  readonly query: Query
}

export interface CreateTable extends Base<'createTable', 'CREATE_TABLE' | 'CREATE_TABLE_AS_SELECT'> {
  readonly name: TableName
  readonly orReplace: boolean
  readonly ifNotExists: boolean
  readonly columns: readonly ColumnDefinition[]
  readonly primaryKey: readonly string[]
  readonly partitionBy?: PartitionBy
  readonly clusterBy: readonly string[]
  readonly options: Options
  readonly as?: Query
}

/** CREATE TABLE … CLONE | COPY | LIKE, and CREATE SNAPSHOT TABLE … CLONE. `asOf` is the FOR SYSTEM_TIME AS OF expression. */
export interface CreateFromTable
  extends Base<
    'createClone' | 'createCopy' | 'createLike' | 'createSnapshot',
    'CREATE_TABLE_CLONE' | 'CREATE_TABLE_COPY' | 'CREATE_TABLE_LIKE' | 'CREATE_SNAPSHOT_TABLE'
  > {
  readonly name: TableName
  readonly source: TableName
  readonly orReplace: boolean
  readonly ifNotExists: boolean
  readonly asOf?: Expr
  readonly partitionBy?: PartitionBy
  readonly clusterBy: readonly string[]
  readonly options: Options
}

export interface CreateView extends Base<'createView', 'CREATE_VIEW'> {
  readonly name: TableName
  readonly orReplace: boolean
  readonly ifNotExists: boolean
  readonly columns: readonly string[]
  readonly options: Options
  readonly query: Query
  /** The view's query as written. */
  readonly queryText: string
}

export interface Drop
  extends Base<
    'dropTable' | 'dropSnapshot' | 'dropView',
    'DROP_TABLE' | 'DROP_SNAPSHOT_TABLE' | 'DROP_VIEW'
  > {
  readonly name: TableName
  readonly ifExists: boolean
}

export type Alteration =
  | { readonly kind: 'setOptions'; readonly options: Options }
  | { readonly kind: 'addColumn'; readonly column: ColumnDefinition; readonly ifNotExists: boolean }
  | { readonly kind: 'dropColumn'; readonly column: string; readonly ifExists: boolean }
  | {
      readonly kind: 'renameColumn'
      readonly column: string
      readonly to: string
      readonly ifExists: boolean
    }
  | { readonly kind: 'renameTo'; readonly name: string }
  | { readonly kind: 'setColumnOptions'; readonly column: string; readonly options: Options }
  | { readonly kind: 'setDefault'; readonly column: string; readonly expr: Expr; readonly text: string }
  | { readonly kind: 'dropDefault'; readonly column: string }
  | { readonly kind: 'dropNotNull'; readonly column: string }
  | { readonly kind: 'addPrimaryKey'; readonly columns: readonly string[] }
  | { readonly kind: 'dropPrimaryKey'; readonly ifExists: boolean }

export interface AlterTable extends Base<'alterTable', 'ALTER_TABLE'> {
  readonly name: TableName
  readonly ifExists: boolean
  readonly alterations: readonly Alteration[]
}

/** `name.table` is the dataset. */
export interface CreateSchema extends Base<'createSchema', 'CREATE_SCHEMA'> {
  readonly project?: string
  readonly dataset: string
  readonly ifNotExists: boolean
  readonly options: Options
}
export interface DropSchema extends Base<'dropSchema', 'DROP_SCHEMA'> {
  readonly project?: string
  readonly dataset: string
  readonly ifExists: boolean
  readonly cascade: boolean
}

export interface Insert extends Base<'insert', 'INSERT'> {
  readonly name: TableName
  /** Empty: all columns in order. */
  readonly columns: readonly string[]
  /** Rows of VALUES; `undefined` in a row stands for DEFAULT. */
  readonly values?: readonly (readonly (Expr | undefined)[])[]
  readonly query?: Query
}
export interface Delete extends Base<'delete', 'DELETE'> {
  readonly name: TableName
  readonly alias?: string
  readonly where: Expr
}
export interface Assignment {
  readonly column: string
  /** `undefined` stands for DEFAULT. */
  readonly value: Expr | undefined
  readonly at: number
}
export interface Update extends Base<'update', 'UPDATE'> {
  readonly name: TableName
  readonly alias?: string
  readonly set: readonly Assignment[]
  readonly from?: From
  readonly where: Expr
}
export type MergeAction =
  | { readonly kind: 'update'; readonly set: readonly Assignment[] }
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'insert'
      readonly columns: readonly string[]
      readonly values: readonly (Expr | undefined)[]
    }
  | { readonly kind: 'insertRow' }
export interface MergeClause {
  readonly when: 'matched' | 'notMatchedByTarget' | 'notMatchedBySource'
  readonly and?: Expr
  readonly action: MergeAction
}
export interface Merge extends Base<'merge', 'MERGE'> {
  readonly name: TableName
  readonly alias?: string
  readonly source: From
  readonly on: Expr
  readonly clauses: readonly MergeClause[]
}
export interface Truncate extends Base<'truncate', 'TRUNCATE_TABLE'> {
  readonly name: TableName
}
export interface Transaction
  extends Base<
    'begin' | 'commit' | 'rollback',
    'BEGIN_TRANSACTION' | 'COMMIT_TRANSACTION' | 'ROLLBACK_TRANSACTION'
  > {
  readonly name?: never
}

export type Dml = Insert | Delete | Update | Merge | Truncate
export type Statement =
  | SelectStatement
  | CreateTable
  | CreateFromTable
  | CreateView
  | Drop
  | AlterTable
  | CreateSchema
  | DropSchema
  | Dml
  | Transaction
