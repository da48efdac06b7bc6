/** A DELETE of whole partitions: each segment is told what the table no longer has of it; no row is moved. */
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type Exclusion,
  type Segment,
  type SegmentRef,
  segmentName,
  type TableEntry,
} from '../catalogue/entry.ts'
import { joinSpans, lessSpans, type Partitions, rowsIn, sqlInside } from '../catalogue/exclusion.ts'
import { sqlUnexpired } from '../catalogue/relation.ts'
import { readRows } from '../engine.ts'
import type { Session } from './session.ts'

/** What is left of a table, and how many rows that a reader saw are gone. */
export interface Excluded {
  readonly refs: readonly SegmentRef[]
  readonly deleted: number
}

interface Counted {
  readonly rows: number
  /** Without those that had expired. */
  readonly seen: number
}

/** Column statistics let DuckDB pass over the row groups that have no such partition. */
async function readCounts(
  connection: DuckDBConnection,
  segment: Segment,
  inside: string,
  unexpired: string | undefined,
): Promise<Counted> {
  const seen = unexpired === undefined ? 'count(*)' : `count(*) FILTER (${unexpired})`
  const sql = `SELECT count(*) AS rows, ${seen} AS seen FROM ${segmentName(segment.id)} WHERE ${inside}`
  const [row] = await readRows(connection, sql)
  return { rows: Number(row?.rows ?? 0), seen: Number(row?.seen ?? 0) }
}

function exclude(ref: SegmentRef, column: string, partitions: Partitions, rows: number): SegmentRef {
  if (rows === 0) return ref
  const { without } = ref
  const more: Exclusion = {
    column,
    spans: joinSpans([...(without?.spans ?? []), ...partitions.spans]),
    nulls: partitions.nulls || (without?.nulls ?? false),
    rows: rows + (without?.rows ?? 0),
  }
  return { ...ref, without: more }
}

/** `undefined` when a segment can't be used in part by this column. */
export async function readExcluded(
  session: Session,
  table: TableEntry,
  column: string,
  partitions: Partitions,
): Promise<Excluded | undefined> {
  const { run } = session
  const draft = session.view()
  const parts = table.segments.map(ref => ({ ref, segment: draft.segment(ref.segment) }))
  run.defer(run.catalogue.pin(table.segments.map(ref => ref.segment)))
  const unexpired = sqlUnexpired(
    table,
    parts.map(part => part.segment),
    draft.now,
  )
  const refs: SegmentRef[] = []
  let deleted = 0
  for (const { ref, segment } of parts) {
    const { without } = ref
    const nulls = partitions.nulls && !without?.nulls
    // What was excluded before is not counted again.
    const fresh = { spans: lessSpans(partitions.spans, without?.spans ?? []), nulls }
    const inside = sqlInside(segment, column, fresh)
    const isOther = without && without.column.toLowerCase() !== column.toLowerCase()
    if (inside === undefined || isOther) return undefined
    const { rows, seen } = await readCounts(run.connection, segment, inside, unexpired)
    deleted += seen
    const left = exclude(ref, column, partitions, rows)
    if (rowsIn(left, segment) > 0) refs.push(left)
  }
  return { refs, deleted }
}
