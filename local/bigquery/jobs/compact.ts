/** Many small segments make every read slow, so that a table that collected too many gets one instead. */
import type { Draft } from '../catalogue/draft.ts'
import { keyOf, type TableEntry, type TableId } from '../catalogue/entry.ts'
import { quote } from '../catalogue/field.ts'
import { sqlRelation } from '../catalogue/relation.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import type { Deps } from './run.ts'

/** With more than about this many, planning and scanning slow down by a multiple. */
const mostSegments = 50
/** Each gap of excluded partitions is one more comparison for every row. */
const mostGaps = 200

export function isPiledUp({ segments }: Pick<TableEntry, 'segments'>): boolean {
  const gaps = segments.reduce((sum, { without }) => sum + (without?.spans.length ?? 0), 0)
  return segments.length > mostSegments || gaps > mostGaps
}

/** By partition, as BigQuery keeps them: a query of few partitions then reads few row groups. */
function sqlInOrder(table: TableEntry, draft: Draft): string {
  const order = table.partitioning ? ` ORDER BY ${quote(table.partitioning.column)}` : ''
  return `SELECT * FROM ${sqlRelation(table, draft)}${order}`
}

/** Clones and snapshots of the table, and itself: whoever has the very same parts and columns. */
function twins(draft: Draft, table: TableEntry): TableEntry[] {
  const parts = (entry: TableEntry) => JSON.stringify([entry.segments, entry.schema, entry.partitioning])
  const wanted = parts(table)
  return [...draft.tables()].filter(entry => keyOf(entry) === keyOf(table) || parts(entry) === wanted)
}

/** Rewrites the table as one segment. Nothing that a reader could tell changes, so that version and times stay. */
export async function compact(deps: Deps, id: TableId): Promise<void> {
  const { catalogue, engine, locks } = deps
  const unlock = await locks.hold([id])
  try {
    const draft = catalogue.view()
    const table = draft.table(id)
    // An apply makes one segment of a table with streamed changes, and keeps what is beside its columns.
    if (!table || table.upserts || !isPiledUp(table)) return
    const unpin = catalogue.pin(table.segments.map(ref => ref.segment))
    try {
      const made = await engine.using(connection =>
        writeNewSegment(
          catalogue,
          connection,
          table.schema,
          fillFrom(sqlInOrder(table, draft)),
          table.partitioning,
        ),
      )
      await catalogue.transact(now => {
        if (now.table(id)?.version !== table.version) return
        const segments = made.segment.rows > 0 ? [{ segment: made.segment.id }] : []
        for (const twin of twins(now, table)) now.changes.tables.set(keyOf(twin), { ...twin, segments })
      })
      await made.release()
    } finally {
      await unpin()
    }
  } finally {
    unlock()
  }
}
