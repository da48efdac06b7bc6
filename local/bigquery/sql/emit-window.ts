/** Translates OVER clauses and the functions that only exist with one. */
import type { Call, FrameBound, WindowSpec } from './ast.ts'
import { canCoerce, coerce } from './coerce.ts'
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { sqlOrder } from './emit-order.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { scalar } from './type.ts'

/** A window with its named base written out. */
function resolveWindow(spec: WindowSpec, env: Env, at: number): WindowSpec {
  if (spec.base === undefined) return spec
  const named = env.windows.get(spec.base.toLowerCase())
  if (!named) throw new SqlFailure(`Unrecognized window alias ${spec.base}`, at)
  const base = resolveWindow(named, env, at)
  const frame = spec.frame ?? base.frame
  return {
    partitionBy: base.partitionBy,
    orderBy: spec.orderBy.length > 0 ? spec.orderBy : base.orderBy,
    ...(frame ? { frame } : {}),
  }
}

function sqlBound(bound: FrameBound, env: Env): string {
  return bound.offset ? `${emitExpr(bound.offset, env).sql} ${bound.kind}` : bound.kind
}

/** What stands in the parentheses of OVER. */
export function sqlOver(written: WindowSpec, env: Env, at: number): string {
  const { partitionBy, orderBy, frame } = resolveWindow(written, env, at)
  const parts: string[] = []
  if (partitionBy.length > 0)
    parts.push(`PARTITION BY ${partitionBy.map(e => emitExpr(e, env).sql).join(', ')}`)
  const isOffset =
    frame?.unit === 'RANGE' && (frame.start.offset !== undefined || frame.end?.offset !== undefined)
  if (orderBy.length > 0) parts.push(`ORDER BY ${sqlOrder(orderBy, env, isOffset)}`)
  if (frame) {
    const start = sqlBound(frame.start, env)
    parts.push(`${frame.unit} ${frame.end ? `BETWEEN ${start} AND ${sqlBound(frame.end, env)}` : start}`)
  }
  return parts.join(' ')
}

type Shape = 'rank' | 'share' | 'value' | 'offset' | 'nth' | 'tile'
const shapes: Readonly<Record<string, Shape>> = {
  ROW_NUMBER: 'rank',
  RANK: 'rank',
  DENSE_RANK: 'rank',
  PERCENT_RANK: 'share',
  CUME_DIST: 'share',
  NTILE: 'tile',
  LAG: 'offset',
  LEAD: 'offset',
  FIRST_VALUE: 'value',
  LAST_VALUE: 'value',
  NTH_VALUE: 'nth',
}

export const windowFunctions: ReadonlySet<string> = new Set(Object.keys(shapes))
const arity: Readonly<Record<Shape, readonly [number, number]>> = {
  rank: [0, 0],
  share: [0, 0],
  value: [1, 1],
  offset: [1, 3],
  nth: [2, 2],
  tile: [1, 1],
}
const unordered = new Set(['ROW_NUMBER', 'FIRST_VALUE', 'LAST_VALUE', 'NTH_VALUE'])

export function emitWindowCall(call: Call, env: Env): Emitted {
  const { name, at, over } = call
  const shape = shapes[name] ?? 'rank'
  if (!over) throw new SqlFailure(`Analytic function ${name} cannot be called without an OVER clause`, at)
  const args = call.args.map(arg => emitExpr(arg, env))
  const [least, most] = arity[shape]
  if (args.length < least || args.length > most || call.star || call.distinct || call.safe)
    throw noMatch(name, args, at)
  const window = resolveWindow(over, env, at)
  if (!unordered.has(name) && window.orderBy.length === 0) {
    throw new SqlFailure(`Window ORDER BY is required for analytic function ${name}`, at)
  }
  if (window.frame && !['value', 'nth'].includes(shape))
    throw new SqlFailure(`Window framing clause is not allowed for analytic function ${name}`, at)
  const [value, , fallback] = args
  if (value && fallback && !canCoerce(fallback, value.type)) throw noMatch(name, args, at)
  const texts = args.map((arg, i) => (i === 2 && value ? coerce(arg, value.type).sql : arg.sql))
  const nulls = call.nulls && (shape === 'value' || shape === 'nth') ? ` ${call.nulls} NULLS` : ''
  if (call.nulls && !nulls)
    throw new SqlFailure(`IGNORE NULLS and RESPECT NULLS are not allowed for analytic function ${name}`, at)
  const sql = `${name.toLowerCase()}(${texts.join(', ')}${nulls}) OVER (${sqlOver(window, env, at)})`
  if (shape === 'share') return { sql, type: scalar('FLOAT64') }
  return shape === 'rank' || shape === 'tile'
    ? { sql, type: scalar('INT64') }
    : { sql, type: value?.type ?? scalar('INT64') }
}
