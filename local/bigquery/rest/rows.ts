/** Rows in REST's form: `{f: [{v}]}`, every value a text that loses nothing. */
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import type { Field } from '../catalogue/field.ts'
import { bignumericText } from '../sql/index.ts'

/** How `TIMESTAMP` is written: microseconds, or seconds with a fraction (`formatOptions.useInt64Timestamp`). */
export interface RowFormat {
  readonly int64Timestamp: boolean
}

type Cell = { readonly v: unknown }
export type Row = { readonly f: readonly Cell[] }

function encodeSeconds(micros: bigint): string {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  const fraction = String(size % 1_000_000n).padStart(6, '0')
  return `${sign}${size / 1_000_000n}.${fraction}`
}

function encodeFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  // BigQuery writes whole numbers with a fraction, as "1.0".
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value)
}

function encodeDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function encodeScalar(value: DuckDBValue, format: RowFormat): string {
  if (value instanceof DuckDBTimestampTZValue) {
    return format.int64Timestamp ? String(value.micros) : encodeSeconds(value.micros)
  }
  if (value instanceof DuckDBTimestampValue) return String(value).replace(' ', 'T')
  if (value instanceof DuckDBDecimalValue) return encodeDecimal(String(value))
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  if (value instanceof DuckDBDateValue || value instanceof DuckDBTimeValue) return String(value)
  return typeof value === 'number' ? encodeFloat(value) : String(value)
}

/** One value. NULL of a repeated field is the empty list: BigQuery knows no other. */
export function encodeValue(value: DuckDBValue, field: Field, format: RowFormat): unknown {
  if (field.mode === 'REPEATED') {
    const items = value instanceof DuckDBListValue ? value.items : []
    return items.map(item => ({ v: encodeValue(item, { ...field, mode: 'NULLABLE' }, format) }))
  }
  if (value === null) return null
  if (value instanceof DuckDBStructValue) {
    const values = Object.values(value.entries)
    return { f: (field.fields ?? []).map((f, i) => ({ v: encodeValue(values[i] ?? null, f, format) })) }
  }
  if (typeof value === 'number' && field.type === 'INTEGER') return String(value)
  if (typeof value === 'bigint' && field.type === 'BIGNUMERIC') return bignumericText(value)
  return encodeScalar(value, format)
}

/** Streams a query's rows, up to about `maxBytes` of JSON: a page ends early rather than grow too big. */
export async function readPage(
  connection: DuckDBConnection,
  sql: string,
  schema: readonly Field[],
  format: RowFormat,
  maxBytes: number,
): Promise<Row[]> {
  const rows: Row[] = []
  let size = 0
  const result = await connection.stream(sql)
  for await (const chunk of result.yieldRows()) {
    for (const values of chunk) {
      const row = { f: schema.map((field, i) => ({ v: encodeValue(values[i] ?? null, field, format) })) }
      size += JSON.stringify(row).length
      if (rows.length > 0 && size > maxBytes) return rows
      rows.push(row)
    }
  }
  return rows
}
