/** Partitions of a feed's table: the value that tells a row's, and conditions that cover whole ones. */
import type { Granularity } from '../feed/column-type.ts'
import type { Feed } from '../feed/feed.ts'
import type { Identifier } from '../feed/names.ts'
import { type Sql, sql, sqlJoin, sqlLiteral } from './sql.ts'

const UNITS = { hour: sql`HOUR`, day: sql`DAY`, month: sql`MONTH`, year: sql`YEAR` } as const
const TRUNCATE = { DATE: sql`DATE_TRUNC`, DATETIME: sql`DATETIME_TRUNC`, TIMESTAMP: sql`TIMESTAMP_TRUNC` }
type PartitionType = keyof typeof TRUNCATE

const typeOf = ({ table: { partition, columns } }: Pick<Feed, 'table'>): PartitionType => {
  const type = columns.find(({ name }) => name === partition?.by)?.type
  return type === 'DATE' || type === 'DATETIME' ? type : 'TIMESTAMP'
}

/** The start of a row's partition, as PARTITION BY has it; `undefined` where the table has none. */
export function sqlPartitionValue(feed: Pick<Feed, 'table'>): Sql | undefined {
  const { partition } = feed.table
  if (!partition) return undefined
  const type = typeOf(feed)
  if (type === 'DATE' && partition.every === 'day') return sql`${partition.by}`
  return sql`${TRUNCATE[type]}(${partition.by}, ${UNITS[partition.every]})`
}

/** How a row's partition is called. */
export const sqlPartitionStart = (feed: Feed): Sql =>
  sql`IFNULL(CAST(${sqlPartitionValue(feed) ?? sql`NULL`} AS STRING), '')`

/** A partition as CAST(… AS STRING) writes its start, such as `2026-11-30`; empty: that of the rows without a value. */
export type PartitionStart = string

const START = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):00:00)?(?:\+00)?$/

/** Milliseconds since 1970 in UTC. */
function instantOf(start: PartitionStart): number {
  const [, year = '', month = '', day = '', hour = '00'] = START.exec(start) ?? []
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`)
  if (Number.isNaN(instant)) throw new Error(`${start} is no start of a partition`)
  return instant
}

function nextOf(instant: number, every: Granularity): number {
  const at = new Date(instant)
  if (every === 'hour') return at.setUTCHours(at.getUTCHours() + 1)
  if (every === 'day') return at.setUTCDate(at.getUTCDate() + 1)
  if (every === 'month') return at.setUTCMonth(at.getUTCMonth() + 1)
  return at.setUTCFullYear(at.getUTCFullYear() + 1)
}

function sqlInstant(instant: number, type: PartitionType): Sql {
  const text = new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
  if (type === 'DATE') return sqlLiteral(`DATE '${text.slice(0, 10)}'`)
  return sqlLiteral(type === 'DATETIME' ? `DATETIME '${text}'` : `TIMESTAMP '${text}+00'`)
}

/** No value of a column lies behind it. */
const LAST_YEAR = 9999

/** Neighbours as one span each, so that a day's hours are two literals and not 48. */
function spansOf(starts: readonly number[], every: Granularity): [from: number, to: number][] {
  const spans: [number, number][] = []
  for (const from of starts) {
    const last = spans.at(-1)
    if (last?.[1] === from) last[1] = nextOf(from, every)
    else spans.push([from, nextOf(from, every)])
  }
  return spans
}

function sqlSpans(by: Identifier, every: Granularity, type: PartitionType, starts: readonly number[]): Sql[] {
  const literal = (instant: number) => sqlInstant(instant, type)
  return spansOf(starts, every).map(([from, to]) => {
    const upper = new Date(to).getUTCFullYear() > LAST_YEAR ? sql`` : sql` AND ${by} < ${literal(to)}`
    return sql`(${by} >= ${literal(from)}${upper})`
  })
}

function sqlDated(by: Identifier, every: Granularity, type: PartitionType, starts: readonly number[]): Sql[] {
  if (starts.length === 0) return []
  if (type !== 'DATE' || every !== 'day') return sqlSpans(by, every, type, starts)
  return [sql`${by} IN (${sqlJoin(starts.map(instant => sqlInstant(instant, type)))})`]
}

/** Instants in their order, and whether the partition of the rows without a value is among them. */
function sortStarts(starts: readonly PartitionStart[]): { dated: number[]; nulls: boolean } {
  const dated = starts.filter(start => start !== '').map(instantOf)
  return { dated: dated.toSorted((a, b) => a - b), nulls: starts.includes('') }
}

/**
 * True for the rows of all partitions but these, as far as they can be told with no more than `most` spans of neighbours;
 * `undefined` where there are none to leave out, or too many.
 */
export function sqlOutsidePartitions(
  feed: Feed,
  starts: readonly PartitionStart[],
  most: number,
): Sql | undefined {
  const { partition } = feed.table
  const { dated, nulls } = sortStarts(starts)
  if (!partition || starts.length === 0) return undefined
  const { by, every } = partition
  const spans = sqlSpans(by, every, typeOf(feed), dated)
  if (spans.length > most) return undefined
  const left = spans.length === 0 ? sql`${by} IS NOT NULL` : sql`NOT (${sqlJoin(spans, ' OR ')})`
  // Without a value the comparisons are NULL, and so is what NOT makes of them.
  return nulls ? left : sql`(${left} OR ${by} IS NULL)`
}

/**
 * True for the rows of exactly these partitions. Only literals, so that a scan is pruned and a DELETE of whole
 * partitions reads nothing: docs.cloud.google.com/bigquery/docs/using-dml-with-partitioned-tables
 */
export function sqlInPartitions(feed: Feed, starts: readonly PartitionStart[]): Sql {
  const { partition } = feed.table
  if (!partition) throw new Error('a table without partitions')
  const { by, every } = partition
  const { dated, nulls } = sortStarts(starts)
  const all = [...sqlDated(by, every, typeOf(feed), dated), ...(nulls ? [sql`${by} IS NULL`] : [])]
  if (all.length === 0) return sql`FALSE`
  return all.length === 1 ? sqlJoin(all) : sql`(${sqlJoin(all, ' OR ')})`
}
