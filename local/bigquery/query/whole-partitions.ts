/** Which conditions name exactly whole partitions, so that rows need not be looked at one by one. */
import type { TableEntry } from '../catalogue/entry.ts'
import {
  commonSpans,
  endOfTime,
  firstTime,
  joinSpans,
  lessSpans,
  type Partitions,
} from '../catalogue/exclusion.ts'
import { partitionField } from '../catalogue/relation.ts'
import type { Expr } from '../sql/index.ts'

interface Column {
  /** REST's type: DATE, DATETIME or TIMESTAMP. */
  readonly type: string
  readonly name: string
  /** What the table is called in the statement. */
  readonly table: string
}

const always: Partitions = { spans: [[firstTime, endOfTime]], nulls: true }
const day = 86_400_000

/** Milliseconds since 1970; `undefined` for what is no such literal, or finer than a millisecond. */
function readTime(expr: Expr, { type }: Column): number | undefined {
  const isTyped = expr.kind === 'typedLiteral' && expr.type === type
  if (!isTyped && !(expr.kind === 'literal' && expr.type === 'STRING')) return undefined
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[ Tt](\d{2}:\d{2}:\d{2}(?:\.\d{1,3}0*)?)( ?UTC|[Zz]|\+00(?::?00)?)?)?$/.exec(
      expr.value,
    )
  const [, date, time, zone] = match ?? []
  if (!date || (type === 'DATE' && time) || (type === 'DATETIME' && zone)) return undefined
  const ms = Date.parse(`${date}T${(time ?? '00:00:00').slice(0, 12)}Z`)
  // Date.parse takes the 31st of any month.
  return new Date(ms).toISOString().startsWith(date) ? ms : undefined
}

function isColumn(expr: Expr, { name, table }: Column): boolean {
  if (expr.kind !== 'path') return false
  const [last, qualifier, ...more] = expr.parts.toReversed()
  if (more.length > 0 || last?.toLowerCase() !== name.toLowerCase()) return false
  return qualifier === undefined || qualifier === table
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' }

/** Values of a DATE are days apart; other types are finer than any partition, so that `<=` and `>` can't end one. */
function compare(op: string, ms: number, { type }: Column): Partitions | undefined {
  const after = type === 'DATE' ? ms + day : undefined
  const to = op === '<' ? ms : op === '>=' || op === '>' ? endOfTime : after
  const from = op === '>=' || op === '=' ? ms : op === '>' ? after : firstTime
  return from === undefined || to === undefined ? undefined : { spans: joinSpans([[from, to]]), nulls: false }
}

function comparison(op: string, left: Expr, right: Expr, column: Column): Partitions | undefined {
  const turned = mirrored[op]
  if (!turned) return undefined
  if (isColumn(right, column) && !isColumn(left, column)) return comparison(turned, right, left, column)
  const ms = isColumn(left, column) ? readTime(right, column) : undefined
  return ms === undefined ? undefined : compare(op, ms, column)
}

function both(a: Partitions | undefined, b: Partitions | undefined): Partitions | undefined {
  return a && b && { spans: commonSpans(a.spans, b.spans), nulls: a.nulls && b.nulls }
}

function either(a: Partitions | undefined, b: Partitions | undefined): Partitions | undefined {
  return a && b && { spans: joinSpans([...a.spans, ...b.spans]), nulls: a.nulls || b.nulls }
}

function among(items: readonly Expr[], operand: Expr, column: Column): Partitions | undefined {
  const none: Partitions = { spans: [], nulls: false }
  const times = items.map(item => comparison('=', operand, item, column))
  if (times.includes(undefined)) return undefined
  const spans = times.flatMap(time => time?.spans ?? [])
  return either(none, { spans, nulls: false })
}

const others = (found: Partitions | undefined): Partitions | undefined =>
  found && { spans: lessSpans(always.spans, found.spans), nulls: false }

/** Whether the condition is NULL where the value is: so is what NOT makes of it, then. */
function isNullForNull(expr: Expr): boolean {
  if (expr.kind === 'in' || expr.kind === 'between') return true
  if (expr.kind !== 'binary') return false
  if (expr.op !== 'AND' && expr.op !== 'OR') return mirrored[expr.op] !== undefined
  return isNullForNull(expr.left) && isNullForNull(expr.right)
}

/** The values for which the condition is true; `undefined` when it isn't made of comparisons with literals. */
function read(expr: Expr, column: Column): Partitions | undefined {
  switch (expr.kind) {
    case 'literal':
      return expr.type === 'BOOL' && expr.value === 'true' ? always : undefined
    case 'is': {
      if (expr.what !== 'NULL' || !isColumn(expr.operand, column)) return undefined
      return expr.not ? { ...always, nulls: false } : { spans: [], nulls: true }
    }
    case 'in': {
      const found = expr.list && among(expr.list, expr.operand, column)
      return expr.not ? others(found) : found
    }
    case 'unary':
      return expr.op === 'NOT' && isNullForNull(expr.operand) ? others(read(expr.operand, column)) : undefined
    case 'between': {
      if (expr.not) return undefined
      const low = comparison('>=', expr.operand, expr.low, column)
      return both(low, comparison('<=', expr.operand, expr.high, column))
    }
    case 'binary': {
      if (expr.op === 'AND') return both(read(expr.left, column), read(expr.right, column))
      if (expr.op === 'OR') return either(read(expr.left, column), read(expr.right, column))
      return comparison(expr.op, expr.left, expr.right, column)
    }
    default:
      return undefined
  }
}

function startsPartition(ms: number, unit: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR'): boolean {
  const at = new Date(ms)
  if (unit === 'HOUR') return ms % 3_600_000 === 0
  if (unit === 'DAY') return ms % day === 0
  return ms % day === 0 && at.getUTCDate() === 1 && (unit === 'MONTH' || at.getUTCMonth() === 0)
}

/**
 * The partitions of which all rows meet the condition, where the others have none that does; `undefined` when it may cut
 * one, or says so in a way not looked into. `alias`: what the table is called in the statement.
 */
export function wholePartitions(where: Expr, table: TableEntry, alias: string): Partitions | undefined {
  const field = partitionField(table)
  const { partitioning } = table
  if (!field || partitioning?.kind !== 'time') return undefined
  const found = read(where, { type: field.type, name: field.name, table: alias })
  const unit = partitioning.unit ?? 'DAY'
  const isWhole = found?.spans.flat().every(ms => startsPartition(ms, unit))
  return isWhole ? found : undefined
}
