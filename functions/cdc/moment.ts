/** Dates and times as files write them, read strictly. docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-types#timestamp_type */

const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Days since 1970-01-01 of a day that exists in the years 1 to 9999. */
function daysOf(year: number, month: number, day: number): number | undefined {
  const before = DAYS_BEFORE[month - 1]
  if (before === undefined || year < 1 || day < 1) return undefined
  const leap = isLeap(year) ? 1 : 0
  const length = (DAYS_BEFORE[month] ?? 365) - before + (month === 2 ? leap : 0)
  if (day > length) return undefined
  const y = year - 1
  const whole = y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400)
  return whole + before + (month > 2 ? leap : 0) + day - 1 - 719_162
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const CLOCK = String.raw`(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?`
const TIME = new RegExp(`^${CLOCK}$`)
const DATETIME = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)[T ]${CLOCK}$`)
const TIMESTAMP = new RegExp(
  String.raw`^(\d{4})-(\d\d)-(\d\d)[T ]${CLOCK}(?: ?(Z|z|UTC)|([+-])(\d\d)(?::?(\d\d))?)$`,
)

/** Days since 1970. */
export function parseDays(text: string): number | undefined {
  const match = DATE.exec(text)
  return match ? daysOf(Number(match[1]), Number(match[2]), Number(match[3])) : undefined
}

const NO_FRACTION = ''

/** Microseconds of a fraction; `undefined` when it says more than microseconds. */
function microsOf(fraction = NO_FRACTION): number | undefined {
  if (fraction.length > 6 && !/^0*$/.test(fraction.slice(6))) return undefined
  return Number(fraction.slice(0, 6).padEnd(6, '0'))
}

/** Microseconds since midnight. */
function clockOf(match: RegExpExecArray, at: number): number | undefined {
  const [hour, minute, second] = [Number(match[at]), Number(match[at + 1]), Number(match[at + 2])]
  const micros = microsOf(match[at + 3])
  if (hour > 23 || minute > 59 || second > 59 || micros === undefined) return undefined
  return ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros
}

const DAY = 86_400_000_000
const FIRST = -719_162n * 86_400_000_000n
const LAST = 2_932_897n * 86_400_000_000n - 1n

/** Microseconds since 1970; a number where it is exact. A text without a zone is none: whose time would it be? */
export function parseMicros(text: string): number | bigint | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const days = daysOf(Number(match[1]), Number(match[2]), Number(match[3]))
  const clock = clockOf(match, 4)
  if (days === undefined || clock === undefined) return undefined
  const [hours, minutes] = [Number(match[10] ?? 0), Number(match[11] ?? 0)]
  // docs…/data-types#time_zones: offsets lie between -14:00 and +14:00
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return undefined
  const offset = (match[9] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000_000
  const fast = days * DAY + clock - offset
  if (Number.isSafeInteger(fast) && Math.abs(days) < 100_000) return fast
  const micros = BigInt(days) * BigInt(DAY) + BigInt(clock) - BigInt(offset)
  return micros >= FIRST && micros <= LAST ? micros : undefined
}

const showClock = (hour = '', minute = '', second = '', fraction = NO_FRACTION) => {
  const rest = fraction.slice(0, 6).replace(/0+$/, '')
  return `${hour}:${minute}:${second}${rest && `.${rest}`}`
}

/** The text in BigQuery's canonical form: two ways to write one value are one key. */
export function parseDatetime(text: string): string | undefined {
  const match = DATETIME.exec(text)
  if (!match || daysOf(Number(match[1]), Number(match[2]), Number(match[3])) === undefined) return undefined
  if (clockOf(match, 4) === undefined) return undefined
  const [, year, month, day, hour, minute, second, fraction] = match
  return `${year}-${month}-${day} ${showClock(hour, minute, second, fraction)}`
}

export function parseTime(text: string): string | undefined {
  const match = TIME.exec(text)
  if (!match || clockOf(match, 1) === undefined) return undefined
  return showClock(match[1], match[2], match[3], match[4])
}
