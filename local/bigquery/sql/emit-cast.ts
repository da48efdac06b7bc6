/** Translates CAST and SAFE_CAST: which conversions there are, each as strict as BigQuery's. */
import { canCoerce, coerce, sqlStruct } from './coerce.ts'
import type { Emitted } from './env.ts'
import { SqlError, SqlFailure } from './error.ts'
import {
  type ArrayType,
  duckType,
  type SqlType,
  type StructType,
  sameType,
  scalar,
  typeText,
} from './type.ts'

/**
 * `FROM>TO` to the DuckDB expression, `$` standing for the value.
 * https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#cast
 */
const casts: Readonly<Record<string, string>> = {
  'INT64>FLOAT64': 'CAST($ AS DOUBLE)',
  'INT64>NUMERIC': 'CAST($ AS DECIMAL(38,9))',
  'INT64>BOOL': '($ != 0)',
  'INT64>STRING': 'CAST($ AS VARCHAR)',
  'FLOAT64>INT64': 'bq_float_to_int64($)',
  'FLOAT64>NUMERIC': 'bq_numeric($)',
  'FLOAT64>STRING': 'bq_float_text($)',
  'NUMERIC>INT64': 'CAST(round($, 0) AS BIGINT)',
  'NUMERIC>FLOAT64': 'CAST($ AS DOUBLE)',
  'NUMERIC>STRING': 'bq_numeric_text($)',
  'BIGNUMERIC>STRING': 'bq_bignumeric_text($)',
  'BIGNUMERIC>FLOAT64': 'CAST(bq_bignumeric_text($) AS DOUBLE)',
  'STRING>BIGNUMERIC': 'bq_parse_bignumeric($)',
  'BOOL>INT64': 'CAST($ AS BIGINT)',
  'BOOL>STRING': 'CAST($ AS VARCHAR)',
  'STRING>INT64': 'bq_parse_int64($)',
  'STRING>FLOAT64': 'bq_parse_float64($)',
  'STRING>NUMERIC': 'bq_parse_numeric($)',
  'STRING>BOOL': 'bq_parse_bool($)',
  'STRING>BYTES': 'encode($)',
  'STRING>DATE': 'bq_parse_date($)',
  'STRING>DATETIME': 'bq_parse_datetime($)',
  'STRING>TIME': 'bq_parse_time($)',
  'STRING>TIMESTAMP': 'bq_parse_timestamp($)',
  'BYTES>STRING': 'decode($)',
  'DATE>STRING': 'CAST($ AS VARCHAR)',
  'DATE>DATETIME': 'CAST($ AS TIMESTAMP)',
  'DATE>TIMESTAMP': 'CAST($ AS TIMESTAMPTZ)',
  'DATETIME>STRING': 'bq_datetime_text($)',
  'DATETIME>DATE': 'CAST($ AS DATE)',
  'DATETIME>TIME': 'CAST($ AS TIME)',
  'DATETIME>TIMESTAMP': "($ AT TIME ZONE 'UTC')",
  'TIME>STRING': 'bq_time_text($)',
  'TIMESTAMP>STRING': 'bq_timestamp_text($)',
  'TIMESTAMP>DATE': "CAST($ AT TIME ZONE 'UTC' AS DATE)",
  'TIMESTAMP>DATETIME': "($ AT TIME ZONE 'UTC')",
  'TIMESTAMP>TIME': "CAST($ AT TIME ZONE 'UTC' AS TIME)",
}

export function emitCast(value: Emitted, to: SqlType, safe: boolean, at: number): Emitted {
  const target = duckType(to)
  if (!target) throw new SqlFailure(`Type ${typeText(to)} is not supported by the local BigQuery`, at)
  if (value.literal?.type === 'NULL' || value.literal?.type === 'EMPTY_ARRAY')
    return { sql: `CAST(${value.sql} AS ${target})`, type: to }
  const sql = sqlCast(value, to, at)
  // What is too much for a length or a precision is an error even of SAFE_CAST.
  return { sql: sqlSized(safe ? sqlSafe(sql, value.type, to, at) : sql, to), type: bare(to) }
}

/** What raises errors of its own can't stand in TRY, so each such macro has a twin that gives NULL. */
function sqlSafe(sql: string, from: SqlType, to: SqlType, at: number): string {
  if (from.kind !== 'scalar') {
    if (sameType(from, to)) return sql
    throw new SqlFailure(
      `SAFE_CAST from ${typeText(from)} to ${typeText(to)} is not supported by the local BigQuery`,
      at,
    )
  }
  const raising = /^bq_(parse_\w+|float_to_int64|numeric)\(/
  if (from.name === (to.kind === 'scalar' ? to.name : undefined)) return sql
  return raising.test(sql) ? sql.replace('bq_', 'bq_try_') : `TRY(${sql})`
}

/** A cast's result has no length or precision: those only checked the value. */
function bare(type: SqlType): SqlType {
  return type.kind === 'scalar' ? scalar(type.name) : type
}

function sqlCast(value: Emitted, to: SqlType, at: number): string {
  const from = value.type
  if (to.kind === 'scalar' && from.kind === 'scalar') {
    if (from.name === to.name) return value.sql
    // An exact literal: `CAST(0.1 AS NUMERIC)` never goes through a double.
    if (value.literal && to.name === 'NUMERIC' && value.literal.type !== 'STRING')
      return `CAST('${value.literal.value}' AS DECIMAL(38,9))`
    if (to.name === 'BIGNUMERIC' && canCoerce(value, to)) return coerce(value, to).sql
    const template = casts[`${from.name}>${to.name}`]
    if (template) return template.replaceAll('$', () => value.sql)
  } else if (sameType(from, to)) return value.sql
  else if (to.kind === 'array' && from.kind === 'array') return sqlArrayCast(value, from, to, at)
  else if (to.kind === 'struct' && from.kind === 'struct') return sqlStructCast(value, from, to, at)
  throw new SqlFailure(`Invalid cast from ${typeText(from)} to ${typeText(to)}`, at)
}

/** Checks `STRING(10)`, `NUMERIC(10, 2)` and so on. */
function sqlSized(sql: string, to: SqlType): string {
  if (to.kind !== 'scalar') return sql
  if (to.name === 'BIGNUMERIC' && to.precision !== undefined)
    throw new SqlError('invalidQuery', 'BIGNUMERIC with a precision is not supported by the local BigQuery')
  if (to.precision !== undefined)
    return `CAST(CAST(${sql} AS DECIMAL(${to.precision},${to.scale ?? 0})) AS DECIMAL(38,9))`
  if (to.length !== undefined)
    return `bq_check_${to.name === 'BYTES' ? 'size' : 'length'}(${sql}, ${to.length})`
  return sql
}

function sqlArrayCast(value: Emitted, from: ArrayType, to: ArrayType, at: number): string {
  if (sameType(from.of, to.of)) return value.sql
  // BigQuery casts arrays only between element types that it would also convert unasked.
  const isWide = to.of.kind === 'scalar' && to.of.name === 'BIGNUMERIC'
  if (isWide || !canCoerce({ sql: '', type: from.of }, to.of))
    throw new SqlFailure(
      `Casting between arrays with incompatible element types is not supported: Invalid cast from ${typeText(from)} to ${typeText(to)}`,
      at,
    )
  return `CAST(${value.sql} AS ${duckType(to)})`
}

function sqlStructCast(value: Emitted, from: StructType, to: StructType, at: number): string {
  if (from.fields.length !== to.fields.length)
    throw new SqlFailure(`Invalid cast from ${typeText(from)} to ${typeText(to)}`, at)
  return sqlStruct(value.sql, from, to, (part, type) => emitCast(part, type, false, at))
}
