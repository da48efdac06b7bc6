/** Literals and query parameters as DuckDB text. */
import type { Interval, Literal, Parameter, TypedLiteral } from './ast.ts'
import { nullValue } from './coerce.ts'
import { emitCast } from './emit-cast.ts'
import { emitExpr } from './emit-expr.ts'
import { type Emitted, type Env, quoteName, quoteText } from './env.ts'
import { SqlError, SqlFailure } from './error.ts'
import type { ParameterValue } from './scope.ts'
import { duckType, type SqlType, scalar, typeText } from './type.ts'

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }

export function bytesText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `'${hex.replace(/../g, '\\x$&')}'::BLOB`
}

export function emitLiteral(literal: Literal): Emitted {
  const { type, value, at } = literal
  switch (type) {
    case 'NULL':
      return nullValue
    case 'BOOL':
      return { sql: value, type: scalar('BOOL'), literal: { type, value } }
    case 'STRING':
      return { sql: quoteText(value), type: scalar('STRING'), literal: { type, value } }
    case 'BYTES':
      return { sql: bytesText(Buffer.from(value, 'latin1')), type: scalar('BYTES') }
    case 'FLOAT64':
      return {
        sql: `${/[eE]/.test(value) ? value : `${value}e0`}::DOUBLE`,
        type: scalar('FLOAT64'),
        literal: { type, value },
      }
    case 'INT64': {
      const number = BigInt(value)
      if (number < int64.least || number > int64.most)
        throw new SqlFailure(`Invalid integer literal: ${value}`, at)
      const sql = value.startsWith('-') ? `(${value})` : value
      return {
        sql: `${number === int64.least ? `'${value}'` : sql}::BIGINT`,
        type: scalar('INT64'),
        literal: { type, value },
      }
    }
  }
}

export function emitTypedLiteral(literal: TypedLiteral): Emitted {
  const text: Emitted = { sql: quoteText(literal.value), type: scalar('STRING') }
  if (literal.type === 'JSON') return { sql: `bq_parse_json(${text.sql})`, type: scalar('JSON') }
  return emitCast(text, scalar(literal.type), false, literal.at)
}

// https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#interval_type
const intervalParts = new Set(
  'YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND'.split(' '),
)

export function emitInterval(interval: Interval, env: Env): Emitted {
  const { part, at } = interval
  if (!intervalParts.has(part)) throw new SqlFailure(`Invalid date part ${part} in INTERVAL`, at)
  const value = emitExpr(interval.value, env)
  if (typeText(value.type) !== 'INT64') throw new SqlFailure('INTERVAL value must be INT64', at)
  return { sql: sqlInterval(value.sql, part), type: scalar('INTERVAL') }
}

/** A DuckDB interval of `amount` (an INT64 expression) times a date part. */
export function sqlInterval(amount: string, part: string): string {
  if (part === 'QUARTER') return `to_months(CAST((${amount}) * 3 AS INTEGER))`
  const isCalendar = part === 'YEAR' || part === 'MONTH' || part === 'WEEK' || part === 'DAY'
  return `to_${part.toLowerCase()}s(${isCalendar ? `CAST(${amount} AS INTEGER)` : amount})`
}

export function emitParameter(parameter: Parameter, env: Env): Emitted {
  const { name, index, at } = parameter
  const given = env.parameters
  const found =
    name === undefined
      ? given.filter(p => p.name === undefined)[index ?? 0]
      : given.find(p => p.name?.toLowerCase() === name.toLowerCase())
  if (!found)
    throw new SqlFailure(
      name === undefined ? 'Query parameter number is out of range' : `Query parameter '${name}' not found`,
      at,
    )
  return emitValue(found.type, found.value, name ?? `${(index ?? 0) + 1}`)
}

function refuseValue(type: SqlType, value: ParameterValue, name: string): SqlError {
  return new SqlError(
    'invalidQuery',
    `Invalid value for parameter ${name}: ${JSON.stringify(value)} is not a ${typeText(type)}`,
  )
}

const scalarForms: Readonly<Record<string, RegExp>> = {
  INT64: /^[+-]?\d+$/,
  FLOAT64: /^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)$/i,
  NUMERIC: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
  BOOL: /^(true|false)$/i,
  DATE: /^\d{4}-\d{1,2}-\d{1,2}$/,
}

/** A typed value as a DuckDB literal. */
function emitValue(type: SqlType, value: ParameterValue, name: string): Emitted {
  const target = duckType(type)
  if (!target)
    throw new SqlError('invalidQuery', `Type ${typeText(type)} is not supported by the local BigQuery`)
  if (value === null)
    return { sql: type.kind === 'array' ? `CAST([] AS ${target})` : `CAST(NULL AS ${target})`, type }
  if (type.kind === 'scalar') {
    if (typeof value !== 'string' || scalarForms[type.name]?.test(value) === false)
      throw refuseValue(type, value, name)
    if (type.name === 'STRING') return { sql: quoteText(value), type }
    if (type.name === 'BYTES') return { sql: bytesText(Buffer.from(value, 'base64')), type }
    if (type.name === 'INTERVAL')
      throw new SqlError('invalidQuery', 'INTERVAL parameters are not supported by the local BigQuery')
    return { sql: `CAST(${quoteText(value)} AS ${target})`, type }
  }
  if (typeof value === 'string') throw refuseValue(type, value, name)
  if (type.kind === 'array')
    return { sql: `CAST([${value.map(v => emitValue(type.of, v, name).sql).join(', ')}] AS ${target})`, type }
  const fields = type.fields.map((field, i) => {
    const item = value[i]
    if (item === undefined) throw refuseValue(type, value, name)
    return `${quoteName(field.name ?? `_field_${i + 1}`)} := ${emitValue(field.type, item, name).sql}`
  })
  return { sql: `struct_pack(${fields.join(', ')})`, type }
}
