/** Parses column definitions and the PARTITION BY and CLUSTER BY of a table. */
import type { Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import { parseExpr } from './parse-expr.ts'
import { parseOptions } from './parse-options.ts'
import { parseType } from './parse-type.ts'
import type { ColumnDefinition, PartitionBy } from './statement.ts'

export interface TableElements {
  readonly columns: readonly ColumnDefinition[]
  readonly primaryKey: readonly string[]
}

export function parseTableElements(cursor: Cursor): TableElements {
  const columns: ColumnDefinition[] = []
  let primaryKey: readonly string[] = []
  cursor.expect('(')
  do {
    if (cursor.at(')')) break
    if (cursor.at('CONSTRAINT') || cursor.at('FOREIGN', 'KEY')) throw cursor.refuse('A named or foreign key')
    if (cursor.take('PRIMARY', 'KEY')) primaryKey = parseKeyColumns(cursor)
    else {
      const { column, isKey } = parseColumn(cursor)
      columns.push(column)
      if (isKey) primaryKey = [column.name]
    }
  } while (cursor.take(','))
  cursor.expect(')')
  return { columns, primaryKey }
}

export function parseKeyColumns(cursor: Cursor): string[] {
  const columns = cursor.parenthesised(() => cursor.name())
  parseNotEnforced(cursor)
  return columns
}

function parseNotEnforced(cursor: Cursor): void {
  if (cursor.take('NOT', 'ENFORCED')) return
  throw new SqlFailure('Enforced primary key is not supported; use NOT ENFORCED', cursor.peek().at)
}

export function parseColumn(cursor: Cursor): { column: ColumnDefinition; isKey: boolean } {
  const name = cursor.name()
  const type = parseType(cursor)
  let isKey = false
  let required = false
  let defaultExpr: Expr | undefined
  let defaultText: string | undefined
  for (;;) {
    if (cursor.at('COLLATE') || cursor.at('REFERENCES')) throw cursor.refuse(cursor.peek().key)
    if (cursor.take('PRIMARY', 'KEY')) {
      parseNotEnforced(cursor)
      isKey = true
    } else if (cursor.take('DEFAULT')) {
      const parsed = parseText(cursor)
      defaultExpr = parsed.expr
      defaultText = parsed.text
    } else if (cursor.take('NOT', 'NULL')) required = true
    else break
  }
  const options = parseOptions(cursor)
  const mode = type.kind === 'array' ? 'REPEATED' : required ? 'REQUIRED' : 'NULLABLE'
  const withDefault = defaultExpr && defaultText !== undefined ? { default: defaultText, defaultExpr } : {}
  return { column: { name, type, mode, options, ...withDefault }, isKey }
}

/** An expression together with its text. */
export function parseText(cursor: Cursor): { expr: Expr; text: string } {
  const start = cursor.peek().at
  const expr = parseExpr(cursor)
  return { expr, text: cursor.text.slice(start, cursor.peek(-1).end) }
}

export function parseClusterBy(cursor: Cursor): string[] {
  if (!cursor.take('CLUSTER', 'BY')) return []
  const { at } = cursor.peek()
  const columns = cursor.list(() => cursor.name())
  if (columns.length > 4) throw new SqlFailure('The maximum allowed number of clustering columns is 4', at)
  return columns
}

export function parsePartitionBy(cursor: Cursor): PartitionBy | undefined {
  if (!cursor.take('PARTITION', 'BY')) return undefined
  return toPartition(parseExpr(cursor))
}

const badPartition =
  'PARTITION BY expression must be DATE(<timestamp_column>), DATE(<datetime_column>), DATETIME_TRUNC(<datetime_column>, DAY/HOUR/MONTH/YEAR), a DATE column, TIMESTAMP_TRUNC(<timestamp_column>, DAY/HOUR/MONTH/YEAR), DATE_TRUNC(<date_column>, MONTH/YEAR), or RANGE_BUCKET(<int64_column>, GENERATE_ARRAY(<int64_value>, <int64_value>[, <int64_value>]))'

function pathName(expr: Expr | undefined): string | undefined {
  return expr?.kind === 'path' && expr.parts.length === 1 ? expr.parts[0] : undefined
}

function timePartition(column: string, unit: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR'): PartitionBy {
  const isIngestion = ['_PARTITIONDATE', '_PARTITIONTIME'].includes(column.toUpperCase())
  return isIngestion ? { kind: 'ingestion', unit } : { kind: 'time', column, unit }
}

function toPartition(expr: Expr): PartitionBy {
  const plain = pathName(expr)
  if (plain !== undefined) return timePartition(plain, 'DAY')
  if (expr.kind === 'call') {
    const column = pathName(expr.args[0])
    const unit = pathName(expr.args[1])?.toUpperCase()
    if (column !== undefined && expr.name === 'DATE' && expr.args.length === 1)
      return timePartition(column, 'DAY')
    if (
      column !== undefined &&
      /^(DATE|DATETIME|TIMESTAMP)_TRUNC$/.test(expr.name) &&
      expr.args.length === 2
    ) {
      if (unit === 'HOUR' || unit === 'DAY' || unit === 'MONTH' || unit === 'YEAR')
        return timePartition(column, unit)
    }
    if (column !== undefined && expr.name === 'RANGE_BUCKET')
      return rangePartition(column, expr.args[1], expr.at)
  }
  throw new SqlFailure(badPartition, expr.at)
}

function rangePartition(column: string, bounds: Expr | undefined, at: number): PartitionBy {
  const numbers = bounds?.kind === 'call' && bounds.name === 'GENERATE_ARRAY' ? bounds.args : []
  const [start, end, interval = 1] = numbers.map(n =>
    n.kind === 'literal' && n.type === 'INT64' ? Number(n.value) : Number.NaN,
  )
  if (start === undefined || end === undefined || !(start < end) || !(interval > 0))
    throw new SqlFailure(badPartition, at)
  return { kind: 'range', column, start, end, interval }
}
