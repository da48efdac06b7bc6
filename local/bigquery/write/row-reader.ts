/** A writer's descriptor against a table's schema: how each row's message becomes the row's values. */
import { type DuckDBValue, listValue, structValue } from '@duckdb/node-api'
import { type Field, findField } from '../catalogue/field.ts'
import { findExcess } from '../load/limits.ts'
import { Problem } from '../load/problem.ts'
import type { ProtoField } from './descriptor.ts'
import { invalidArgument, WriteError } from './errors.ts'
import { readerFor } from './values.ts'

type Message = Readonly<Record<string, unknown>>
/** A column's value out of a message; throws `Problem`. */
type FieldReader = (message: Message) => DuckDBValue

export interface ColumnReader {
  readonly field: Field
  readonly read: FieldReader
  /** Whether the message says anything for the column. */
  isSet(message: Message): boolean
}

const protoNames: Readonly<Record<string, string>> = { message: 'TYPE_MESSAGE', enum: 'TYPE_ENUM' }

function mismatch(proto: ProtoField, field: Field, path: string): WriteError {
  const type = protoNames[proto.type] ?? proto.type
  return invalidArgument(
    `The proto field mismatched with BigQuery field at ${path}, the proto field type ${type}, BigQuery field type ${field.type}.`,
  )
}

function show(value: unknown): string {
  return value instanceof Uint8Array ? `${value.length} bytes` : String(value)
}

/** One value that is there. */
function valueReader(proto: ProtoField, field: Field, path: string): (value: unknown) => DuckDBValue {
  if (field.type === 'RECORD') {
    if (proto.type !== 'message') throw mismatch(proto, field, path)
    const columns = matchFields(proto.fields ?? [], field.fields ?? [], path)
    return value => {
      const message = value as Message
      return structValue(Object.fromEntries(columns.map(c => [c.field.name, readColumn(c, message, path)])))
    }
  }
  const reader = readerFor(proto, field.type)
  if (!reader) throw mismatch(proto, field, path)
  return value => {
    const read = reader(value)
    if (read === undefined)
      throw new Problem(`Invalid ${field.type} value. Field: ${path}; Value: ${show(value)}`)
    const excess = findExcess(field, read)
    if (excess !== undefined) throw new Problem(`${excess}. Field: ${path}; Value: ${show(value)}`)
    return read
  }
}

function columnReader(proto: ProtoField, field: Field, path: string): ColumnReader {
  if (proto.repeated !== (field.mode === 'REPEATED')) {
    const [given, wanted] = [proto.repeated ? 'repeated' : 'not repeated', field.mode]
    throw invalidArgument(
      `The proto field mismatched with BigQuery field at ${path}, the proto field is ${given}, BigQuery field mode ${wanted}.`,
    )
  }
  const read = valueReader(proto, field, path)
  const isSet = (message: Message) => Object.hasOwn(message, proto.name) && message[proto.name] !== null
  if (proto.repeated) {
    const items = (message: Message) => (message[proto.name] ?? []) as readonly unknown[]
    return { field, isSet, read: message => listValue(items(message).map(read)) }
  }
  return { field, isSet, read: message => (isSet(message) ? read(message[proto.name]) : null) }
}

/** A column that the descriptor lacks is never set. */
function absentReader(field: Field): ColumnReader {
  return { field, isSet: () => false, read: () => (field.mode === 'REPEATED' ? listValue([]) : null) }
}

/** A reader for each of `fields`, in their order. Throws `WriteError` where the descriptor does not fit them. */
export function matchFields(
  protos: readonly ProtoField[],
  fields: readonly Field[],
  path: string,
): ColumnReader[] {
  const extra = protos.filter(proto => !findField(fields, proto.column)).map(proto => proto.column)
  if (extra.length > 0) {
    const names = extra.map(name => `'${name}'`).join(', ')
    throw new WriteError(
      3,
      `Input schema has more fields than BigQuery schema, extra fields: ${names}`,
      'SCHEMA_MISMATCH_EXTRA_FIELDS',
    )
  }
  return fields.map(field => {
    const proto = protos.find(p => p.column.toLowerCase() === field.name.toLowerCase())
    return proto ? columnReader(proto, field, `${path}.${field.name}`) : absentReader(field)
  })
}

/** The column's value, which a REQUIRED one must have. Throws `Problem`. */
export function readColumn({ field, read }: ColumnReader, message: Message, path: string): DuckDBValue {
  const value = read(message)
  if (value === null && field.mode === 'REQUIRED')
    throw new Problem(`Field ${path}.${field.name} is required, but is missing.`)
  return value
}
