/** One NDJSON line as the values of a row. */
import { type DuckDBValue, listValue, structValue } from '@duckdb/node-api'
import type { Field } from '../catalogue/field.ts'
import { findExcess } from './limits.ts'
import { Problem } from './problem.ts'
import { parseText } from './text-value.ts'

/** A JSON number as it is written, where a double would lose digits. */
class WrittenNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** JSON.parse hands the reviver the written text (https://tc39.es/proposal-json-parse-with-source); its types don't know. */
function revive(_key: string, value: unknown, ...more: readonly unknown[]): unknown {
  const [context] = more
  if (typeof value !== 'number' || typeof context !== 'object' || context === null) return value
  return 'source' in context ? new WrittenNumber(String(context.source)) : value
}

function parseExact(text: string): unknown {
  return JSON.parse(text, revive)
}

const longNumber = /\d{16}|\d[eE.]/

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  )
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (inner instanceof WrittenNumber ? inner.source : inner))

function fail(field: Field, value: unknown, path: string, why?: string): never {
  const shown = value instanceof WrittenNumber ? value.source : show(value)
  const type = field.mode === 'REPEATED' ? `repeated ${field.type}` : field.type
  throw new Problem(`${why ?? `Could not convert value to ${type}`}. Field: ${path}; Value: ${shown}`)
}

function scalar(field: Field, value: unknown, path: string): DuckDBValue {
  if (field.type === 'JSON')
    return JSON.stringify(value, (_k, v) => (v instanceof WrittenNumber ? Number(v.source) : v))
  if (value === true || value === false) {
    if (field.type === 'BOOLEAN') return value
    return field.type === 'STRING' ? String(value) : fail(field, value, path)
  }
  const number = value instanceof WrittenNumber || typeof value === 'number'
  if (number && !['INTEGER', 'FLOAT', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'TIMESTAMP'].includes(field.type))
    fail(field, value, path)
  if (typeof value !== 'string' && !number) fail(field, value, path)
  const text = value instanceof WrittenNumber ? value.source : String(value)
  if (number && field.type === 'TIMESTAMP') return fromSeconds(text) ?? fail(field, value, path)
  if (!text.isWellFormed()) fail(field, value, path, 'Half of a surrogate pair is no character')
  const parsed = parseText(field.type, text) ?? fail(field, value, path)
  const excess = findExcess(field, parsed)
  return excess === undefined ? parsed : fail(field, value, path, excess)
}

/** A number is seconds since 1970 (https://cloud.google.com/bigquery/docs/loading-data-cloud-storage-json). */
function fromSeconds(text: string): DuckDBValue | undefined {
  const date = new Date(Number(text) * 1000)
  return Number.isNaN(date.getTime()) ? undefined : parseText('TIMESTAMP', date.toISOString())
}

function convert(field: Field, value: unknown, path: string, loose: boolean): DuckDBValue {
  if (field.mode === 'REPEATED') {
    if (value === null || value === undefined) return listValue([])
    if (!Array.isArray(value)) fail(field, value, path)
    const one: Field = { ...field, mode: 'REQUIRED' }
    return listValue(value.map((item, i) => convert(one, item, `${path}[${i}]`, loose)))
  }
  if (value === null || value === undefined) {
    if (field.mode === 'REQUIRED')
      throw new Problem(`Only optional fields can be set to NULL. Field: ${path}; Value: NULL`)
    return null
  }
  if (field.type !== 'RECORD') return scalar(field, value, path)
  if (!isRecord(value)) fail(field, value, path)
  const fields = field.fields ?? []
  const values = pick(fields, value, `${path}.`, loose)
  return structValue(Object.fromEntries(fields.map((f, i) => [f.name, values[i] ?? null])))
}

/** Keys are matched as column names are: case doesn't matter. */
function pick(
  fields: readonly Field[],
  record: Record<string, unknown>,
  path: string,
  loose: boolean,
): DuckDBValue[] {
  const values = new Map<string, unknown>()
  for (const [key, value] of Object.entries(record)) {
    const field =
      fields.find(f => f.name === key) ?? fields.find(f => f.name.toLowerCase() === key.toLowerCase())
    if (field) values.set(field.name, value)
    else if (!loose) throw new Problem(`No such field: ${path}${key}.`)
  }
  return fields.map(field => convert(field, values.get(field.name), `${path}${field.name}`, loose))
}

export type LineParser = (line: string) => readonly DuckDBValue[]

/** `loose` lets unknown keys pass (`ignoreUnknownValues`). Throws `Problem`. */
export function makeLineParser(fields: readonly Field[], loose: boolean): LineParser {
  return line => {
    let value: unknown
    try {
      value = longNumber.test(line) ? parseExact(line) : JSON.parse(line)
    } catch (error) {
      throw new Problem(`Unable to parse JSON: ${error instanceof Error ? error.message : 'bad syntax'}`)
    }
    if (!isRecord(value)) throw new Problem('Unable to parse JSON: each line must hold one JSON object')
    return pick(fields, value, '', loose)
  }
}
