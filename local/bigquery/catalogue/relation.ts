/** A table as text that DuckDB can read FROM: its segments put together, expired partitions left out. */
import type { Draft } from './draft.ts'
import { type Partitioning, type Segment, type SegmentRef, segmentName, type TableEntry } from './entry.ts'
import { bytesIn, rowsIn, sqlOutside } from './exclusion.ts'
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

/** A segment as one table has it. */
interface Part {
  readonly ref: SegmentRef
  readonly segment: Segment
}

function partsOf(table: TableEntry, draft: Draft): Part[] {
  return table.segments.map(ref => ({ ref, segment: draft.segment(ref.segment) }))
}

function sqlPart(schema: readonly Field[], { ref, segment }: Part, extra: string, filter?: string): string {
  const columns = schema.map(field => sqlColumn(field, segment)).join(', ')
  const conditions = [
    ...(ref.without ? [sqlOutside(segment, ref.without)] : []),
    ...(filter === undefined ? [] : [filter]),
  ]
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return `SELECT ${columns}${extra} FROM ${segmentName(segment.id)}${where}`
}

/** A quoted name where that is enough, so that the plan is the one a plain table would get; else a query in parentheses. */
export function sqlRelation(table: TableEntry, draft: Draft): string {
  const parts = partsOf(table, draft)
  const filter = sqlUnexpired(
    table,
    parts.map(part => part.segment),
    draft.now,
  )
  const [only, ...others] = parts
  if (!only) {
    const columns = table.schema.map(f => `NULL::${duckColumnType(f)} AS ${quote(f.name)}`)
    return `(SELECT ${columns.join(', ')} WHERE false)`
  }
  const whole = others.length === 0 && !filter && !only.ref.without
  if (whole && matches(table.schema, only.segment)) return segmentName(only.segment.id)
  return `(${parts.map(part => sqlPart(table.schema, part, '', filter)).join(' UNION ALL ')})`
}

/**
 * All rows of the table's own segments, expired partitions too, with one more column: `extra` names it and says for each
 * segment, by its columns, what stands in it.
 */
export function sqlEveryRow(
  table: Pick<TableEntry, 'schema' | 'segments'>,
  draft: Draft,
  extra: (segment: Segment) => string,
): string | undefined {
  const parts = table.segments.map(ref => ({ ref, segment: draft.segment(ref.segment) }))
  if (parts.length === 0) return undefined
  return parts.map(part => sqlPart(table.schema, part, `, ${extra(part.segment)}`)).join(' UNION ALL ')
}

/** `limit` rows from row `offset` on, in the one order that paging needs. */
export function sqlPage(table: TableEntry, draft: Draft, offset: number, limit: number): string {
  const all = partsOf(table, draft)
  const filter = sqlUnexpired(
    table,
    all.map(part => part.segment),
    draft.now,
  )
  const texts: string[] = []
  let skip = offset
  for (const [i, part] of all.entries()) {
    const rows = rowsIn(part.ref, part.segment)
    // Without a filter, a segment's row count says whether the page begins behind it.
    if (filter === undefined && skip >= rows) {
      skip -= rows
      continue
    }
    texts.push(sqlPart(table.schema, part, `, ${i} AS __segment, rowid AS __row`, filter))
  }
  const names = table.schema.map(f => quote(f.name)).join(', ')
  if (texts.length === 0) return `SELECT ${names} FROM ${sqlRelation({ ...table, segments: [] }, draft)}`
  return `SELECT ${names} FROM (${texts.join(' UNION ALL ')}) ORDER BY __segment, __row LIMIT ${limit} OFFSET ${skip}`
}

/** Rows of these segments, without asking whether some have expired. */
export function rowsOf(refs: readonly SegmentRef[], draft: Draft): number {
  return refs.reduce((sum, ref) => sum + rowsIn(ref, draft.segment(ref.segment)), 0)
}

/** Rows that a reader sees, when the segments' counts tell; `undefined` when expired partitions must be counted out. */
export function knownRows(table: TableEntry, draft: Draft): number | undefined {
  const segments = table.segments.map(ref => draft.segment(ref.segment))
  return sqlUnexpired(table, segments, draft.now) ? undefined : rowsOf(table.segments, draft)
}

export function bytesOf({ segments }: Pick<TableEntry, 'segments'>, draft: Draft): number {
  return segments.reduce((sum, ref) => sum + bytesIn(ref, draft.segment(ref.segment)), 0)
}

export function partitionField(table: TableEntry): Field | undefined {
  return table.partitioning && findField(table.schema, table.partitioning.column)
}
