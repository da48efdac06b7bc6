/** A table as text that DuckDB can read FROM: its segments put together, expired partitions left out. */
import type { Draft } from './draft.ts'
import { type Partitioning, type Segment, segmentName, type TableEntry } from './entry.ts'
import { duckColumnType, type Field, findField, quote } from './field.ts'

const spans = { HOUR: 'hour', DAY: 'day', MONTH: 'month', YEAR: 'year' } as const

/** The start of a value's partition as a UTC TIMESTAMP, in DuckDB SQL. NULL stays NULL. */
export function sqlPartitionStart({ column, unit }: Partitioning): string {
  return `date_trunc('${spans[unit ?? 'DAY']}', ${quote(column)}::TIMESTAMP)`
}

/**
 * The rows of partitions that have not expired, or `undefined` when none can have. A partition expires
 * `expirationMs` after its start, by UTC; rows without a date don't
 * (https://cloud.google.com/bigquery/docs/managing-partitioned-tables#partition-expiration).
 */
export function sqlUnexpired(
  table: TableEntry,
  segments: readonly Segment[],
  now: number,
): string | undefined {
  const { partitioning } = table
  if (partitioning?.expirationMs === undefined) return undefined
  const cutoff = now - partitioning.expirationMs
  const { column } = partitioning
  if (segments.every(s => s.oldest?.column === column && s.oldest.start > cutoff)) return undefined
  const bound = `make_timestamp(${Math.floor(cutoff) * 1000})`
  return `(${sqlPartitionStart(partitioning)} > ${bound} OR ${quote(column)} IS NULL)`
}

function sqlColumn(field: Field, segment: Segment): string {
  const name = quote(field.name)
  const type = duckColumnType(field)
  const held = segment.columns.find(c => c.name.toLowerCase() === field.name.toLowerCase())
  if (!held) return `NULL::${type} AS ${name}`
  if (held.type !== type) return `${quote(held.name)}::${type} AS ${name}`
  return held.name === field.name ? name : `${quote(held.name)} AS ${name}`
}

function matches(schema: readonly Field[], segment: Segment): boolean {
  if (schema.length !== segment.columns.length) return false
  return schema.every((f, i) => {
    const held = segment.columns[i]
    return held?.name === f.name && held.type === duckColumnType(f)
  })
}

function sqlSegment(schema: readonly Field[], segment: Segment, extra: string, filter?: string): string {
  const columns = schema.map(field => sqlColumn(field, segment)).join(', ')
  const where = filter === undefined ? '' : ` WHERE ${filter}`
  return `SELECT ${columns}${extra} FROM ${segmentName(segment.id)}${where}`
}

/** A quoted name where that is enough, so that the plan is the one a plain table would get; else a query in parentheses. */
export function sqlRelation(table: TableEntry, draft: Draft): string {
  const segments = table.segments.map(ref => draft.segment(ref.segment))
  const filter = sqlUnexpired(table, segments, draft.now)
  const [only, ...others] = segments
  if (!only) {
    const columns = table.schema.map(f => `NULL::${duckColumnType(f)} AS ${quote(f.name)}`)
    return `(SELECT ${columns.join(', ')} WHERE false)`
  }
  if (others.length === 0 && !filter && matches(table.schema, only)) return segmentName(only.id)
  return `(${segments.map(s => sqlSegment(table.schema, s, '', filter)).join(' UNION ALL ')})`
}

/** `limit` rows from row `offset` on, in the one order that paging needs. */
export function sqlPage(table: TableEntry, draft: Draft, offset: number, limit: number): string {
  const segments = table.segments.map(ref => draft.segment(ref.segment))
  const filter = sqlUnexpired(table, segments, draft.now)
  const parts: string[] = []
  let skip = offset
  for (const [i, segment] of segments.entries()) {
    // Without a filter, a segment's row count says whether the page begins behind it.
    if (filter === undefined && skip >= segment.rows) {
      skip -= segment.rows
      continue
    }
    parts.push(sqlSegment(table.schema, segment, `, ${i} AS __segment, rowid AS __row`, filter))
  }
  const names = table.schema.map(f => quote(f.name)).join(', ')
  if (parts.length === 0) return `SELECT ${names} FROM ${sqlRelation({ ...table, segments: [] }, draft)}`
  const all = parts.join(' UNION ALL ')
  return `SELECT ${names} FROM (${all}) ORDER BY __segment, __row LIMIT ${limit} OFFSET ${skip}`
}

/** Rows that a reader sees, when the segments' counts tell; `undefined` when expired partitions must be counted out. */
export function knownRows(table: TableEntry, draft: Draft): number | undefined {
  const segments = table.segments.map(ref => draft.segment(ref.segment))
  if (sqlUnexpired(table, segments, draft.now)) return undefined
  return segments.reduce((sum, s) => sum + s.rows, 0)
}

export function bytesOf(table: TableEntry, draft: Draft): number {
  return table.segments.reduce((sum, ref) => sum + draft.segment(ref.segment).bytes, 0)
}

export function partitionField(table: TableEntry): Field | undefined {
  return table.partitioning && findField(table.schema, table.partitioning.column)
}
