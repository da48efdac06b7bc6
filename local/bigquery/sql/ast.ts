/** The syntax tree of a BigQuery query: expressions, relations and query blocks. */
import type { Offset } from './error.ts'
import type { SqlType } from './type.ts'

/** A table as written: backticks and dashes resolved. INFORMATION_SCHEMA views are one `table`, `INFORMATION_SCHEMA.TABLES`. */
export interface TableName {
  readonly project?: string
  readonly dataset?: string
  readonly table: string
}

export interface Typed<K extends string> {
  readonly kind: K
  readonly at: Offset
}

export type LiteralType = 'INT64' | 'FLOAT64' | 'STRING' | 'BYTES' | 'BOOL' | 'NULL'
/** `value` is the decoded text; BYTES hold one character per byte; a BOOL is `true` or `false`. */
export interface Literal extends Typed<'literal'> {
  readonly type: LiteralType
  readonly value: string
}
export interface TypedLiteral extends Typed<'typedLiteral'> {
  readonly type: 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP' | 'NUMERIC' | 'BIGNUMERIC' | 'JSON'
  readonly value: string
}
export interface Interval extends Typed<'interval'> {
  readonly value: Expr
  readonly part: string
}
/** `INTERVAL 'text' from TO to`, parts in upper case. */
export interface IntervalRange extends Typed<'intervalRange'> {
  readonly text: string
  readonly from: string
  readonly to: string
}
/** A dotted name: a column, a field of a struct, or a table alias. */
export interface Path extends Typed<'path'> {
  readonly parts: readonly string[]
}
/** `name` for `@name`, `index` (from 0) for `?`. */
export interface Parameter extends Typed<'parameter'> {
  readonly name?: string
  readonly index?: number
}
export interface Unary extends Typed<'unary'> {
  readonly op: '-' | '+' | '~' | 'NOT'
  readonly operand: Expr
}
export interface Binary extends Typed<'binary'> {
  readonly op: string
  readonly left: Expr
  readonly right: Expr
}
export interface Is extends Typed<'is'> {
  readonly operand: Expr
  readonly not: boolean
  readonly what: 'NULL' | 'TRUE' | 'FALSE'
}
export interface Between extends Typed<'between'> {
  readonly operand: Expr
  readonly not: boolean
  readonly low: Expr
  readonly high: Expr
}
export interface In extends Typed<'in'> {
  readonly operand: Expr
  readonly not: boolean
  readonly list?: readonly Expr[]
  readonly query?: Query
  readonly unnest?: Expr
}
export interface Case extends Typed<'case'> {
  readonly operand?: Expr
  readonly branches: readonly { readonly when: Expr; readonly result: Expr }[]
  readonly otherwise?: Expr
}
export interface Cast extends Typed<'cast'> {
  readonly operand: Expr
  readonly type: SqlType
  readonly safe: boolean
}
/** A date part, with the weekday of `WEEK(MONDAY)`: only as an argument of a function that takes one, or of EXTRACT. */
export interface Extract extends Typed<'extract'> {
  readonly part: string
  readonly operand: Expr
  readonly zone?: Expr
}
export interface OrderItem {
  readonly expr: Expr
  readonly descending: boolean
  readonly nulls?: 'FIRST' | 'LAST'
}
export interface WindowSpec {
  readonly base?: string
  readonly partitionBy: readonly Expr[]
  readonly orderBy: readonly OrderItem[]
  readonly frame?: Frame
}
export interface Frame {
  readonly unit: 'ROWS' | 'RANGE'
  readonly start: FrameBound
  readonly end?: FrameBound
}
export interface FrameBound {
  readonly kind: 'UNBOUNDED PRECEDING' | 'UNBOUNDED FOLLOWING' | 'CURRENT ROW' | 'PRECEDING' | 'FOLLOWING'
  readonly offset?: Expr
}
/** `name` in upper case, dotted for `NET.HOST`. */
export interface Call extends Typed<'call'> {
  readonly name: string
  readonly safe: boolean
  readonly args: readonly Expr[]
  readonly star: boolean
  readonly distinct: boolean
  readonly nulls?: 'IGNORE' | 'RESPECT'
  readonly having?: { readonly which: 'MAX' | 'MIN'; readonly expr: Expr }
  readonly orderBy: readonly OrderItem[]
  readonly limit?: Expr
  readonly over?: WindowSpec
}
export interface ArrayLiteral extends Typed<'array'> {
  readonly of?: SqlType
  readonly items: readonly Expr[]
}
export interface StructLiteral extends Typed<'struct'> {
  readonly type?: SqlType
  readonly items: readonly { readonly name?: string; readonly expr: Expr }[]
  /** `(a, b)`: its fields have no names, where those of `STRUCT(a, b)` take their columns'. */
  readonly isTuple?: boolean
}
export interface Field extends Typed<'field'> {
  readonly base: Expr
  readonly name: string
}
export interface Index extends Typed<'index'> {
  readonly base: Expr
  readonly how: 'OFFSET' | 'ORDINAL' | 'SAFE_OFFSET' | 'SAFE_ORDINAL' | 'KEY'
  readonly index: Expr
}
export interface SubqueryExpr extends Typed<'subquery'> {
  readonly form: 'scalar' | 'exists' | 'array'
  readonly query: Query
}
export type Expr =
  | Literal
  | TypedLiteral
  | Interval
  | IntervalRange
  | Path
  | Parameter
  | Unary
  | Binary
  | Is
  | Between
  | In
  | Case
  | Cast
  | Extract
  | Call
  | ArrayLiteral
  | StructLiteral
  | Field
  | Index
  | SubqueryExpr

export interface Query extends Typed<'query'> {
  readonly recursive: boolean
  readonly ctes: readonly { readonly name: string; readonly query: Query; readonly at: Offset }[]
  readonly body: QueryBody
  readonly orderBy: readonly OrderItem[]
  readonly limit?: Expr
  readonly offset?: Expr
}
export type QueryBody = Select | SetOperation | Query
export interface SetOperation extends Typed<'set'> {
  readonly op: 'UNION ALL' | 'UNION DISTINCT' | 'INTERSECT DISTINCT' | 'EXCEPT DISTINCT'
  readonly left: QueryBody
  readonly right: QueryBody
}
export interface Select extends Typed<'select'> {
  readonly distinct: boolean
  readonly as?: 'STRUCT' | 'VALUE'
  readonly items: readonly SelectItem[]
  readonly from?: From
  readonly where?: Expr
  readonly groupBy: readonly Expr[]
  readonly grouping?: 'ROLLUP' | 'CUBE' | 'ALL'
  readonly having?: Expr
  readonly qualify?: Expr
  readonly windows: readonly { readonly name: string; readonly spec: WindowSpec }[]
}
export type SelectItem = SelectExpr | SelectStar
export interface SelectExpr extends Typed<'expr'> {
  readonly expr: Expr
  readonly alias?: string
}
export interface SelectStar extends Typed<'star'> {
  /** What stands before `.*`; nothing for a bare star. */
  readonly of?: Expr
  readonly except: readonly string[]
  readonly replace: readonly { readonly expr: Expr; readonly name: string }[]
}
export type From = FromTable | FromQuery | FromUnnest | Join
export interface FromTable extends Typed<'table'> {
  readonly name: TableName
  readonly alias?: string
  readonly asOf?: Expr
  /** Percent of the blocks. */
  readonly sample?: number
}
export interface FromQuery extends Typed<'fromQuery'> {
  readonly query: Query
  readonly alias?: string
}
export interface FromUnnest extends Typed<'unnest'> {
  readonly expr: Expr
  readonly alias?: string
  /** The alias of `WITH OFFSET`. */
  readonly offset?: string
}
export interface Join extends Typed<'join'> {
  readonly type: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS'
  readonly left: From
  readonly right: From
  readonly on?: Expr
  readonly using?: readonly string[]
}
