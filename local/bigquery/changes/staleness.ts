/** `max_staleness`: an INTERVAL in BigQuery's canonical form, and what it means for reading a table with changes. */
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry } from '../catalogue/entry.ts'
import { invalid } from '../errors.ts'

const canonical = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?$/
const day = 86_400_000

/** Milliseconds of `Y-M D H:M:S`; `undefined` for another text. A month counts as 30 days. */
export function parseInterval(text: string): number | undefined {
  const match = canonical.exec(text)
  if (!match) return undefined
  const [, yearSign, years, months, days, clockSign, hours, minutes, seconds, fraction = ''] = match
  const turned = (sign: string | undefined, value: number) => (sign === '-' ? -value : value)
  const calendar = turned(yearSign, (Number(years) * 12 + Number(months)) * 30 * day) + Number(days) * day
  const clock = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return calendar + turned(clockSign, clock * 1000 + Number(fraction.padEnd(6, '0')) / 1000)
}

/** An interval of so many parts, canonical: `0-0 0 0:10:0`. */
export function encodeInterval(months: number, days: number, micros: bigint): string {
  const sign = (negative: boolean) => (negative ? '-' : '')
  const size = micros < 0n ? -micros : micros
  const [whole, rest] = [size / 1_000_000n, size % 1_000_000n]
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`
  const clock = `${whole / 3600n}:${(whole / 60n) % 60n}:${whole % 60n}${fraction}`
  const month = Math.abs(months)
  const calendar = `${sign(months < 0)}${Math.floor(month / 12)}-${month % 12}`
  return `${calendar} ${days} ${sign(micros < 0n)}${clock}`
}

/** Throws for a text that is no INTERVAL in canonical form, or a negative one. */
export function checkStaleness(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const ms = parseInterval(text)
  if (ms === undefined || ms < 0)
    throw invalid(`Invalid value for max_staleness: "${text}" is no INTERVAL such as "0-0 0 0:10:0"`)
  return text
}

/** How old what a query reads may be, in milliseconds. */
export function allowedStaleness({ maxStaleness }: Pick<TableEntry, 'maxStaleness'>): number {
  return maxStaleness === undefined ? 0 : (parseInterval(maxStaleness) ?? 0)
}

export function hasWaiting({ upserts }: Pick<TableEntry, 'upserts'>, draft: Draft): boolean {
  return upserts?.waiting.some(({ segment }) => draft.arrived(segment) > 0) ?? false
}

/**
 * Whether a query must merge what waits into what it reads: the table's own segments are older than allowed
 * (https://cloud.google.com/bigquery/docs/change-data-capture#query-max-staleness).
 */
export function needsMerge(table: TableEntry, draft: Draft): boolean {
  const { upserts } = table
  if (!upserts || !hasWaiting(table, draft)) return false
  const age = draft.now - (upserts.watermark ?? upserts.baselineAt)
  const allowed = allowedStaleness(table)
  return allowed === 0 || age > allowed
}
