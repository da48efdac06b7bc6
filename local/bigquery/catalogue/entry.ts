/** What the catalogue keeps: datasets, tables (lists of segments) and segments. All plain JSON, never changed in place. */
import type { Field } from './field.ts'

export interface TableId {
  readonly dataset: string
  readonly table: string
}

export interface Partitioning {
  readonly kind: 'time' | 'range'
  readonly column: string
  /** For `time`. */
  readonly unit?: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR'
  readonly expirationMs?: number
  /** For `range`. */
  readonly range?: { readonly start: number; readonly end: number; readonly interval: number }
}

/** From a partition's start to another's, exclusive, in milliseconds since 1970. */
export type Span = readonly [from: number, to: number]

/** Partitions of a segment that were deleted from a table. */
export interface Exclusion {
  readonly column: string
  /** Sorted and apart. */
  readonly spans: readonly Span[]
  /** Whether the rows without a value are gone too. */
  readonly nulls: boolean
  /** How many of the segment's rows these are. */
  readonly rows: number
}

/** One part of a table's rows: a segment, but for the partitions that were deleted since. */
export interface SegmentRef {
  readonly segment: number
  readonly without?: Exclusion
}

export interface Origin {
  readonly kind: 'clone' | 'snapshot'
  readonly of: TableId
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Changes that were streamed into a table and not applied yet: a segment that grows until it is closed. */
export interface ChangeLog {
  readonly segment: number
  /** When it was begun: milliseconds since 1970. */
  readonly since: number
}

/** How a table with streamed upserts and deletes stands. */
export interface Upserts {
  /** Oldest first. */
  readonly waiting: readonly ChangeLog[]
  /** Whether the last of `waiting` takes what arrives. */
  readonly open: boolean
  /** Deletes that were applied: a segment that is kept for a while, so that an older upsert that comes late changes nothing. */
  readonly deletes?: number
  /** The table's own segments hold everything that arrived until then: milliseconds since 1970. */
  readonly baselineAt: number
  /** When changes were last applied, likewise; absent when they never were. */
  readonly watermark?: number
  /** Whether changes come with a sequence number. */
  readonly sequenced: boolean
}

export interface TableEntry extends TableId {
  readonly kind: 'TABLE' | 'SNAPSHOT' | 'VIEW'
  readonly schema: readonly Field[]
  readonly segments: readonly SegmentRef[]
  readonly partitioning?: Partitioning
  readonly requirePartitionFilter?: boolean
  readonly clustering?: readonly string[]
  readonly primaryKey?: readonly string[]
  /** Names of row access policies; each shows every row. */
  readonly rowPolicies?: readonly string[]
  /** In BigQuery's canonical form of an INTERVAL, `0-0 0 0:10:0`. */
  readonly maxStaleness?: string
  readonly upserts?: Upserts
  readonly description?: string
  readonly friendlyName?: string
  readonly labels?: Readonly<Record<string, string>>
  /** All times are milliseconds since 1970. */
  readonly expirationTime?: number
  readonly created: number
  readonly modified: number
  /** Raised by every change; the etag shows it. */
  readonly version: number
  readonly view?: string
  readonly origin?: Origin
  /** The result of a query without destination: not listed, gone after a day. */
  readonly anonymous?: boolean
}

export interface DatasetEntry {
  readonly dataset: string
  readonly location: string
  readonly description?: string
  readonly friendlyName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly defaultTableExpirationMs?: number
  readonly defaultPartitionExpirationMs?: number
  readonly created: number
  readonly modified: number
  readonly version: number
}

export interface SegmentColumn {
  readonly name: string
  /** DuckDB's spelling. */
  readonly type: string
}
/** An immutable DuckDB table, `seg_<id>`. */
export interface Segment {
  readonly id: number
  readonly columns: readonly SegmentColumn[]
  readonly rows: number
  /** BigQuery's logical size, estimated when the segment was made. */
  readonly bytes: number
  /** The smallest partition start in it by partition column, in milliseconds since 1970; spares a filter on read. */
  readonly oldest?: { readonly column: string; readonly start: number }
}

/** Every segment that a table needs, its own and those of its changes. */
export function heldSegments({ segments, upserts }: Pick<TableEntry, 'segments' | 'upserts'>): number[] {
  const { waiting = [], deletes } = upserts ?? {}
  const held = [...segments, ...waiting].map(({ segment }) => segment)
  return deletes === undefined ? held : [...held, deletes]
}

export function keyOf({ dataset, table }: TableId): string {
  return `${dataset}.${table}`
}

export function segmentName(id: number): string {
  return `seg_${id}`
}
