/** Works out FOR SYSTEM_TIME AS OF, which must be known before the query can name its tables. */
import type { Expr } from './ast.ts'
import type { Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { bareFunctions } from './words.ts'

const micros: Readonly<Record<string, bigint>> = {
  DAY: 86_400_000_000n,
  HOUR: 3_600_000_000n,
  MINUTE: 60_000_000n,
  SECOND: 1_000_000n,
  MILLISECOND: 1000n,
  MICROSECOND: 1n,
}
const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i

function parseTimestamp(text: string): bigint | undefined {
  const [, day, time = '00:00:00', fraction = '', zone = 'Z'] = form.exec(text) ?? []
  if (day === undefined) return undefined
  const offset = /^(Z|UTC)$/i.test(zone)
    ? 'Z'
    : `${zone.slice(0, 3)}:${zone.replace(':', '').slice(3, 5) || '00'}`
  const milliseconds = Date.parse(`${day}T${time}${offset}`)
  return Number.isNaN(milliseconds)
    ? undefined
    : BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function text(expr: Expr, env: Env): string | undefined {
  if (expr.kind === 'literal' || expr.kind === 'typedLiteral') return expr.value
  if (expr.kind !== 'parameter') return undefined
  const positional = env.parameters.filter(parameter => parameter.name === undefined)
  const named = env.parameters.find(({ name }) => name?.toLowerCase() === expr.name?.toLowerCase())
  const value = expr.name === undefined ? positional[expr.index ?? 0]?.value : named?.value
  return typeof value === 'string' ? value : undefined
}

function moment(expr: Expr, env: Env): bigint | undefined {
  if (expr.kind === 'typedLiteral' || expr.kind === 'parameter' || expr.kind === 'literal') {
    return parseTimestamp(text(expr, env) ?? '')
  }
  if (expr.kind === 'cast') return moment(expr.operand, env)
  if (expr.kind === 'binary' && expr.right.kind === 'interval')
    return moved(expr.left, expr.right, expr.op === '-' ? -1n : 1n, env)
  if (expr.kind !== 'call') return undefined
  const [first, second] = expr.args
  if (bareFunctions.has(expr.name))
    return expr.name === 'CURRENT_TIMESTAMP' ? BigInt(Math.trunc(env.scope.now() * 1000)) : undefined
  if (expr.name === 'TIMESTAMP' && first && !second) return moment(first, env)
  const scale = { TIMESTAMP_MICROS: 1n, TIMESTAMP_MILLIS: 1000n, TIMESTAMP_SECONDS: 1_000_000n }[expr.name]
  if (scale && first) return integer(first, env, value => value * scale)
  const sign = expr.name === 'TIMESTAMP_SUB' ? -1n : expr.name === 'TIMESTAMP_ADD' ? 1n : undefined
  return sign && first && second ? moved(first, second, sign, env) : undefined
}

function integer(expr: Expr, env: Env, use: (value: bigint) => bigint): bigint | undefined {
  const value = text(expr, env)
  return value !== undefined && /^-?\d+$/.test(value) ? use(BigInt(value)) : undefined
}

function moved(base: Expr, interval: Expr, sign: bigint, env: Env): bigint | undefined {
  const from = moment(base, env)
  const unit = interval.kind === 'interval' ? micros[interval.part] : undefined
  if (from === undefined || unit === undefined || interval.kind !== 'interval') return undefined
  return integer(interval.value, env, value => from + sign * value * unit)
}

/** Microseconds since 1970. Refuses what is no timestamp literal, parameter, or one moved by an interval. */
export function asOfMicros(expr: Expr, env: Env): bigint {
  const value = moment(expr, env)
  if (value === undefined)
    throw new SqlFailure(
      'This FOR SYSTEM_TIME AS OF expression is not supported by the local BigQuery',
      expr.at,
    )
  return value
}
