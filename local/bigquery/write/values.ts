/** Values of protobuf fields as values of columns: which types go together, and nothing lost on the way. */
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { parseText } from '../load/text-value.ts'
import { checkBignumeric } from '../sql/index.ts'
import { parsePackedDatetime, parsePackedTime } from './civil-time.ts'
import type { ProtoField } from './descriptor.ts'

/** `undefined` when the value is none of the column's type. */
export type Reader = (value: unknown) => DuckDBValue | undefined

interface Long {
  readonly low: number
  readonly high: number
  readonly unsigned: boolean
}

const isLong = (value: unknown): value is Long =>
  typeof value === 'object' && value !== null && 'low' in value && 'high' in value

/** 64-bit fields come in two halves. */
function toBigInt(value: unknown): bigint {
  if (!isLong(value)) return BigInt(Number(value))
  const high = value.unsigned ? value.high >>> 0 : value.high
  return (BigInt(high) << 32n) | BigInt(value.low >>> 0)
}

const integers = ['int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64']
const fixed = ['fixed32', 'fixed64', 'sfixed32', 'sfixed64']
const wide = [...integers, ...fixed]
const narrow = wide.filter(name => !name.startsWith('u') && !name.startsWith('f'))
const signed = [...narrow, 'uint32', 'fixed32']

const firstDay = -719_162
const lastDay = 2_932_896
const firstMicro = BigInt(firstDay) * 86_400_000_000n
const lastMicro = BigInt(lastDay + 1) * 86_400_000_000n - 1n

function readDate(value: unknown): DuckDBValue | undefined {
  const days = Number(toBigInt(value))
  return days >= firstDay && days <= lastDay ? new DuckDBDateValue(days) : undefined
}

function fromMicros(micros: bigint): DuckDBValue | undefined {
  return micros >= firstMicro && micros <= lastMicro ? new DuckDBTimestampTZValue(micros) : undefined
}

function readTimestampMessage(value: unknown): DuckDBValue | undefined {
  const { seconds = 0, nanos = 0 } = value as { seconds?: unknown; nanos?: number }
  if (nanos % 1000 !== 0) return undefined
  return fromMicros(toBigInt(seconds) * 1_000_000n + BigInt(nanos / 1000))
}

const unit = 10n ** 9n
const numericLimit = 10n ** 38n

function numeric(scaled: bigint): DuckDBValue | undefined {
  const size = scaled < 0n ? -scaled : scaled
  return size < numericLimit ? new DuckDBDecimalValue(scaled, 38, 9) : undefined
}

/** Digits that the type can't hold are an error: rounding them would lose something. */
const decimalText =
  (type: string, digits: number): Reader =>
  value => {
    const text = String(value).trim()
    const [, fraction = '', exponent = '0'] = /^[+-]?\d*\.?(\d*?)0*(?:e([+-]?\d+))?$/i.exec(text) ?? []
    return fraction.length - Number(exponent) > digits ? undefined : parseText(type, text)
  }

/** Two's complement, lowest byte first, of the value times its scale: `BigDecimalByteStringEncoder`. */
const decimalBytes =
  (most: number, read: (scaled: bigint) => DuckDBValue | undefined): Reader =>
  value => {
    const bytes = value as Uint8Array
    if (bytes.length === 0 || bytes.length > most) return undefined
    const hex = Buffer.from(bytes).reverse().toString('hex')
    return read(BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`)))
  }

const numericText = decimalText('NUMERIC', 9)
const bignumericText = decimalText('BIGNUMERIC', 38)
const wideUnit = 10n ** 38n

const fromText =
  (type: string): Reader =>
  value =>
    parseText(type, String(value))

/** protobufjs puts U+FFFD where bytes are no UTF-8: such a text was never written by a client. */
const readString: Reader = value => String(value)
const readBytes: Reader = value => new DuckDBBlobValue(new Uint8Array(value as Uint8Array))
const each = (names: readonly string[], reader: Reader) =>
  Object.fromEntries(names.map(name => [name, reader]))

/** https://cloud.google.com/bigquery/docs/supported-data-types, by column type and then by protobuf type. */
const readers: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  BOOLEAN: { bool: v => v === true, ...each(wide, v => toBigInt(v) !== 0n) },
  BYTES: { bytes: readBytes, string: v => new DuckDBBlobValue(new TextEncoder().encode(String(v))) },
  DATE: { ...each(narrow, readDate), string: fromText('DATE') },
  DATETIME: { string: fromText('DATETIME'), int64: v => parsePackedDatetime(toBigInt(v)) },
  TIME: { string: fromText('TIME'), int64: v => parsePackedTime(toBigInt(v)) },
  FLOAT: each(['double', 'float'], Number),
  INTEGER: { ...each(signed, toBigInt), enum: toBigInt },
  JSON: { string: fromText('JSON') },
  NUMERIC: {
    ...each(wide, v => numeric(toBigInt(v) * unit)),
    ...each(['double', 'float', 'string'], numericText),
    bytes: decimalBytes(16, numeric),
  },
  BIGNUMERIC: {
    ...each(wide, v => toBigInt(v) * wideUnit),
    ...each(['double', 'float', 'string'], bignumericText),
    bytes: decimalBytes(32, checkBignumeric),
  },
  STRING: { string: readString },
  TIMESTAMP: {
    ...each(signed, v => fromMicros(toBigInt(v))),
    '.google.protobuf.Timestamp': readTimestampMessage,
  },
}

const wrapped: Readonly<Record<string, string>> = {
  BoolValue: 'bool',
  BytesValue: 'bytes',
  DoubleValue: 'double',
  FloatValue: 'float',
  Int32Value: 'int32',
  Int64Value: 'int64',
  UInt32Value: 'uint32',
  StringValue: 'string',
}

/** How fields of `field`'s type fill a column of `type` (REST's name); `undefined` when they can't. */
export function readerFor(field: ProtoField, type: string): Reader | undefined {
  const inner = wrapped[field.type.replace('.google.protobuf.', '')]
  if (field.type.startsWith('.google.protobuf.') && inner) {
    const reader = readers[type]?.[inner]
    return reader && (value => reader((value as { value?: unknown }).value ?? 0))
  }
  if (type === 'STRING' && field.type === 'enum') return value => field.names?.[Number(value)]
  return readers[type]?.[field.type]
}
