/** `QueryParameter` in REST's form, as the SQL translator takes it. */
import { parseTypeName } from '../catalogue/field.ts'
import { invalid } from '../errors.ts'
import { type Json, readRecord, readRecords, readText, required } from '../rest/read.ts'
import type { ParameterValue, QueryParameter, ScalarName, SqlType } from '../sql/index.ts'

const names: Readonly<Record<string, ScalarName>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }
const plain: readonly ScalarName[] = [
  'NUMERIC',
  'STRING',
  'BYTES',
  'DATE',
  'DATETIME',
  'TIME',
  'TIMESTAMP',
  'JSON',
]

function parseType(raw: Json): SqlType {
  const text = required(readText(raw, 'type'), 'parameterType.type')
  if (text === 'ARRAY')
    return { kind: 'array', of: parseType(required(readRecord(raw, 'arrayType'), 'arrayType')) }
  if (text === 'STRUCT') {
    const fields = (readRecords(raw, 'structTypes') ?? []).map(field => {
      const name = readText(field, 'name')
      return {
        type: parseType(required(readRecord(field, 'type'), 'structTypes.type')),
        ...(name ? { name } : {}),
      }
    })
    return { kind: 'struct', fields }
  }
  const rest = parseTypeName(text, 'queryParameters')
  const name = names[rest] ?? plain.find(p => p === rest)
  if (!name) throw invalid(`Invalid parameter type: ${text}`)
  return { kind: 'scalar', name }
}

function parseValue(raw: Json | undefined, type: SqlType): ParameterValue {
  if (!raw) return null
  if (type.kind === 'array')
    return (readRecords(raw, 'arrayValues') ?? []).map(item => parseValue(item, type.of))
  if (type.kind === 'struct') {
    const values = readRecord(raw, 'structValues') ?? {}
    return type.fields.map(field => parseValue(readRecord(values, field.name ?? ''), field.type))
  }
  const value = raw.value
  // Clients send numbers and booleans as such now and then.
  return value === undefined || value === null ? null : String(value)
}

export function parseParameter(raw: Json): QueryParameter {
  const name = readText(raw, 'name')
  const type = parseType(required(readRecord(raw, 'parameterType'), 'parameterType'))
  return { type, value: parseValue(readRecord(raw, 'parameterValue'), type), ...(name ? { name } : {}) }
}
