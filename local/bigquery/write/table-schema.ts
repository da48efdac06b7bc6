/** A table's schema as the Storage API writes it (`TableSchema`). */
import type { Field } from '../catalogue/field.ts'

const types: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'DOUBLE',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
}

function encodeField(field: Field): object {
  const { name, type, mode, fields, description, maxLength, precision, scale, defaultValueExpression } = field
  return {
    name,
    type: types[type] ?? type,
    mode,
    ...(fields ? { fields: fields.map(encodeField) } : {}),
    ...(description === undefined ? {} : { description }),
    ...(maxLength === undefined ? {} : { maxLength: String(maxLength) }),
    ...(precision === undefined ? {} : { precision: String(precision) }),
    ...(scale === undefined ? {} : { scale: String(scale) }),
    ...(defaultValueExpression === undefined ? {} : { defaultValueExpression }),
  }
}

export function encodeTableSchema(schema: readonly Field[]): object {
  return { fields: schema.map(encodeField) }
}
