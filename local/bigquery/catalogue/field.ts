/** A table's schema as REST has it (`TableFieldSchema`), and its SQL types. */
import { invalid, unsupported } from '../errors.ts'
import { type Column, duckType, type ScalarName, type SqlType } from '../sql/index.ts'

export type FieldMode = 'NULLABLE' | 'REQUIRED' | 'REPEATED'
/** `type` is REST's name: INTEGER, FLOAT, BOOLEAN, RECORD and the rest as in SQL. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly mode: FieldMode
  readonly description?: string
  /** Kept, and no value is masked. */
  readonly policyTags?: { readonly names: readonly string[] }
  readonly defaultValueExpression?: string
  readonly fields?: readonly Field[]
  /** Of STRING(n) and BYTES(n). */
  readonly maxLength?: number
  /** Of NUMERIC(p, s). */
  readonly precision?: number
  readonly scale?: number
}

const sqlNames: Readonly<Record<string, ScalarName>> = {
  STRING: 'STRING',
  BYTES: 'BYTES',
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  NUMERIC: 'NUMERIC',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  JSON: 'JSON',
  BIGNUMERIC: 'BIGNUMERIC',
}
const restNames: Readonly<Record<string, string>> = { INT64: 'INTEGER', FLOAT64: 'FLOAT', BOOL: 'BOOLEAN' }
const aliases: Readonly<Record<string, string>> = {
  ...restNames,
  STRUCT: 'RECORD',
  DECIMAL: 'NUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
}

/** REST's spelling of a type name in any of its spellings; throws for a type that can't be kept here. */
export function parseTypeName(text: string, field: string): string {
  const name = text.toUpperCase()
  const type = aliases[name] ?? name
  if (type !== 'RECORD' && !sqlNames[type]) {
    if (/^(GEOGRAPHY|INTERVAL|RANGE)$/.test(type)) {
      throw unsupported(`Type ${type} (field ${field})`)
    }
    throw invalid(`Invalid value for type: ${text} is not a valid value`)
  }
  return type
}

export function scalarName(field: Field): ScalarName | undefined {
  return sqlNames[field.type]
}

function elementType(field: Field): SqlType {
  const name = sqlNames[field.type]
  if (name) return { kind: 'scalar', name }
  return { kind: 'struct', fields: (field.fields ?? []).map(f => ({ name: f.name, type: sqlType(f) })) }
}

export function sqlType(field: Field): SqlType {
  const of = elementType(field)
  return field.mode === 'REPEATED' ? { kind: 'array', of } : of
}

export function toColumns(schema: readonly Field[]): Column[] {
  return schema.map(field => ({ name: field.name, type: sqlType(field) }))
}

/** The schema of a query's result: everything NULLABLE or REPEATED. */
export function fieldOf({ name, type }: Column): Field {
  if (type.kind === 'array') return { ...fieldOf({ name, type: type.of }), mode: 'REPEATED' }
  if (type.kind === 'struct') {
    const fields = type.fields.map((f, i) => fieldOf({ name: f.name ?? `_field_${i + 1}`, type: f.type }))
    return { name, type: 'RECORD', mode: 'NULLABLE', fields }
  }
  const { precision, scale, length } = type
  return {
    name,
    type: restNames[type.name] ?? type.name,
    mode: 'NULLABLE',
    ...(length === undefined ? {} : { maxLength: length }),
    ...(precision === undefined ? {} : { precision, ...(scale === undefined ? {} : { scale }) }),
  }
}

export function duckColumnType(field: Field): string {
  if (field.type === 'BIGNUMERIC' && field.precision !== undefined)
    throw unsupported(`BIGNUMERIC with a precision (field ${field.name})`)
  if (field.type === 'BIGNUMERIC' && field.defaultValueExpression !== undefined)
    throw unsupported(`A default for a BIGNUMERIC column (field ${field.name})`)
  const type = duckType(sqlType(field))
  if (!type) throw unsupported(`Type ${field.type} (field ${field.name})`)
  return type
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function findField(schema: readonly Field[], name: string): Field | undefined {
  const wanted = name.toLowerCase()
  return schema.find(field => field.name.toLowerCase() === wanted)
}
