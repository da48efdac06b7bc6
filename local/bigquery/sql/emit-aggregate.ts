/** Translates aggregate functions, plain and over a window. */
import type { Call } from './ast.ts'
import { coerce } from './coerce.ts'
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { isType } from './emit-operator.ts'
import { sqlOrder } from './emit-order.ts'
import { sketchAggregates } from './emit-sketch.ts'
import { sqlOver } from './emit-window.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { duckType, type SqlType, scalar } from './type.ts'

interface Parts {
  readonly call: Call
  readonly args: readonly Emitted[]
  /** `name(DISTINCT args ORDER BY …) FILTER (…) OVER (…)` */
  readonly sql: (name: string, args: readonly string[], filter?: string) => string
}
export type AggregateRule = (parts: Parts) => Emitted | undefined
type Rule = AggregateRule

const int64 = scalar('INT64')
const float64 = scalar('FLOAT64')
const isNumber = (value: Emitted) => isType(value, 'INT64', 'FLOAT64', 'NUMERIC')

/** SUM of INT64 is HUGEINT in DuckDB; BigQuery's overflows, and so does the cast. */
const sum: Rule = ({ args: [value], sql }) => {
  if (!value || !isNumber(value)) return undefined
  const plain = sql('sum', [value.sql])
  return {
    sql: isType(value, 'FLOAT64') ? plain : `CAST(${plain} AS ${duckType(value.type)})`,
    type: value.type,
  }
}

const avg: Rule = ({ args: [value], sql }) => {
  if (!value || !isNumber(value)) return undefined
  if (!isType(value, 'NUMERIC')) return { sql: sql('avg', [value.sql]), type: float64 }
  const number = sql('count', [value.sql])
  return {
    sql: `bq_numeric_divide(${sql('sum', [value.sql])}, CAST(nullif(${number}, 0) AS DECIMAL(38,9)))`,
    type: value.type,
  }
}

const extreme =
  (name: string): Rule =>
  ({ args: [value], sql }) =>
    value && value.type.kind === 'scalar' && !isType(value, 'JSON', 'INTERVAL')
      ? { sql: sql(name, [value.sql]), type: value.type }
      : undefined

const count: Rule = ({ call, args: [value], sql }) => {
  if (call.star) return { sql: sql('count', ['*']), type: int64 }
  if (!value || (call.distinct && (value.type.kind === 'array' || isType(value, 'JSON')))) return undefined
  return { sql: sql('count', [value.sql]), type: int64 }
}

const countIf: Rule = ({ args: [value], sql }) =>
  value && isType(value, 'BOOL')
    ? { sql: sql('count', [`CASE WHEN ${value.sql} THEN 1 END`]), type: int64 }
    : undefined

const anyValue: Rule = ({ call, args: [value, key], sql }) => {
  if (!value) return undefined
  if (call.having && key)
    return {
      sql: sql(call.having.which === 'MAX' ? 'arg_max_null' : 'arg_min_null', [value.sql, key.sql]),
      type: value.type,
    }
  return { sql: sql('first', [value.sql]), type: value.type }
}

const by =
  (name: string): Rule =>
  ({ args: [value, key], sql }) =>
    value && key ? { sql: sql(name, [value.sql, key.sql]), type: value.type } : undefined

function limitOf(call: Call): string {
  const { limit } = call
  if (!limit) return ''
  if (limit.kind !== 'literal' || limit.type !== 'INT64')
    throw new SqlFailure(`LIMIT in ${call.name} must be an integer literal`, limit.at)
  return `[1:${limit.value}]`
}

const arrayAgg: Rule = ({ call, args: [value], sql }) => {
  if (!value || value.type.kind === 'array') return undefined
  const list = sql('list', [value.sql], call.nulls === 'IGNORE' ? `${value.sql} IS NOT NULL` : undefined)
  return { sql: call.limit ? `(${list})${limitOf(call)}` : list, type: { kind: 'array', of: value.type } }
}

const stringAgg: Rule = ({ call, args: [value, delimiter], sql }) => {
  if (!value || !isType(value, 'STRING') || (delimiter && !isType(delimiter, 'STRING'))) return undefined
  const by = delimiter?.sql ?? "','"
  if (!call.limit) return { sql: sql('string_agg', [value.sql, by]), type: value.type }
  const list = sql('list', [value.sql], `${value.sql} IS NOT NULL`)
  return { sql: `array_to_string((${list})${limitOf(call)}, ${by})`, type: value.type }
}

const logical =
  (name: string): Rule =>
  ({ args: [value], sql }) =>
    value && isType(value, 'BOOL') ? { sql: sql(name, [value.sql]), type: value.type } : undefined

const bits =
  (name: string): Rule =>
  ({ args: [value], sql }) =>
    value && isType(value, 'INT64') ? { sql: sql(name, [value.sql]), type: int64 } : undefined

const statistic =
  (name: string, arity: number): Rule =>
  ({ args, sql }) =>
    args.length === arity && args.every(isNumber)
      ? {
          sql: sql(
            name,
            args.map(a => coerce(a, float64).sql),
          ),
          type: float64,
        }
      : undefined

const approxCount: Rule = ({ call, args: [value], sql }) =>
  value && !call.distinct ? { sql: sql('count', [`DISTINCT ${value.sql}`]), type: int64 } : undefined

const quantiles: Rule = ({ call, args: [value], sql }) => {
  const number = call.args[1]
  if (!value || number?.kind !== 'literal' || number.type !== 'INT64' || call.distinct) return undefined
  const parts = Number(number.value)
  if (!(parts >= 1 && parts <= 1000))
    throw new SqlFailure('APPROX_QUANTILES takes 1 to 1000 quantiles here', number.at)
  const points = Array.from({ length: parts + 1 }, (_, i) => i / parts)
  const type: SqlType = { kind: 'array', of: value.type }
  return { sql: sql('quantile_disc', [value.sql, `[${points.join(', ')}]`]), type }
}

const rules: Readonly<Record<string, Rule>> = {
  COUNT: count,
  COUNTIF: countIf,
  SUM: sum,
  AVG: avg,
  MIN: extreme('min'),
  MAX: extreme('max'),
  ANY_VALUE: anyValue,
  MAX_BY: by('arg_max_null'),
  MIN_BY: by('arg_min_null'),
  ARRAY_AGG: arrayAgg,
  STRING_AGG: stringAgg,
  LOGICAL_AND: logical('bool_and'),
  LOGICAL_OR: logical('bool_or'),
  BIT_AND: bits('bit_and'),
  BIT_OR: bits('bit_or'),
  BIT_XOR: bits('bit_xor'),
  STDDEV: statistic('stddev_samp', 1),
  STDDEV_SAMP: statistic('stddev_samp', 1),
  STDDEV_POP: statistic('stddev_pop', 1),
  VARIANCE: statistic('var_samp', 1),
  VAR_SAMP: statistic('var_samp', 1),
  VAR_POP: statistic('var_pop', 1),
  CORR: statistic('corr', 2),
  COVAR_POP: statistic('covar_pop', 2),
  COVAR_SAMP: statistic('covar_samp', 2),
  APPROX_COUNT_DISTINCT: approxCount,
  APPROX_QUANTILES: quantiles,
  ...sketchAggregates,
}

export const aggregates: ReadonlySet<string> = new Set(Object.keys(rules))
const pairs = new Set([
  'MAX_BY',
  'MIN_BY',
  'STRING_AGG',
  'CORR',
  'COVAR_POP',
  'COVAR_SAMP',
  'APPROX_QUANTILES',
  'HLL_COUNT.INIT',
])
const ordered = new Set(['ARRAY_AGG', 'STRING_AGG'])

export function emitAggregate(call: Call, env: Env): Emitted {
  const { name, at } = call
  const isOff = (call.orderBy.length > 0 || call.limit) && !ordered.has(name)
  if (isOff || (call.nulls && name !== 'ARRAY_AGG') || (call.having && name !== 'ANY_VALUE') || call.safe) {
    throw new SqlFailure(
      `${name} with ORDER BY, LIMIT, NULLS, HAVING or SAFE is not supported by the local BigQuery`,
      at,
    )
  }
  if (call.having && call.over) throw new SqlFailure('HAVING in an analytic function is not supported', at)
  const args = [...call.args, ...(call.having ? [call.having.expr] : [])].map(arg => emitExpr(arg, env))
  const over = call.over ? ` OVER (${sqlOver(call.over, env, at)})` : ''
  const order = call.orderBy.length > 0 ? ` ORDER BY ${sqlOrder(call.orderBy, env, false)}` : ''
  const sql: Parts['sql'] = (duckName, values, filter) =>
    `${duckName}(${call.distinct ? 'DISTINCT ' : ''}${values.join(', ')}${order})${filter ? ` FILTER (WHERE ${filter})` : ''}${over}`
  const most = pairs.has(name) ? 2 : 1
  const emitted = call.args.length > most ? undefined : rules[name]?.({ call, args, sql })
  if (!emitted) throw noMatch(name, args, at, 'aggregate function')
  return emitted
}
