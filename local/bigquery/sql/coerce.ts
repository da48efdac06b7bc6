/** BigQuery's implicit conversions: which types go together, and how a value takes another type. */
import { sqlBignumeric } from './bignumeric.ts'
import type { Emitted } from './env.ts'
import { quoteName, quoteText } from './env.ts'
import { duckType, type ScalarName, type SqlType, type StructType, sameType, scalar } from './type.ts'

// https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules#coercion
const coercions: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  // BIGNUMERIC would become FLOAT64, too. What has no rule for BIGNUMERIC is refused here instead.
  DATE: ['DATETIME'],
}
const literalCoercions: Readonly<Record<string, readonly ScalarName[]>> = {
  STRING: ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  FLOAT64: ['NUMERIC', 'BIGNUMERIC'],
}

/** Whether a value can stand where `to` is wanted. */
export function canCoerce(from: Emitted, to: SqlType): boolean {
  if (sameType(from.type, to) || from.literal?.type === 'NULL') return true
  // An empty array literal takes any element type.
  if (from.literal?.type === 'EMPTY_ARRAY') return to.kind === 'array'
  if (to.kind === 'struct' && from.type.kind === 'struct') {
    const { fields } = from.type
    return (
      fields.length === to.fields.length &&
      to.fields.every((field, i) => {
        const given = fields[i]
        return given !== undefined && canCoerce(from.parts?.[i] ?? { sql: '', type: given.type }, field.type)
      })
    )
  }
  if (from.type.kind !== 'scalar' || to.kind !== 'scalar') return false
  if (coercions[from.type.name]?.includes(to.name)) return true
  return from.literal !== undefined && (literalCoercions[from.literal.type]?.includes(to.name) ?? false)
}

/** The value as `to`; call it only where `canCoerce`. */
export function coerce(value: Emitted, to: SqlType): Emitted {
  const isUntyped = value.literal?.type === 'NULL' || value.literal?.type === 'EMPTY_ARRAY'
  if (sameType(value.type, to) && !isUntyped) return value
  const target = duckType(to)
  if (to.kind === 'scalar' && to.name === 'BIGNUMERIC' && !isUntyped)
    return { sql: sqlBignumeric(value), type: to }
  if (value.literal && !isUntyped)
    return { sql: `CAST(${quoteText(value.literal.value)} AS ${target})`, type: to }
  if (value.type.kind === 'struct' && to.kind === 'struct' && !isUntyped) {
    return value.parts ? packed(value.parts, to) : { sql: sqlStruct(value.sql, value.type, to), type: to }
  }
  return { sql: `CAST(${value.sql} AS ${target})`, type: to }
}

function packed(parts: readonly Emitted[], to: StructType): Emitted {
  const values = to.fields.map((field, i) => coerce(parts[i] ?? nullValue, field.type))
  const items = values.map(({ sql }, i) => `${quoteName(to.fields[i]?.name ?? `_field_${i + 1}`)} := ${sql}`)
  return { sql: `struct_pack(${items.join(', ')})`, type: to, parts: values }
}

/** DuckDB casts structs by field name, BigQuery by position. */
export function sqlStruct(sql: string, from: StructType, to: StructType, convert = coerce): string {
  const items = to.fields.map((field, i) => {
    const given = from.fields[i]
    const name = given?.name ?? `_field_${i + 1}`
    const part: Emitted = {
      sql: `struct_extract(${sql}, ${quoteText(name)})`,
      type: given?.type ?? field.type,
    }
    return `${quoteName(field.name ?? `_field_${i + 1}`)} := ${convert(part, field.type).sql}`
  })
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE struct_pack(${items.join(', ')}) END`
}

/** The one type that all values can take; `undefined` if there is none. */
export function commonType(values: readonly Emitted[]): SqlType | undefined {
  const typed = values.filter(v => v.literal?.type !== 'NULL' && v.literal?.type !== 'EMPTY_ARRAY')
  if (typed.length === 0) return values.find(v => v.literal?.type === 'EMPTY_ARRAY')?.type ?? values[0]?.type
  const candidates = [...typed.filter(v => !v.literal), ...typed.filter(v => v.literal)].map(v => v.type)
  // INT64 with NUMERIC and FLOAT64 with either meet in a type that one of them has.
  return candidates.find(type => values.every(v => canCoerce(v, type)))
}

export const nullValue: Emitted = { sql: 'NULL', type: scalar('INT64'), literal: { type: 'NULL', value: '' } }
