/** Whole partitions of a segment that a table no longer has: the rows stay where they are and are passed over on read. */
import type { Exclusion, Segment, SegmentRef, Span } from './entry.ts'
import { quote } from './field.ts'

/** Time values of BigQuery: years 1 to 9999, the end exclusive. */
export const firstTime = Date.parse('0001-01-01T00:00:00Z')
export const endOfTime = Date.UTC(10_000, 0, 1)

/** Partitions as spans of time, plus the partition of rows without a value. */
export interface Partitions {
  readonly spans: readonly Span[]
  readonly nulls: boolean
}

/** Sorted, apart from each other, none empty. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: [number, number][] = []
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (from >= to) continue
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

export function commonSpans(some: readonly Span[], others: readonly Span[]): Span[] {
  return joinSpans(some.flatMap(([a, b]) => others.map(([c, d]): Span => [Math.max(a, c), Math.min(b, d)])))
}

/** What of `spans` is not in `others`. */
export function lessSpans(spans: readonly Span[], others: readonly Span[]): Span[] {
  const gaps: Span[] = []
  let from = firstTime
  for (const [a, b] of joinSpans(others)) {
    gaps.push([from, a])
    from = b
  }
  gaps.push([from, endOfTime])
  return commonSpans(spans, joinSpans(gaps))
}

/** As a literal of the column's own type: anything else would hide the column's minimum and maximum from DuckDB. */
function sqlTime(type: string, ms: number): string {
  const [day = '', time = ''] = new Date(ms).toISOString().replace(/^\+0/, '').split('T')
  if (type === 'DATE') return `DATE '${day}'`
  const zone = type === 'TIMESTAMP' ? '' : '+00'
  return `CAST('${day} ${time.replace('Z', '')}${zone}' AS ${type})`
}

/** The segment's column of that name. */
function heldColumn(segment: Segment, column: string) {
  return segment.columns.find(held => held.name.toLowerCase() === column.toLowerCase())
}

/** A condition for the rows in these partitions, by the segment's own column; `undefined` when it has none. */
export function sqlInside(
  segment: Segment,
  column: string,
  { spans, nulls }: Partitions,
): string | undefined {
  const held = heldColumn(segment, column)
  if (!held) return undefined
  const name = quote(held.name)
  const ranges = spans.map(([from, to]) => {
    const low = from === firstTime ? [] : [`${name} >= ${sqlTime(held.type, from)}`]
    const high = to === endOfTime ? [] : [`${name} < ${sqlTime(held.type, to)}`]
    return `(${[...low, ...high].join(' AND ') || `${name} IS NOT NULL`})`
  })
  return `(${[...ranges, ...(nulls ? [`${name} IS NULL`] : [])].join(' OR ') || 'false'})`
}

/** A condition for the rows that are left. Never `NOT (…)`: it would lose the rows without a value. */
export function sqlOutside(segment: Segment, { column, spans, nulls }: Exclusion): string {
  const kept = lessSpans([[firstTime, endOfTime]], spans)
  return sqlInside(segment, column, { spans: kept, nulls: !nulls }) ?? 'true'
}

/** How many of the segment's rows a table has. */
export function rowsIn({ without }: SegmentRef, segment: Segment): number {
  return segment.rows - (without?.rows ?? 0)
}

export function bytesIn(ref: SegmentRef, segment: Segment): number {
  return segment.rows === 0 ? 0 : Math.round((segment.bytes * rowsIn(ref, segment)) / segment.rows)
}
