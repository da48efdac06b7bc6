/** Messages between JSON and their decoded form, driven by the protocol's own descriptors (ProtoJSON). */
import { invalid } from './errors.ts'
import { messageOf } from './proto.ts'

interface FieldType {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly typeName: string
}

export interface MessageType {
  readonly name: string
  readonly field: readonly FieldType[]
  readonly nestedType: readonly MessageType[]
  readonly options?: { readonly mapEntry?: boolean } | null
}

const bad = (path: string, problem: string) =>
  invalid(`Invalid JSON payload received. ${problem} at '${path}'.`)

/** Descriptors come from the loader untyped. */
export const typeOf = (name: string): MessageType => messageOf(name).type as MessageType

function fieldType(owner: MessageType, field: FieldType): MessageType {
  const nested = owner.nestedType.find(type => type.name === field.typeName)
  if (nested) return nested
  const name = field.typeName.startsWith('protobuf.')
    ? `google.${field.typeName}`
    : `google.pubsub.v1.${field.typeName}`
  return typeOf(name)
}

function parseTime(text: string, path: string) {
  const millis = Date.parse(text)
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? ''
  if (Number.isNaN(millis)) throw bad(path, 'Invalid timestamp')
  return { seconds: String(Math.floor(millis / 1000)), nanos: Number(fraction.padEnd(9, '0')) }
}

function parseDuration(text: string, path: string) {
  const match = /^(\d+)(?:\.(\d{1,9}))?s$/.exec(text)
  if (!match) throw bad(path, 'Invalid duration')
  return { seconds: match[1], nanos: Number((match[2] ?? '').padEnd(9, '0')) }
}

/** Well-known types have their own JSON; `undefined` for any other. */
function parseWellKnown(typeName: string, value: unknown, path: string): object | undefined {
  if (typeof value !== 'string') return undefined
  if (typeName === 'protobuf.Timestamp') return parseTime(value, path)
  if (typeName === 'protobuf.Duration') return parseDuration(value, path)
  if (typeName === 'protobuf.FieldMask') return { paths: value.split(',').filter(part => part !== '') }
  return undefined
}

function parseBytes(value: unknown, path: string): Buffer {
  const text = typeof value === 'string' ? value.replaceAll('-', '+').replaceAll('_', '/') : '!'
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw bad(path, 'Base64 decoding failed')
  return Buffer.from(text, 'base64')
}

function parseScalar(type: string, value: unknown, path: string): unknown {
  if (type === 'TYPE_BYTES') return parseBytes(value, path)
  const number = typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))
  if (/^TYPE_S?U?INT64$/.test(type) && number) return String(value)
  if (/^TYPE_S?U?INT32$/.test(type) && number) return Number(value)
  if (type === 'TYPE_BOOL' && (typeof value === 'boolean' || value === 'true' || value === 'false'))
    return value === true || value === 'true'
  if ((type === 'TYPE_STRING' || type === 'TYPE_ENUM') && typeof value === 'string') return value
  throw bad(path, `Invalid value (${type}), ${JSON.stringify(value)}`)
}

function parseOne(owner: MessageType, field: FieldType, value: unknown, path: string): unknown {
  if (field.type !== 'TYPE_MESSAGE') return parseScalar(field.type, value, path)
  return parseWellKnown(field.typeName, value, path) ?? fromJson(fieldType(owner, field), value, path)
}

const isMap = (type: MessageType) => type.options?.mapEntry === true

function parseMap(entry: MessageType, value: unknown, path: string): Record<string, unknown> {
  const item = entry.field.find(field => field.name === 'value')
  if (!item || typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad(path, 'Not a map')
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, parseOne(entry, item, inner, `${path}[${key}]`)]),
  )
}

function parseField(owner: MessageType, field: FieldType, value: unknown, path: string): unknown {
  if (field.label !== 'LABEL_REPEATED') return parseOne(owner, field, value, path)
  if (field.type === 'TYPE_MESSAGE' && isMap(fieldType(owner, field)))
    return parseMap(fieldType(owner, field), value, path)
  if (!Array.isArray(value)) throw bad(path, 'Not a list')
  return value.map((item, index) => parseOne(owner, field, item, `${path}[${index}]`))
}

/** Unknown fields and values of another type are INVALID_ARGUMENT, with their path. */
export function fromJson(type: MessageType, json: unknown, path = ''): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw bad(path, 'Not an object')
  const entries = Object.entries(json).filter(([, value]) => value !== null)
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const field = type.field.find(({ name }) => name === key)
      if (!field) throw bad(path, `Unknown name "${key}": Cannot find field`)
      return [key, parseField(type, field, value, path ? `${path}.${key}` : key)]
    }),
  )
}

function encodeSeconds(typeName: string, value: object): string {
  const seconds = Number('seconds' in value ? value.seconds : 0)
  const nanos = Number('nanos' in value ? value.nanos : 0)
  if (typeName === 'protobuf.Timestamp') return new Date(seconds * 1000 + nanos / 1e6).toISOString()
  // Three, six or nine digits, as many as are needed.
  const fraction =
    nanos === 0
      ? ''
      : `.${String(nanos)
          .padStart(9, '0')
          .replace(/(000){1,2}$/, '')}`
  return `${seconds}${fraction}s`
}

function encodeOne(owner: MessageType, field: FieldType, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value !== 'object' || value === null) return value
  if (['protobuf.Timestamp', 'protobuf.Duration'].includes(field.typeName))
    return encodeSeconds(field.typeName, value)
  const type = fieldType(owner, field)
  return isMap(type) ? value : toJson(type, value)
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** Fields at their default are left out, as Google leaves them out. */
export function toJson(type: MessageType, value: object): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(value))
  return Object.fromEntries(
    type.field.flatMap(field => {
      const item = values.get(field.name)
      if (isEmpty(item)) return []
      return [
        [
          field.name,
          Array.isArray(item) ? item.map(one => encodeOne(type, field, one)) : encodeOne(type, field, item),
        ],
      ]
    }),
  )
}
