/** Avro schemas and messages in their JSON encoding (https://avro.apache.org/docs/1.11.1/specification/#json-encoding). */
import avsc, { type Type, type types } from 'avsc'
import { invalid } from './errors.ts'

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The branch that a JSON-encoded union value names: `{"long": 1}`. */
function branchOf(type: types.WrappedUnionType, value: object): [Type | undefined, unknown] {
  const [entry] = Object.entries(value)
  return [type.types.find(branch => branch.branchName === entry?.[0]), entry?.[1]]
}

/** The path of a record's field that the value leaves out. Defaults are for readers; a writer must send every field. */
function missingField(type: Type, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (type instanceof avsc.types.RecordType) {
    for (const field of type.fields) {
      const at = `${path}${path && '.'}${field.name}`
      if (!Object.hasOwn(value, field.name)) return at
      const missing = missingField(field.type, Object.getOwnPropertyDescriptor(value, field.name)?.value, at)
      if (missing) return missing
    }
    return undefined
  }
  if (type instanceof avsc.types.WrappedUnionType) {
    const [branch, inner] = branchOf(type, value)
    return branch && missingField(branch, inner, path)
  }
  const inner =
    type instanceof avsc.types.ArrayType
      ? type.itemsType
      : type instanceof avsc.types.MapType
        ? type.valuesType
        : undefined
  if (!inner) return undefined
  return Object.entries(value).reduce<string | undefined>(
    (found, [key, item]) => found ?? missingField(inner, item, `${path}[${key}]`),
    undefined,
  )
}

/** Throws INVALID_ARGUMENT unless the text is an Avro schema. Returns a check for messages, which throws likewise. */
export function parseAvro(definition: string): (data: Uint8Array) => void {
  let type: Type
  try {
    type = avsc.Type.forSchema(JSON.parse(definition), { wrapUnions: true })
  } catch (error) {
    throw invalid(`Invalid schema: Could not parse schema definition: ${reason(error)}`)
  }
  return data => {
    const text = Buffer.from(data).toString()
    try {
      type.fromString(text)
    } catch (error) {
      throw invalid(`Invalid data in message: Message failed schema validation: ${reason(error)}`)
    }
    const missing = missingField(type, JSON.parse(text), '')
    if (missing)
      throw invalid(`Invalid data in message: Message failed schema validation: field ${missing} is missing.`)
  }
}
