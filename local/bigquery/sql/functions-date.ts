/** Date functions that take a date part, and those of the query's own moment. */
import type { Call } from './ast.ts'
import { coerce } from './coerce.ts'
import { isDatePart, isTimePart, readPart, sqlBoundaries, sqlTruncate } from './date-part.ts'
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { sqlInZone } from './emit-extract.ts'
import { sqlInterval } from './emit-literal.ts'
import { isType } from './emit-operator.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import type { SpecialRule } from './special-rule.ts'
import { scalar } from './type.ts'

type Kind = 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP'
const kinds: readonly Kind[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP']

function badPart(call: Call, part: string): SqlFailure {
  return new SqlFailure(`${call.name} does not support the ${part} date part`, call.at)
}

/** The argument as `kind`: DATE_TRUNC and others also take the wider types as they are. */
function typedArgument(call: Call, env: Env, i: number, kind: Kind): Emitted {
  const expr = call.args[i]
  const value = expr && emitExpr(expr, env)
  if (!value) throw noMatch(call.name, [], call.at)
  if (isType(value, ...(kind === 'TIME' ? ['TIME' as const] : kinds.filter(k => k !== 'TIME'))))
    return kind === 'DATETIME' && isType(value, 'DATE') ? coerce(value, scalar('DATETIME')) : value
  if (value.literal) return coerce(value, scalar(kind))
  throw noMatch(call.name, [value], call.at)
}

/** Whether a value of its type has this part: a DATE has no hours, a TIMESTAMP adds no months. */
function addsPart(value: Emitted, part: string): boolean {
  if (isType(value, 'DATE')) return ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY'].includes(part)
  if (isType(value, 'TIME')) return isTimePart(part)
  if (isType(value, 'TIMESTAMP')) return isTimePart(part) || part === 'DAY'
  return isTimePart(part) || ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY'].includes(part)
}

function shift(kind: Kind, sign: '+' | '-'): SpecialRule {
  return (call, env) => {
    const value = typedArgument(call, env, 0, kind)
    const interval = call.args[1]
    if (interval?.kind !== 'interval') throw new SqlFailure(`${call.name} needs an INTERVAL`, call.at)
    const { part } = interval
    if (!addsPart(value, part)) throw badPart(call, part)
    const amount = coerce(emitExpr(interval.value, env), scalar('INT64'))
    const moved = `${value.sql} ${sign} ${sqlInterval(amount.sql, part)}`
    if (isType(value, 'TIME')) return { sql: `(${moved})`, type: value.type }
    return {
      sql: `bq_in_range(${isType(value, 'DATE') ? `CAST(${moved} AS DATE)` : moved})`,
      type: value.type,
    }
  }
}

function diff(kind: Kind): SpecialRule {
  return (call, env) => {
    const a = typedArgument(call, env, 0, kind)
    const b = typedArgument(call, env, 1, kind)
    const part = readPart(call.args[2], call.name)
    const type = scalar('INT64')
    // Of timestamps BigQuery counts whole units, of dates and datetimes the boundaries between them.
    if (isType(a, 'TIMESTAMP') && isType(b, 'TIMESTAMP')) {
      if (part !== 'DAY' && !isTimePart(part)) throw badPart(call, part)
      const micros = {
        DAY: 86_400_000_000,
        HOUR: 3_600_000_000,
        MINUTE: 60_000_000,
        SECOND: 1_000_000,
        MILLISECOND: 1000,
        MICROSECOND: 1,
      }[part]
      return { sql: `((epoch_us(${a.sql}) - epoch_us(${b.sql})) // ${micros})`, type }
    }
    if (isType(a, 'TIMESTAMP') || isType(b, 'TIMESTAMP')) throw noMatch(call.name, [a, b], call.at)
    const isDated = isType(a, 'DATE') && isType(b, 'DATE')
    const sql =
      isDated && isTimePart(part)
        ? undefined
        : kind === 'TIME' && !isTimePart(part)
          ? undefined
          : sqlBoundaries(a.sql, b.sql, part)
    if (!sql) throw badPart(call, part)
    return { sql, type }
  }
}

function truncate(kind: Kind): SpecialRule {
  return (call, env) => {
    const value = typedArgument(call, env, 0, kind)
    const part = call.args[1] ? readPart(call.args[1], call.name) : 'DAY'
    const zone = call.args[2] && emitExpr(call.args[2], env).sql
    if (!isDatePart(part) && !isTimePart(part)) throw badPart(call, part)
    if (isType(value, 'TIMESTAMP')) {
      const sql = sqlTruncate(sqlInZone(value.sql, zone), part, 'TIMESTAMP')
      return { sql: sqlInZone(sql ?? '', zone), type: value.type }
    }
    if (zone) throw noMatch(call.name, [value], call.at)
    const sql = sqlTruncate(
      value.sql,
      part,
      isType(value, 'DATE') ? 'DATE' : kind === 'TIME' ? 'TIME' : 'TIMESTAMP',
    )
    if (!sql) throw badPart(call, part)
    return { sql, type: value.type }
  }
}

/** The moment comes from the scope, so that it is the same all through a query and a test can own it. */
function current(kind: Kind): SpecialRule {
  return (call, env) => {
    const zone = call.args[0] && emitExpr(call.args[0], env).sql
    const moment = `make_timestamptz(${Math.trunc(env.scope.now() * 1000)})`
    if (kind === 'TIMESTAMP') return { sql: moment, type: scalar('TIMESTAMP') }
    const local = sqlInZone(moment, zone)
    return { sql: kind === 'DATETIME' ? local : `CAST(${local} AS ${kind})`, type: scalar(kind) }
  }
}

const lastDay: SpecialRule = (call, env) => {
  const value = typedArgument(call, env, 0, 'DATE')
  const part = call.args[1] ? readPart(call.args[1], call.name) : 'MONTH'
  const start =
    isDatePart(part) && part !== 'DAY' && !isType(value, 'TIMESTAMP')
      ? sqlTruncate(`CAST(${value.sql} AS DATE)`, part, 'DATE')
      : undefined
  if (!start || part === 'ISOYEAR') throw badPart(call, part)
  const unit = part.startsWith('WEEK') || part === 'ISOWEEK' ? 'WEEK' : part
  const next = unit === 'QUARTER' ? 'INTERVAL 3 MONTH' : `INTERVAL 1 ${unit}`
  return { sql: `CAST(${start} + ${next} - INTERVAL 1 DAY AS DATE)`, type: scalar('DATE') }
}

function generate(kind: 'DATE' | 'TIMESTAMP'): SpecialRule {
  return (call, env) => {
    const start = typedArgument(call, env, 0, kind)
    const end = typedArgument(call, env, 1, kind)
    const step = call.args[2]
    if (step && step.kind !== 'interval') throw new SqlFailure(`${call.name} needs an INTERVAL`, call.at)
    const interval = step ? sqlInterval(emitExpr(step.value, env).sql, step.part) : 'INTERVAL 1 DAY'
    const sql = `generate_series(${start.sql}, ${end.sql}, ${interval})`
    const of = scalar(kind)
    return { sql: kind === 'DATE' ? `CAST(${sql} AS DATE[])` : sql, type: { kind: 'array', of } }
  }
}

function forKinds(suffix: string, make: (kind: Kind) => SpecialRule): Record<string, SpecialRule> {
  return Object.fromEntries(kinds.map(kind => [suffix.replace('*', kind), make(kind)]))
}

export const dateFunctions: Readonly<Record<string, SpecialRule>> = {
  ...forKinds('*_ADD', kind => shift(kind, '+')),
  ...forKinds('*_SUB', kind => shift(kind, '-')),
  ...forKinds('*_DIFF', diff),
  ...forKinds('*_TRUNC', truncate),
  ...forKinds('CURRENT_*', current),
  LAST_DAY: lastDay,
  GENERATE_DATE_ARRAY: generate('DATE'),
  GENERATE_TIMESTAMP_ARRAY: generate('TIMESTAMP'),
}
