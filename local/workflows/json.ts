/** JSON in and out of workflow values, keeping 64-bit integers whole. */
import { typeError, valueError } from './errors.ts'
import { isList, isMap, type Value } from './values.ts'

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
}

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** A JSON number without fraction or exponent is an int, as long as it fits 64 bits. */
function parseNumber(source: string): bigint | number {
  if (/[.eE]/.test(source)) return Number(source)
  const int = BigInt(source)
  return int > INT64_MAX || int < INT64_MIN ? Number(source) : int
}

/** Parses JSON text. Throws `SyntaxError`. */
export function parseJson(text: string): Value {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number') return parseNumber(context?.source ?? String(value))
    if (isPlainObject(value)) return new Map(Object.entries(value))
    return value
  }
  // The reviver leaves only null, booleans, bigints, numbers, strings, arrays and Maps: exactly a Value.
  return JSON.parse(text, revive) as Value
}

/** Decodes JSON for the workflow: malformed text raises ValueError. */
export function decodeJson(text: string): Value {
  try {
    return parseJson(text)
  } catch (error) {
    throw valueError(`not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** JSON text with sorted keys. Bytes have no JSON form and raise TypeError, as do infinities. */
export function encodeJson(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw valueError(`${value} has no JSON form`)
    return String(value)
  }
  if (isList(value)) return `[${value.map(encodeJson).join(',')}]`
  if (isMap(value)) {
    const keys = [...value.keys()].sort()
    return `{${keys.map(key => `${JSON.stringify(key)}:${encodeJson(value.get(key) ?? null)}`).join(',')}}`
  }
  throw typeError('bytes cannot be encoded as JSON; use base64.encode')
}

/** A value as plain JavaScript data, for tests and logs: ints become numbers where that is exact. */
export function plainOf(value: Value): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (isList(value)) return value.map(plainOf)
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [key, plainOf(item)]))
  return value
}

/** Plain JSON data as a value. */
export const valueOfPlain = (plain: unknown): Value => parseJson(JSON.stringify(plain ?? null))
