/** Takes plain rows in: they are part of the table at once, as one more segment of it. */
import type { TableId } from '../catalogue/entry.ts'
import { duckColumnType, type Field, quote } from '../catalogue/field.ts'
import { type Fill, writeNewSegment } from '../catalogue/segments.ts'
import type { Engine } from '../engine.ts'
import { compact, isPiledUp } from '../jobs/compact.ts'
import type { Deps } from '../jobs/run.ts'
import { getTable } from '../names.ts'
import { appendColumns, type Batch } from './batch.ts'

function fillWith(engine: Engine, schema: readonly Field[], batches: readonly Batch[]): Fill {
  return async (connection, name) => {
    const columns = schema.map(f => `${quote(f.name)} ${duckColumnType(f)}`)
    await connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`)
    await engine.using(async own => {
      const appender = await own.createAppender(name)
      for (const batch of batches) {
        const lists = schema.map(field => batch.columns.get(field.name))
        appendColumns(appender, lists, batch.rows)
      }
      appender.closeSync()
    })
    return batches.reduce((sum, { rows }) => sum + rows, 0)
  }
}

/** Appends rows to a table; they are on disk, and visible to readers, when it answers. */
export function makeInsert(deps: Deps) {
  const { catalogue, engine, locks, project } = deps
  return async (id: TableId, batches: readonly Batch[]): Promise<void> => {
    const unlock = await locks.hold([id])
    try {
      const { schema, partitioning } = getTable(project, catalogue.view(), id)
      const fill = fillWith(engine, schema, batches)
      const made = await engine.using(connection =>
        writeNewSegment(catalogue, connection, schema, fill, partitioning),
      )
      try {
        await catalogue.transact(draft => {
          const table = getTable(project, draft, id)
          draft.putTable({ ...table, segments: [...table.segments, { segment: made.segment.id }] })
        })
      } finally {
        await made.release()
      }
    } finally {
      unlock()
    }
    if (isPiledUp(getTable(project, catalogue.view(), id))) await compact(deps, id)
  }
}
