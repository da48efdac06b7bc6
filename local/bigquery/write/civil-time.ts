/** DATETIME and TIME packed into an INT64, bit field by bit field, as Google's `CivilTimeEncoder` does. */
import { DuckDBTimestampValue, DuckDBTimeValue } from '@duckdb/node-api'

/** From the low end: 20 bits of microseconds, 6 of seconds, 6 of minutes, 5 of hours, 5 of days, 4 of months, 14 of years. */
function unpack(packed: bigint) {
  const bits = (from: bigint, count: bigint) => Number((packed >> from) & ((1n << count) - 1n))
  const clock = { micro: bits(0n, 20n), second: bits(20n, 6n), minute: bits(26n, 6n), hour: bits(32n, 5n) }
  return { ...clock, day: bits(37n, 5n), month: bits(42n, 4n), year: bits(46n, 14n) }
}

function microsOfDay({ micro, second, minute, hour }: ReturnType<typeof unpack>): bigint | undefined {
  if (micro > 999_999 || second > 59 || minute > 59 || hour > 23) return undefined
  return BigInt(hour * 3600 + minute * 60 + second) * 1_000_000n + BigInt(micro)
}

/** `undefined` for what is no time of day. */
export function parsePackedTime(packed: bigint): DuckDBTimeValue | undefined {
  const micros = packed >> 37n === 0n ? microsOfDay(unpack(packed)) : undefined
  return micros === undefined ? undefined : new DuckDBTimeValue(micros)
}

/** `undefined` for what is no date and time. */
export function parsePackedDatetime(packed: bigint): DuckDBTimestampValue | undefined {
  const fields = unpack(packed)
  const micros = packed >> 60n === 0n ? microsOfDay(fields) : undefined
  const { year, month, day } = fields
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = year >= 1 && year <= 9999 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return micros === undefined || !isReal
    ? undefined
    : new DuckDBTimestampValue(BigInt(date.getTime()) * 1000n + micros)
}
