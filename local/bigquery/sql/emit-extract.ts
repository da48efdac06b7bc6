/** Translates EXTRACT. */
import type { Extract } from './ast.ts'
import { isDatePart, isTimePart, sqlExtract } from './date-part.ts'
import { emitExpr } from './emit-expr.ts'
import { isType } from './emit-operator.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { scalar, typeText } from './type.ts'

/** A TIMESTAMP as a DuckDB TIMESTAMP in a zone. */
export function sqlInZone(sql: string, zone?: string): string {
  return `(${sql} AT TIME ZONE ${zone ?? "'UTC'"})`
}

export function emitExtract(expr: Extract, env: Env): Emitted {
  const { part, at } = expr
  const value = emitExpr(expr.operand, env)
  const zone = expr.zone && emitExpr(expr.zone, env).sql
  if (!isType(value, 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP')) {
    throw new SqlFailure(`EXTRACT does not support arguments of type: ${typeText(value.type)}`, at)
  }
  if (zone && !isType(value, 'TIMESTAMP'))
    throw new SqlFailure('EXTRACT from a value with a time zone needs a TIMESTAMP', at)
  const sql = isType(value, 'TIMESTAMP') ? sqlInZone(value.sql, zone) : value.sql
  if (part === 'DATE' && isType(value, 'DATETIME', 'TIMESTAMP'))
    return { sql: `CAST(${sql} AS DATE)`, type: scalar('DATE') }
  if (part === 'TIME' && isType(value, 'DATETIME', 'TIMESTAMP'))
    return { sql: `CAST(${sql} AS TIME)`, type: scalar('TIME') }
  if (part === 'DATETIME' && isType(value, 'TIMESTAMP')) return { sql, type: scalar('DATETIME') }
  const hasDate = !isType(value, 'TIME') && (isDatePart(part) || part === 'DAYOFWEEK' || part === 'DAYOFYEAR')
  const hasTime = !isType(value, 'DATE') && isTimePart(part)
  const extracted = hasDate || hasTime ? sqlExtract(sql, part) : undefined
  if (!extracted)
    throw new SqlFailure(`EXTRACT from ${typeText(value.type)} does not support the ${part} date part`, at)
  return { sql: extracted, type: scalar('INT64') }
}
