/** One column's values onto the wire, each checked. docs.cloud.google.com/bigquery/docs/supported-data-types */
import { baseType } from '../feed/column-type.ts'
import type { WireField } from '../gcp/change-ports.ts'
import { parseDecimal, rangeOf } from './decimal.ts'
import { parseDatetime, parseDays, parseMicros, parseTime } from './moment.ts'
import type { ProtoBytes } from './proto-bytes.ts'
import { DigitsWanted, encodeJson, NumberText, type RawValue, showValue, ValueProblem } from './raw-value.ts'

/** Protobuf's wire types. */
export const WIRE = { varint: 0, fixed64: 1, length: 2 } as const

export interface ValueEncoder {
  readonly wire: (typeof WIRE)[keyof typeof WIRE]
  /** The scalar type of the field in a descriptor. */
  readonly proto: WireField['type']
  /** Never of NULL. Throws `ValueProblem`. */
  write(out: ProtoBytes, value: RawValue): void
}

function wrong(value: RawValue, what: string): never {
  throw new ValueProblem(`${showValue(value)} is no ${what}`)
}
const textOf = (value: RawValue): string | undefined =>
  typeof value === 'string' ? value : value instanceof NumberText ? value.text : undefined

const MAX_INT64 = 2n ** 63n - 1n

function readInteger(value: RawValue): number | bigint {
  const text = textOf(value)
  if (text === undefined || !/^[+-]?\d{1,30}$/.test(text)) wrong(value, 'INT64')
  if (text.length < 16) return Number(text)
  const integer = BigInt(text.replace(/^\+/, ''))
  return integer > MAX_INT64 || integer < -MAX_INT64 - 1n ? wrong(value, 'INT64') : integer
}

function writeInteger(out: ProtoBytes, value: RawValue): void {
  out.int(typeof value === 'number' && Number.isSafeInteger(value) ? value : readInteger(value))
}

function makeDecimalWriter(type: string): ValueEncoder['write'] {
  const range = rangeOf(type)
  return (out, value) => {
    // A number that a double holds, written as JavaScript writes it, has the digits that it came with.
    const text = typeof value === 'number' ? String(value) : textOf(value)
    const digits = text === undefined ? undefined : parseDecimal(text, range)
    if (digits === undefined) wrong(value, type)
    out.string(digits)
  }
}

const WORDS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
  infinity: Infinity,
  '+infinity': Infinity,
  '-infinity': -Infinity,
}

function readFloat(value: RawValue): number {
  const text = textOf(value) ?? wrong(value, 'FLOAT64')
  const word = WORDS[text.toLowerCase()]
  if (word !== undefined) return word
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Infinity
  return Number.isFinite(number) ? number : wrong(value, 'FLOAT64')
}

function writeFloat(out: ProtoBytes, value: RawValue): void {
  out.double(typeof value === 'number' ? value : readFloat(value))
}

function writeBool(out: ProtoBytes, value: RawValue): void {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if (word === true || word === 'true') out.varint(1)
  else if (word === false || word === 'false') out.varint(0)
  else wrong(value, 'BOOL')
}

const lengthOf = (type: string): number => Number(/\((\d+)\)/.exec(type)?.[1] ?? Infinity)

function makeStringWriter(type: string): ValueEncoder['write'] {
  const longest = lengthOf(type)
  return (out, value) => {
    let text = value
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) throw new DigitsWanted()
      text = String(value)
    } else if (value instanceof NumberText) text = value.text
    else if (typeof value === 'boolean') text = String(value)
    if (typeof text !== 'string') wrong(value, 'STRING')
    if (text.length > longest && [...text].length > longest)
      throw new ValueProblem(`${showValue(value)} has more than ${longest} characters`)
    if (!text.isWellFormed()) throw new ValueProblem(`${showValue(value)} has half of a surrogate pair`)
    out.string(text)
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function makeBytesWriter(type: string): ValueEncoder['write'] {
  const longest = lengthOf(type)
  return (out, value) => {
    if (typeof value !== 'string' || !BASE64.test(value)) wrong(value, 'BYTES in base64')
    const bytes = Buffer.from(value, 'base64')
    if (bytes.length > longest) throw new ValueProblem(`${showValue(value)} has more than ${longest} bytes`)
    out.bytes(bytes)
  }
}

/** What a text says, or the end of the row. */
const read = <T>(parse: (text: string) => T | undefined, what: string) =>
  function parsed(value: RawValue): T {
    return (typeof value === 'string' ? parse(value) : undefined) ?? wrong(value, what)
  }
const readDays = read(parseDays, 'DATE as YYYY-MM-DD')
const readMicros = read(parseMicros, 'TIMESTAMP with a zone and at most microseconds')
const readDatetime = read(parseDatetime, 'DATETIME as YYYY-MM-DD HH:MM:SS')
const readTime = read(parseTime, 'TIME as HH:MM:SS')

/** `csv`: a text in a JSON column is the JSON itself; of NDJSON the value is. */
function writeJsonColumn(out: ProtoBytes, value: RawValue, csv: boolean): void {
  const text = csv ? String(value) : encodeJson(value)
  try {
    if (csv) JSON.parse(text)
  } catch {
    wrong(value, 'JSON')
  }
  out.string(text)
}

const scalar = (
  proto: ValueEncoder['proto'],
  wire: ValueEncoder['wire'],
  write: ValueEncoder['write'],
): ValueEncoder => ({ proto, wire, write })

/** `type` is a column type of a feed, such as `NUMERIC(10, 2)`. */
export function makeValueEncoder(type: string, format: 'ndjson' | 'csv'): ValueEncoder {
  switch (baseType(type)) {
    case 'INT64':
      return scalar('TYPE_INT64', WIRE.varint, writeInteger)
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return scalar('TYPE_STRING', WIRE.length, makeDecimalWriter(type))
    case 'FLOAT64':
      return scalar('TYPE_DOUBLE', WIRE.fixed64, writeFloat)
    case 'BOOL':
      return scalar('TYPE_BOOL', WIRE.varint, writeBool)
    case 'BYTES':
      return scalar('TYPE_BYTES', WIRE.length, makeBytesWriter(type))
    case 'DATE':
      return scalar('TYPE_INT32', WIRE.varint, (out, value) => out.int(readDays(value)))
    case 'TIMESTAMP':
      return scalar('TYPE_INT64', WIRE.varint, (out, value) => out.int(readMicros(value)))
    case 'DATETIME':
      return scalar('TYPE_STRING', WIRE.length, (out, value) => out.string(readDatetime(value)))
    case 'TIME':
      return scalar('TYPE_STRING', WIRE.length, (out, value) => out.string(readTime(value)))
    case 'JSON':
      return scalar('TYPE_STRING', WIRE.length, (out, value) => writeJsonColumn(out, value, format === 'csv'))
    default:
      return scalar('TYPE_STRING', WIRE.length, makeStringWriter(type))
  }
}
