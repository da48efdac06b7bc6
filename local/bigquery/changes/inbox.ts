/** Takes upserts and deletes in: into the log of their table, where they wait until they are applied. */
import type { Draft } from '../catalogue/draft.ts'
import { keyOf, type TableEntry, type TableId, type Upserts } from '../catalogue/entry.ts'
import { readRows } from '../engine.ts'
import type { Deps } from '../jobs/run.ts'
import { getTable } from '../names.ts'
import type { ChangeBatch } from './batch.ts'
import { createLog, type Log, logColumns, openLog } from './log.ts'
import { sqlLatestArrival } from './merged.ts'
import { makeQueues } from './queues.ts'

export interface Inbox {
  /** On disk, and visible to readers, when it answers. Batches of a table arrive in the order of the calls. */
  append(id: TableId, batch: ChangeBatch): Promise<void>
  /** Ends the open log, so that nothing more comes to what waits, while nothing else is written there. */
  closeLog(id: TableId): Promise<void>
  close(): Promise<void>
}

/** The stream's state with one more log, begun now. */
function withLog(draft: Draft, entry: TableEntry, segment: number, sequenced: boolean): Upserts {
  const { upserts } = entry
  const { now } = draft
  const waiting = [...(upserts?.waiting ?? []), { segment, since: now }]
  return { ...(upserts ?? { baselineAt: now, sequenced }), waiting, open: true }
}

export function makeInbox(deps: Deps): Inbox {
  const { catalogue, engine, clock, project } = deps
  const logs = new Map<string, Log>()
  /** Segments to which nothing more is written: an append failed, and what it left there is unknown. */
  const spoilt = new Set<number>()
  /** Tables of which the latest arrival is known. */
  const met = new Set<string>()
  let latest = 0

  /** Microseconds since 1970, never the same twice: it orders changes that have the same sequence number. */
  const arrivalOf = (rows: number): number => {
    const arrival = Math.max(clock.now() * 1000, latest)
    latest = arrival + rows
    return arrival
  }
  const forget = (key: string) => {
    logs.get(key)?.close()
    logs.delete(key)
  }
  const begin = async (id: TableId, entry: TableEntry, sequenced: boolean): Promise<Log> => {
    forget(keyOf(id))
    const columns = logColumns(entry.schema)
    const { id: segment, release } = catalogue.reserve()
    try {
      await createLog(engine, segment, columns)
      await catalogue.addSegment({ id: segment, columns, rows: 0, bytes: 0 })
      await catalogue.transact(draft => {
        const now = getTable(project, draft, id)
        draft.putTable({ ...now, upserts: withLog(draft, now, segment, sequenced) })
      })
    } finally {
      await release()
    }
    const log = await openLog(engine, segment, columns)
    logs.set(keyOf(id), log)
    return log
  }
  /** The clock may stand where it stood before a restart: what arrives is still later than all that is there. */
  const goOnFrom = async (entry: TableEntry) => {
    if (met.has(keyOf(entry)) || !entry.upserts) return
    const sql = sqlLatestArrival(entry, catalogue.view())
    const hex = sql && (await engine.using(connection => readRows(connection, sql)))[0]?.arrival
    if (hex) latest = Math.max(latest, Number.parseInt(String(hex), 16) + 1)
    met.add(keyOf(entry))
  }
  /** The log that takes what arrives: the open one while the table's columns are the ones that it has. */
  const logFor = async (id: TableId, sequenced: boolean): Promise<Log> => {
    const entry = getTable(project, catalogue.view(), id)
    await goOnFrom(entry)
    const open = entry.upserts?.open ? entry.upserts.waiting.at(-1) : undefined
    const columns = open && catalogue.view().segment(open.segment).columns
    if (
      !open ||
      spoilt.has(open.segment) ||
      JSON.stringify(columns) !== JSON.stringify(logColumns(entry.schema))
    )
      return begin(id, entry, sequenced)
    const known = logs.get(keyOf(id))
    if (known?.segment === open.segment) return known
    forget(keyOf(id))
    const log = await openLog(engine, open.segment, columns ?? [])
    logs.set(keyOf(id), log)
    return log
  }
  const write = async (id: TableId, batches: readonly ChangeBatch[]) => {
    const log = await logFor(id, batches[0]?.sequences !== undefined)
    try {
      log.write(batches.map(batch => ({ batch, arrival: arrivalOf(batch.rows) })))
    } catch (error) {
      spoilt.add(log.segment)
      throw error
    }
    catalogue.arrive(
      log.segment,
      batches.reduce((sum, { rows }) => sum + rows, 0),
    )
  }
  const queues = makeQueues(write)
  return {
    append: queues.add,
    closeLog(id) {
      return queues.alone(id, async () => {
        forget(keyOf(id))
        await catalogue.transact(draft => {
          const entry = draft.table(id)
          if (!entry?.upserts?.open) return
          draft.putTable({ ...entry, upserts: { ...entry.upserts, open: false } })
        })
      })
    },
    async close() {
      await queues.close()
      for (const key of [...logs.keys()]) forget(key)
    },
  }
}
