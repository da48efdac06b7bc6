/** The descriptor that a writer sends: what its rows' bytes mean, and which column each field is for. */
import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'
import { invalidArgument } from './errors.ts'

export interface ProtoField {
  /** In the message. */
  readonly name: string
  /** Where the column has a name that no field can have, an option holds it. */
  readonly column: string
  /** `int64`, `string` and so on; `message` and `enum`; `.google.protobuf.Timestamp` and the wrappers by their names. */
  readonly type: string
  readonly repeated: boolean
  /** Of a message. */
  readonly fields?: readonly ProtoField[]
  /** Of an enum: the names by number. */
  readonly names?: Readonly<Record<number, string>>
}

export interface RowType {
  readonly fields: readonly ProtoField[]
  /** Field values by name, absent ones not among its own properties. Throws for bytes that are no such message. */
  decode(bytes: Uint8Array): Readonly<Record<string, unknown>>
}

/** Only what `protobufjs/ext/descriptor` loses: the option with the column's name. */
const source = `syntax = "proto3";
message Message { repeated Field field = 2; repeated Message nested_type = 3; }
message Field { string name = 1; Options options = 8; }
message Options { string column_name = 454943157; }`
const namesType = protobuf.parse(source).root.lookupType('Message')

interface Names {
  readonly field: readonly {
    readonly name: string
    readonly options?: { readonly columnName: string } | null
  }[]
  readonly nestedType: readonly Names[]
}

/** Fields of all messages by their names there: `field_…` is made from the column's name, so that it means one column. */
function readColumnNames({ field, nestedType }: Names): [string, string][] {
  const own = field.flatMap(({ name, options }): [string, string][] =>
    options?.columnName ? [[name, options.columnName]] : [],
  )
  return [...own, ...nestedType.flatMap(readColumnNames)]
}

/** https://cloud.google.com/bigquery/docs/supported-data-types allows these from outside of the descriptor. */
function addWellKnown(root: protobuf.Root): void {
  for (const name of ['wrappers', 'timestamp']) {
    const file = protobuf.common.get(`google/protobuf/${name}.proto`)
    if (file?.nested) root.addJSON(file.nested)
  }
}

/** The extension adds this to `Type`; its own types don't say so. */
interface FromDescriptor {
  fromDescriptor(from: protobuf.Message, edition: string): protobuf.Type
}

function readType(bytes: Uint8Array): protobuf.Type {
  const { fromDescriptor } = protobuf.Type as unknown as FromDescriptor
  return fromDescriptor(descriptor.DescriptorProto.decode(bytes), 'proto2')
}

const deepest = 15

function describe(type: protobuf.Type, columns: ReadonlyMap<string, string>, depth: number): ProtoField[] {
  // https://cloud.google.com/bigquery/docs/nested-repeated#limitations
  if (depth > deepest) throw invalidArgument('The proto descriptor is nested deeper than 15 levels.')
  return type.fieldsArray.map(field => {
    const { name, repeated, resolvedType } = field
    const base = { name, column: columns.get(name) ?? name, repeated }
    if (resolvedType instanceof protobuf.Enum)
      return { ...base, type: 'enum', names: { ...resolvedType.valuesById } }
    if (!resolvedType) return { ...base, type: field.type }
    if (resolvedType.fullName.startsWith('.google.protobuf.')) return { ...base, type: resolvedType.fullName }
    return { ...base, type: 'message', fields: describe(resolvedType, columns, depth + 1) }
  })
}

/** Reads a serialized `DescriptorProto`, which must be whole in itself. Throws `WriteError`. */
export function parseDescriptor(bytes: Uint8Array): RowType {
  try {
    const type = readType(bytes)
    const root = new protobuf.Root()
    addWellKnown(root)
    root.add(type)
    root.resolveAll()
    // The type is the text above.
    const columns = new Map(readColumnNames(namesType.decode(bytes) as unknown as Names))
    const fields = describe(type, columns, 1)
    return { fields, decode: row => type.decode(row) as unknown as Record<string, unknown> }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw invalidArgument(`Invalid proto schema: ${cause}`)
  }
}
