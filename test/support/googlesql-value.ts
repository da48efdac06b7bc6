/** Values as Google's evaluator sends and takes them, and as tests write them. */
import { type SqlType, typeText } from '../../local/bigquery/sql/type.ts'

/** INT64 bigint; FLOAT64 number; DATE, DATETIME, TIME, NUMERIC as BigQuery's text; TIMESTAMP as microseconds (bigint); BYTES Buffer. */
export type Cell = null | bigint | number | string | boolean | Buffer | readonly Cell[]

// biome-ignore lint/suspicious/noExplicitAny: untyped protocol buffers
type Wire = any

const kinds: Readonly<Record<string, string>> = { FLOAT64: 'TYPE_DOUBLE' }

export function encodeType(type: SqlType): object {
  if (type.kind === 'array')
    return { typeKind: 'TYPE_ARRAY', arrayType: { elementType: encodeType(type.of) } }
  if (type.kind === 'struct') {
    const field = type.fields.map(f => ({ fieldName: f.name ?? '', fieldType: encodeType(f.type) }))
    return { typeKind: 'TYPE_STRUCT', structType: { field } }
  }
  return { typeKind: kinds[type.name] ?? `TYPE_${type.name}` }
}

function bytesOf(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push(Number(BigInt.asUintN(8, rest)))
    rest >>= 8n
  } while (!(rest === 0n && (bytes.at(-1) ?? 0) < 128) && !(rest === -1n && (bytes.at(-1) ?? 0) >= 128))
  return Buffer.from(bytes)
}

function numericOf(text: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d{0,9})$/.exec(text) ?? []
  const value = BigInt(whole + fraction.padEnd(9, '0'))
  return sign === '-' ? -value : value
}

function numericText(bytes: Buffer): string {
  let value = 0n
  for (const byte of [...bytes].reverse()) value = (value << 8n) | BigInt(byte)
  value = BigInt.asIntN(bytes.length * 8, value)
  const digits = (value < 0n ? -value : value).toString().padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction ? `.${fraction}` : ''}`
}

function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b
  return a % b < 0n ? q - 1n : q
}

function encodeDatetime(text: string): object {
  const [date = '', time = '00:00:00'] = text.split(/[ T]/)
  const [y = 0, mo = 0, d = 0] = date.split('-').map(Number)
  const [h = 0, mi = 0, s = '0'] = time.split(':').map((part, i) => (i < 2 ? Number(part) : part))
  const [seconds = '0', fraction = ''] = String(s).split('.')
  const bits = [y, 4, mo, 5, d, 5, h, 6, mi, 6, Number(seconds)].reduce<bigint>(
    (sum, part, i) => (i % 2 ? sum << BigInt(part) : sum + BigInt(part)),
    0n,
  )
  return { bitFieldDatetimeSeconds: bits.toString(), nanos: Number(fraction.padEnd(9, '0')) }
}

/** One value for the wire; NULL is an empty message. */
export function encodeCell(type: SqlType | undefined, cell: Cell): object {
  if (cell === null || !type) return {}
  if (type.kind === 'array' && Array.isArray(cell))
    return { arrayValue: { element: cell.map(item => encodeCell(type.of, item)) } }
  switch (typeText(type)) {
    case 'INT64':
      return { int64Value: String(cell) }
    case 'FLOAT64':
      return { doubleValue: cell }
    case 'STRING':
      return { stringValue: cell }
    case 'BOOL':
      return { boolValue: cell }
    case 'BYTES':
      return { bytesValue: cell }
    case 'DATE':
      return { dateValue: Date.parse(`${cell}T00:00:00Z`) / 86_400_000 }
    case 'TIMESTAMP': {
      const seconds = floorDiv(BigInt(String(cell)), 1_000_000n)
      return {
        timestampValue: {
          seconds: seconds.toString(),
          nanos: Number(BigInt(String(cell)) - seconds * 1_000_000n) * 1000,
        },
      }
    }
    case 'DATETIME':
      return { datetimeValue: encodeDatetime(String(cell)) }
    case 'NUMERIC':
      return { numericValue: bytesOf(numericOf(String(cell))) }
    default:
      throw new Error(`no encoding for ${typeText(type)}`)
  }
}

function two(value: bigint): string {
  return value.toString().padStart(2, '0')
}

function fractionText(nanos: number): string {
  return nanos ? `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}` : ''
}

function clock(bits: bigint, nanos: number): string {
  return `${two((bits >> 12n) & 31n)}:${two((bits >> 6n) & 63n)}:${two(bits & 63n)}${fractionText(nanos)}`
}

/** The inverse of `encodeCell`; arrays are lists and structs lists of their fields. */
export function decodeCell(type: Wire, cell: Wire): Cell {
  const which: string | undefined = cell?.value
  if (!which) return null
  const value = cell[which]
  switch (which) {
    case 'int64Value':
      return BigInt(value)
    case 'dateValue':
      return new Date(value * 86_400_000).toISOString().slice(0, 10)
    case 'timestampValue':
      return BigInt(value.seconds ?? 0) * 1_000_000n + BigInt(Math.trunc((value.nanos ?? 0) / 1000))
    case 'datetimeValue': {
      const bits = BigInt(value.bitFieldDatetimeSeconds)
      const date = `${(bits >> 26n).toString().padStart(4, '0')}-${two((bits >> 22n) & 15n)}-${two((bits >> 17n) & 31n)}`
      return `${date}T${clock(bits, value.nanos ?? 0)}`
    }
    case 'timeValue':
      return clock(BigInt(value) >> 30n, Number(BigInt(value) & 0x3fffffffn))
    case 'numericValue':
      return numericText(value)
    case 'arrayValue':
      return (value.element ?? []).map((item: Wire) => decodeCell(type.arrayType?.elementType, item))
    case 'structValue':
      return (value.field ?? []).map((item: Wire, i: number) =>
        decodeCell(type.structType?.field?.[i]?.fieldType, item),
      )
    default:
      return value
  }
}
