/** Many small segments make every read slow, so that a table that collected too many gets one instead. */
import type { TableId } from '../catalogue/entry.ts'
import { sqlRelation } from '../catalogue/relation.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import type { Deps } from './run.ts'

/** With more than about this many, planning and scanning slow down by a multiple. */
export const mostSegments = 50

/** Rewrites the table as one segment. Nothing that a reader could tell changes, so that version and times stay. */
export async function compact(deps: Deps, id: TableId): Promise<void> {
  const { catalogue, engine, locks } = deps
  const unlock = await locks.hold([id])
  try {
    const draft = catalogue.view()
    const table = draft.table(id)
    if (!table || table.segments.length <= mostSegments) return
    const unpin = catalogue.pin(table.segments.map(ref => ref.segment))
    try {
      const fill = fillFrom(`SELECT * FROM ${sqlRelation(table, draft)}`)
      const made = await engine.using(connection =>
        writeNewSegment(catalogue, connection, table.schema, fill, table.partitioning),
      )
      await catalogue.transact(now => {
        if (now.table(id)?.version === table.version) {
          now.changes.tables.set(`${id.dataset}.${id.table}`, {
            ...table,
            segments: [{ segment: made.segment.id }],
          })
        }
      })
      await made.release()
    } finally {
      await unpin()
    }
  } finally {
    unlock()
  }
}
