/** `TableSchema` in REST's form: read with every check, and written. */
import type { Field, FieldMode } from '../catalogue/field.ts'
import { parseTypeName } from '../catalogue/field.ts'
import { invalid, unsupported } from '../errors.ts'
import {
  type Json,
  readChoice,
  readInteger,
  readRecord,
  readRecords,
  readText,
  readTexts,
  refuseOthers,
  required,
} from './read.ts'

const modes: readonly FieldMode[] = ['NULLABLE', 'REQUIRED', 'REPEATED']
const served = [
  ...['name', 'type', 'mode', 'description', 'fields', 'defaultValueExpression'],
  ...['maxLength', 'precision', 'scale', 'policyTags'],
]
const sizes = ['maxLength', 'precision', 'scale'] as const

/** The parameters of a parameterized type. */
function parseSizes(raw: Json, type: string, name: string): Partial<Field> {
  const [maxLength, precision, scale] = sizes.map(size => readInteger(raw, size))
  if (maxLength !== undefined && type !== 'STRING' && type !== 'BYTES') {
    throw invalid(`maxLength is only for STRING and BYTES fields: ${name}`)
  }
  if (precision !== undefined && type !== 'NUMERIC')
    throw invalid(`precision is only for NUMERIC fields: ${name}`)
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  }
}

/** https://docs.cloud.google.com/bigquery/docs/column-level-security: at most one, and none on a RECORD. */
function parseTags(raw: Json, type: string, name: string): Partial<Field> {
  const names = readTexts(readRecord(raw, 'policyTags') ?? {}, 'names') ?? []
  if (names.length === 0) return {}
  if (names.length > 1) throw invalid(`Field ${name} has more than one policy tag`)
  if (type === 'RECORD') throw invalid(`Policy tags are not for RECORD fields: ${name}`)
  return { policyTags: { names } }
}

function parseField(raw: Json): Field {
  const name = required(readText(raw, 'name'), 'schema.fields.name')
  // https://cloud.google.com/bigquery/docs/schemas#column_names
  if (!/^[\p{L}\p{N}\p{M}\p{Pc}\p{Pd}&%=+:'<>#| ]{1,300}$/u.test(name)) {
    throw invalid(
      `Invalid field name "${name}". Fields must contain the allowed characters, and be at most 300 characters long.`,
    )
  }
  refuseOthers(raw, served, `schema.fields[${name}]`)
  const type = parseTypeName(required(readText(raw, 'type'), `schema.fields[${name}].type`), name)
  const mode = readChoice(raw, 'mode', modes) ?? 'NULLABLE'
  const description = readText(raw, 'description')
  const fallback = readText(raw, 'defaultValueExpression')
  if (fallback !== undefined && type === 'RECORD') throw unsupported(`A default for RECORD field ${name}`)
  const nested = readRecords(raw, 'fields')
  if (type === 'RECORD' && !nested?.length) throw invalid(`Field ${name} is type RECORD but has no schema`)
  return {
    name,
    type,
    mode,
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { defaultValueExpression: fallback }),
    ...parseSizes(raw, type, name),
    ...parseTags(raw, type, name),
    ...(type === 'RECORD' && nested ? { fields: parseFields(nested) } : {}),
  }
}

export function parseFields(raw: readonly Json[]): Field[] {
  const fields = raw.map(parseField)
  const seen = new Set<string>()
  for (const { name } of fields) {
    const key = name.toLowerCase()
    if (seen.has(key)) throw invalid(`Duplicate field name: ${name}`)
    seen.add(key)
  }
  return fields
}

/** The `schema` of a table or a load job. */
export function parseSchema(from: Json): Field[] | undefined {
  const schema = readRecord(from, 'schema')
  const fields = schema && readRecords(schema, 'fields')
  return fields?.length ? parseFields(fields) : undefined
}

export function encodeField(field: Field): Json {
  const { fields, ...rest } = field
  const sized = sizes.flatMap(size =>
    field[size] === undefined ? [] : [[size, String(field[size])] as const],
  )
  const encoded = { ...rest, ...Object.fromEntries(sized) }
  return fields ? { ...encoded, fields: fields.map(encodeField) } : encoded
}

export function encodeSchema(schema: readonly Field[]): Json {
  return { fields: schema.map(encodeField) }
}
