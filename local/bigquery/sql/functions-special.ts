/** The functions that need more than a template: they look at their arguments' text, or at the query's moment. */
import type { Call } from './ast.ts'
import { canCoerce, coerce, commonType, nullValue } from './coerce.ts'
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { isType } from './emit-operator.ts'
import type { Emitted, Env } from './env.ts'
import { quoteText } from './env.ts'
import { SqlError, SqlFailure } from './error.ts'
import { dateFunctions } from './functions-date.ts'
import { formatFunctions } from './functions-format.ts'
import { jsonFunctions } from './functions-json.ts'
import { literalText } from './literal-text.ts'
import type { SpecialRule } from './special-rule.ts'
import { duckType, type SqlType, scalar, typeText } from './type.ts'

function allOfOneType(call: Call, env: Env): { values: Emitted[]; type: SqlType } {
  const given = call.args.map(arg => emitExpr(arg, env))
  const type = commonType(given)
  if (!type || given.length === 0) throw noMatch(call.name, given, call.at)
  return { values: given.map(value => coerce(value, type)), type }
}

/** BigQuery's GREATEST and LEAST are NULL when any argument is; DuckDB's skip NULLs. */
function extreme(name: string): SpecialRule {
  return (call, env) => {
    const { values, type } = allOfOneType(call, env)
    const anyNull = values.map(value => `${value.sql} IS NULL`).join(' OR ')
    return {
      sql: `CASE WHEN ${anyNull} THEN NULL ELSE ${name}(${values.map(v => v.sql).join(', ')}) END`,
      type,
    }
  }
}

/** `||` and not concat(): a NULL makes the whole NULL. */
const concat: SpecialRule = (call, env) => {
  const { values, type } = allOfOneType(call, env)
  const isArray = type.kind === 'array'
  if (
    isArray !== (call.name === 'ARRAY_CONCAT') ||
    (!isArray && !['STRING', 'BYTES'].includes(typeText(type)))
  )
    throw noMatch(call.name, values, call.at)
  return { sql: `CAST(${values.map(value => value.sql).join(' || ')} AS ${duckType(type)})`, type }
}

function groupCount(pattern: string): number {
  return (
    pattern
      .replace(/\\./g, '')
      .replace(/\[[^\]]*\]/g, '')
      .match(/\((?!\?)|\(\?P?</g) ?? []
  ).length
}

const extract: SpecialRule = (call, env) => {
  const [text, pattern] = call.args
  if (!text || call.args.length !== 2)
    throw new SqlFailure(
      `${call.name} with a position or occurrence is not supported by the local BigQuery`,
      call.at,
    )
  const regexp = literalText(pattern, 'A regular expression', call.at)
  const groups = groupCount(regexp)
  if (groups > 1) throw new SqlFailure('Regular expression has more than 1 capturing group', call.at)
  const value = emitExpr(text, env)
  if (typeText(value.type) !== 'STRING') throw noMatch(call.name, [value], call.at)
  const args = `${value.sql}, ${quoteText(regexp)}`
  if (call.name === 'REGEXP_EXTRACT_ALL') {
    return { sql: `regexp_extract_all(${args}, ${groups})`, type: { kind: 'array', of: scalar('STRING') } }
  }
  return {
    sql: `CASE WHEN regexp_matches(${args}) THEN regexp_extract(${args}, ${groups}) END`,
    type: scalar('STRING'),
  }
}

const raise: SpecialRule = (call, env) => {
  const [message] = call.args.map(arg => emitExpr(arg, env))
  if (!message || typeText(message.type) !== 'STRING')
    throw noMatch('ERROR', message ? [message] : [], call.at)
  return { ...nullValue, sql: `error(${message.sql})` }
}

const roundNumeric: SpecialRule = (call, env) => {
  const [value, digits] = call.args.map(arg => emitExpr(arg, env))
  const target = value && typeText(value.type) === 'NUMERIC' ? scalar('NUMERIC') : scalar('FLOAT64')
  const isOff =
    !value || call.args.length > 2 || !['INT64', 'NUMERIC', 'FLOAT64'].includes(typeText(value.type))
  if (isOff || (digits && typeText(digits.type) !== 'INT64'))
    throw noMatch(call.name, value ? [value] : [], call.at)
  const places = digits ? `CAST(${digits.sql} AS INTEGER)` : '0'
  if (typeText(target) === 'FLOAT64')
    return {
      sql: `${call.name.toLowerCase()}(${coerce(value, target).sql}${digits ? `, ${places}` : ''})`,
      type: target,
    }
  return { sql: `CAST(${call.name.toLowerCase()}(${value.sql}, ${places}) AS DECIMAL(38,9))`, type: target }
}

const sessionUser: SpecialRule = (_call, env) => {
  const user = env.scope.user?.()
  if (user === undefined)
    throw new SqlError('invalidQuery', 'SESSION_USER is not supported by the local BigQuery')
  return { sql: quoteText(user), type: scalar('STRING') }
}

/**
 * Not Google's fingerprint, but one that a pinned DuckDB gives the same for ever, and fast. That of a row written as
 * JSON is taken from the row's values: the text, which costs twenty times as much, is never made.
 */
const fingerprint: SpecialRule = (call, env) => {
  const [text] = call.args
  const type = scalar('INT64')
  const row = text?.kind === 'call' && text.name === 'TO_JSON_STRING' && !text.safe ? text.args : []
  const parts = row[0]?.kind === 'struct' && row.length === 1 ? emitExpr(row[0], env).parts : undefined
  if (parts) return { sql: `CAST(hash(${parts.map(part => part.sql).join(', ')}) >> 1 AS BIGINT)`, type }
  const values = call.args.map(arg => emitExpr(arg, env))
  const [value, ...others] = values
  if (!value || others.length > 0) throw noMatch(call.name, values, call.at)
  if (isType(value, 'BYTES')) return { sql: `bq_fingerprint(${value.sql})`, type }
  if (!canCoerce(value, scalar('STRING'))) throw noMatch(call.name, values, call.at)
  return { sql: `bq_fingerprint(${coerce(value, scalar('STRING')).sql})`, type }
}

export const special: Readonly<Record<string, SpecialRule>> = {
  GREATEST: extreme('greatest'),
  LEAST: extreme('least'),
  CONCAT: concat,
  ARRAY_CONCAT: concat,
  REGEXP_EXTRACT: extract,
  REGEXP_SUBSTR: extract,
  REGEXP_EXTRACT_ALL: extract,
  ERROR: raise,
  FARM_FINGERPRINT: fingerprint,
  ROUND: roundNumeric,
  TRUNC: roundNumeric,
  SESSION_USER: sessionUser,
  ...dateFunctions,
  ...formatFunctions,
  ...jsonFunctions,
}
