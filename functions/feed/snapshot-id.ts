/** Snapshot ids: what a source calls a snapshot, and the order that the ids give. */

declare const brand: unique symbol
/** An integer, a date or a timestamp, as it stands in the object's name. */
export type SnapshotId = string & { readonly [brand]: 'SnapshotId' }

export const SNAPSHOT_KINDS = ['integer', 'date', 'timestamp'] as const
export type SnapshotKind = (typeof SNAPSHOT_KINDS)[number]

/** The BigQuery type of a column that is filled from the snapshot id. */
export const SNAPSHOT_TYPES = { integer: 'INT64', date: 'DATE', timestamp: 'TIMESTAMP' } as const

/** How each kind is written; the groups are year to second. */
export const SNAPSHOT_FORMS = {
  integer: String.raw`\d+`,
  date: String.raw`(\d{4})-?(\d{2})-?(\d{2})`,
  timestamp: String.raw`(\d{4})-?(\d{2})-?(\d{2})[T_ -]?(\d{2})[:-]?(\d{2})(?:[:-]?(\d{2}))?Z?`,
} as const
const DATE = new RegExp(`^${SNAPSHOT_FORMS.date}$`)
const TIMESTAMP = new RegExp(`^${SNAPSHOT_FORMS.timestamp}$`)
const MAX_INT64 = 2n ** 63n - 1n

function instant(match: RegExpExecArray): bigint | undefined {
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1).map(part => Number(part ?? 0))
  if (year === undefined || month === undefined || day === undefined) return undefined
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  if (time.getUTCFullYear() !== year) return undefined
  const same = time.getUTCMonth() === month - 1 && time.getUTCDate() === day && time.getUTCHours() === hour
  return same && minute < 60 && second < 60 ? BigInt(time.getTime()) : undefined
}

function order(text: string, kind: SnapshotKind): bigint | undefined {
  if (kind === 'integer') {
    if (!/^(0|[1-9]\d{0,18})$/.test(text) || BigInt(text) > MAX_INT64) return undefined
    return BigInt(text)
  }
  const match = (kind === 'date' ? DATE : TIMESTAMP).exec(text)
  return match ? instant(match) : undefined
}

/** `undefined` when the text is no id of that kind: `007` and `-1` are no integers, `2026-02-30` is no date. */
export function parseSnapshotId(text: string, kind: SnapshotKind): SnapshotId | undefined {
  return order(text, kind) === undefined ? undefined : (text as SnapshotId)
}

/** Negative when `a` is the older one. */
export function compareSnapshots(a: SnapshotId, b: SnapshotId, kind: SnapshotKind): number {
  const [left, right] = [order(a, kind) ?? -1n, order(b, kind) ?? -1n]
  if (left !== right) return left < right ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** The id as a BigQuery literal of its kind's type, such as `42` or `TIMESTAMP '2026-01-02 03:00:00+00'`. */
export function sqlSnapshotLiteral(id: SnapshotId, kind: SnapshotKind): string {
  if (kind === 'integer') return id
  const iso = new Date(Number(order(id, kind))).toISOString()
  return kind === 'date'
    ? `DATE '${iso.slice(0, 10)}'`
    : `TIMESTAMP '${iso.slice(0, 19).replace('T', ' ')}+00'`
}
