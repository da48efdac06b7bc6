/** Texts of CSV fields and JSON strings as DuckDB values: strict, no guessing and no rounding. */
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { parseBignumeric } from '../sql/index.ts'

const day = 86_400_000
const epoch = 0

function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function parseFloat64(text: string): number | undefined {
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (word) return word[2]?.toLowerCase() === 'nan' ? Number.NaN : word[1] === '-' ? -Infinity : Infinity
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** NUMERIC: 29 digits before the point, 9 after it; more after it are rounded half away from zero, as BigQuery does. */
function parseNumeric(text: string): DuckDBDecimalValue | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,4}))?$/i.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent) + 9 - fraction.length
  const digits = BigInt(`${whole}${fraction}`)
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedDivide(digits, 10n ** BigInt(-shift))
  if (size >= 10n ** 38n) return undefined
  return new DuckDBDecimalValue(sign === '-' ? -size : size, 38, 9)
}

function roundedDivide(value: bigint, by: bigint): bigint {
  return (value + by / 2n) / by
}

const truths = new Set(['true', 't', 'yes', 'y', '1'])
const falsehoods = new Set(['false', 'f', 'no', 'n', '0'])
function parseBool(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return truths.has(word) ? true : falsehoods.has(word) ? false : undefined
}

/** Days since 1970 of a date that exists, years 1 to 9999. */
function parseDays(year: string, month: string, dayOfMonth: string): number | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(dayOfMonth)]
  const date = new Date(epoch)
  date.setUTCFullYear(y, m - 1, d)
  const real = y >= 1 && date.getUTCMonth() === m - 1 && date.getUTCDate() === d
  return real ? Math.round(date.getTime() / day) : undefined
}

function parseDate(text: string): DuckDBDateValue | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text)
  const days = match && parseDays(match[1] ?? '', match[2] ?? '', match[3] ?? '')
  return days === undefined || days === null ? undefined : new DuckDBDateValue(days)
}

/** Microseconds of a day. */
function parseClock(text: string): bigint | undefined {
  const match = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) return undefined
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return BigInt(hour * 3600 + minute * 60 + second) * 1_000_000n + BigInt((match[4] ?? '').padEnd(6, '0'))
}

function parseTime(text: string): DuckDBTimeValue | undefined {
  const micros = parseClock(text)
  return micros === undefined ? undefined : new DuckDBTimeValue(micros)
}

/** Microseconds since 1970, without zone. A date alone is its midnight. */
function parseLocal(text: string): bigint | undefined {
  const match = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ Tt](.+))?$/.exec(text)
  if (!match) return undefined
  const days = parseDays(match[1] ?? '', match[2] ?? '', match[3] ?? '')
  const clock = match[4] === undefined ? 0n : parseClock(match[4])
  return days === undefined || clock === undefined ? undefined : BigInt(days) * 86_400_000_000n + clock
}

function parseDatetime(text: string): DuckDBTimestampValue | undefined {
  const micros = parseLocal(text)
  return micros === undefined ? undefined : new DuckDBTimestampValue(micros)
}

/** With `Z`, `UTC` or an offset such as +02:00; none means UTC. Names of zones are not known here. */
function parseTimestamp(text: string): DuckDBTimestampTZValue | undefined {
  const match = /^(.*?)(?: ?(Z|z|UTC)| ?([+-])(\d{1,2})(?::?(\d{2}))?)?$/.exec(text)
  if (!match) return undefined
  const plain = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}$/.test(text)
  const micros = parseLocal(plain ? text : (match[1] ?? ''))
  if (micros === undefined) return undefined
  const minutes = plain || match[3] === undefined ? 0 : Number(match[4]) * 60 + Number(match[5] ?? 0)
  const offset = BigInt(match[3] === '-' ? -minutes : minutes) * 60_000_000n
  return new DuckDBTimestampTZValue(micros - offset)
}

function parseBytes(text: string): DuckDBBlobValue | undefined {
  const bytes = Buffer.from(text, 'base64')
  const same =
    bytes.toString('base64').replace(/=+$/, '') ===
    text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  return same ? new DuckDBBlobValue(bytes) : undefined
}

function parseJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

const parsers: Readonly<Record<string, (text: string) => DuckDBValue | undefined>> = {
  STRING: text => text,
  INTEGER: parseInteger,
  FLOAT: parseFloat64,
  NUMERIC: parseNumeric,
  BIGNUMERIC: parseBignumeric,
  BOOLEAN: parseBool,
  DATE: parseDate,
  TIME: parseTime,
  DATETIME: parseDatetime,
  TIMESTAMP: parseTimestamp,
  BYTES: parseBytes,
  JSON: parseJson,
}

/** `type` is REST's name. `undefined` means that the text is not one of that type. */
export function parseText(type: string, text: string): DuckDBValue | undefined {
  return parsers[type]?.(type === 'STRING' || type === 'JSON' ? text : text.trim())
}
