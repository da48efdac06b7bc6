/** BigQuery's column types as the SQL translator sees them, and how each is spelled in DuckDB. */

/** A scalar type by its GoogleSQL name; NUMERIC and BIGNUMERIC may carry a precision and scale, STRING and BYTES a length. */
export type ScalarName =
  | 'INT64'
  | 'FLOAT64'
  | 'NUMERIC'
  | 'BIGNUMERIC'
  | 'BOOL'
  | 'STRING'
  | 'BYTES'
  | 'DATE'
  | 'DATETIME'
  | 'TIME'
  | 'TIMESTAMP'
  | 'JSON'
  | 'INTERVAL'

export interface ScalarType {
  readonly kind: 'scalar'
  readonly name: ScalarName
  readonly precision?: number
  readonly scale?: number
  readonly length?: number
}
export interface ArrayType {
  readonly kind: 'array'
  readonly of: SqlType
}
export interface StructType {
  readonly kind: 'struct'
  readonly fields: readonly { readonly name?: string; readonly type: SqlType }[]
}
export type SqlType = ScalarType | ArrayType | StructType

/** A column of a relation. */
export interface Column {
  readonly name: string
  readonly type: SqlType
}

const duckNames: Readonly<Record<ScalarName, string | undefined>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38,9)',
  // DuckDB's widest decimal has 38 digits: see bignumeric.ts.
  BIGNUMERIC: 'BIGNUM',
  BOOL: 'BOOLEAN',
  STRING: 'VARCHAR',
  BYTES: 'BLOB',
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMPTZ',
  JSON: 'JSON',
  INTERVAL: 'INTERVAL',
}

export function scalar(name: ScalarName): ScalarType {
  return { kind: 'scalar', name }
}

/** The name BigQuery's messages use: `INT64`, `ARRAY<STRING>`, `STRUCT<a INT64>`. */
export function typeText(type: SqlType): string {
  switch (type.kind) {
    case 'scalar':
      return type.name
    case 'array':
      return `ARRAY<${typeText(type.of)}>`
    case 'struct':
      return `STRUCT<${type.fields.map(f => (f.name ? `${f.name} ` : '') + typeText(f.type)).join(', ')}>`
  }
}

/** The DuckDB type; `undefined` for a type that DuckDB can't hold. */
export function duckType(type: SqlType): string | undefined {
  if (type.kind === 'scalar') return duckNames[type.name]
  if (type.kind === 'array') {
    const of = duckType(type.of)
    return of && `${of}[]`
  }
  const fields: string[] = []
  for (const [i, field] of type.fields.entries()) {
    const of = duckType(field.type)
    if (!of) return undefined
    fields.push(`"${(field.name ?? `_field_${i + 1}`).replaceAll('"', '""')}" ${of}`)
  }
  return `STRUCT(${fields.join(', ')})`
}

export function sameType(a: SqlType, b: SqlType): boolean {
  return typeText(a).toLowerCase() === typeText(b).toLowerCase()
}
