/** Background applies: what waits becomes part of the table's own segments, as a job that JOBS shows. */
import { randomUUID } from 'node:crypto'
import { keyOf, type Segment, type TableEntry, type TableId } from '../catalogue/entry.ts'
import { quote } from '../catalogue/field.ts'
import { bytesOf } from '../catalogue/relation.ts'
import { fillFrom, type NewSegment, writeNewSegment } from '../catalogue/segments.ts'
import type { JobEntry } from '../jobs/job.ts'
import type { Deps } from '../jobs/run.ts'
import { deletedColumn, positionColumn } from './columns.ts'
import type { Inbox } from './inbox.ts'
import { sqlApplied, sqlNewest } from './merged.ts'
import { hasWaiting } from './staleness.ts'

interface Applied {
  readonly rows: NewSegment
  readonly deletes: NewSegment
}

function sqlInOrder({ partitioning }: TableEntry, sql: string): string {
  return partitioning ? `SELECT * FROM (${sql}) ORDER BY ${quote(partitioning.column)}` : sql
}

/** Writes the table's rows after the changes, and the deletes among them, as two new segments. */
async function writeApplied(deps: Deps, table: TableEntry): Promise<Applied> {
  const { catalogue, engine } = deps
  const draft = catalogue.view()
  return engine.using(async connection => {
    await connection.run(`CREATE TEMP TABLE newest AS ${sqlNewest(table, draft)}`)
    const applied = sqlInOrder(table, sqlApplied(table, draft, 'FROM temp.newest'))
    const rows = await writeNewSegment(
      catalogue,
      connection,
      table.schema,
      fillFrom(applied),
      table.partitioning,
    )
    const key = [...(table.primaryKey ?? []), positionColumn].map(quote).join(', ')
    const sql = `SELECT ${key} FROM temp.newest WHERE ${quote(deletedColumn)}`
    const deletes = await writeNewSegment(catalogue, connection, [], fillFrom(sql))
    await connection.run('DROP TABLE temp.newest')
    return { rows, deletes }
  })
}

function applied(table: TableEntry, done: ReadonlySet<number>, made: Applied, watermark: number): TableEntry {
  const { upserts } = table
  if (!upserts) return table
  const { deletes: _, ...rest } = upserts
  const ref = ({ segment }: { segment: Segment }) => (segment.rows > 0 ? [{ segment: segment.id }] : [])
  const { rows } = made.deletes.segment
  return {
    ...table,
    segments: ref(made.rows),
    upserts: {
      ...rest,
      ...(rows > 0 ? { deletes: made.deletes.segment.id } : {}),
      waiting: upserts.waiting.filter(log => !done.has(log.segment)),
      baselineAt: watermark,
      watermark,
    },
  }
}

function jobOf(deps: Deps, table: TableEntry, times: Pick<JobEntry, 'created' | 'ended'>, bytes: number) {
  const { dataset, table: name } = table
  const destinationTable = { projectId: deps.project, datasetId: dataset, tableId: name }
  const job: JobEntry = {
    id: `queueworker_cdc_background_merge_coalesce_${randomUUID().replaceAll('-', '')}`,
    location: deps.location,
    kind: 'apply',
    configuration: { destinationTable },
    state: 'DONE',
    ...times,
    started: times.created,
    statistics: {
      totalBytesProcessed: String(bytes),
      totalSlotMs: String((times.ended ?? times.created) - times.created),
    },
  }
  return job
}

/** Without the log that takes what arrives by now: it is for the next apply. */
function withClosedLogs(table: TableEntry | undefined): TableEntry | undefined {
  if (!table?.upserts?.open) return table
  const { upserts } = table
  return { ...table, upserts: { ...upserts, waiting: upserts.waiting.slice(0, -1) } }
}

/** Whether the table is still the one that was read: a CREATE OR REPLACE or a truncation makes it another. */
function isSame(before: TableEntry, now: TableEntry | undefined): now is TableEntry {
  return (
    now !== undefined &&
    now.created === before.created &&
    JSON.stringify([now.segments, now.primaryKey]) === JSON.stringify([before.segments, before.primaryKey])
  )
}

/** Applies everything that has arrived until now. Answers whether there was anything. */
export async function applyChanges(deps: Deps, inbox: Inbox, id: TableId): Promise<boolean> {
  const { catalogue, clock, locks } = deps
  const release = await locks.hold([id])
  try {
    const first = catalogue.view()
    const entry = first.table(id)
    if (!entry || !hasWaiting(entry, first)) return false
    const created = clock.now()
    await inbox.closeLog(id)
    const draft = catalogue.view()
    const table = withClosedLogs(draft.table(id))
    if (!table?.upserts) return false
    const done = new Set(table.upserts.waiting.map(log => log.segment))
    const logs = [...done].map(segment => ({ segment }))
    const unpin = catalogue.pin([...table.segments, ...logs].map(({ segment }) => segment))
    try {
      const made = await writeApplied(deps, table)
      await catalogue.transact(now => {
        const current = now.table(id)
        if (!isSame(table, current)) return
        now.changes.tables.set(keyOf(id), applied(current, done, made, created))
        const bytes = bytesOf(table, draft) + bytesOf({ segments: logs }, draft)
        now.putJob(jobOf(deps, table, { created, ended: clock.now() }, bytes))
      })
      await made.rows.release()
      await made.deletes.release()
      return true
    } finally {
      await unpin()
    }
  } finally {
    release()
  }
}
