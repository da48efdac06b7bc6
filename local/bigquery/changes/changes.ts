/** Streamed rows and changes as the rest of the embedded BigQuery sees them: taken in, and applied as time goes by. */
import { keyOf, type TableEntry, type TableId } from '../catalogue/entry.ts'
import type { Deps } from '../jobs/run.ts'
import { applyChanges } from './apply.ts'
import type { Batch } from './batch.ts'
import { type Inbox, makeInbox } from './inbox.ts'
import { makeInsert } from './insert.ts'
import { makeQueues } from './queues.ts'
import { allowedStaleness, hasWaiting } from './staleness.ts'

export interface Changes extends Pick<Inbox, 'append'> {
  /** Plain rows, which are part of the table when it answers. */
  insert(id: TableId, batch: Batch): Promise<void>
  /** Applies what waits, for one table or for all; answers how many tables had something. */
  apply(id?: TableId): Promise<number>
  close(): Promise<void>
}

export type Applies = 'as time goes by' | 'when told'

/** BigQuery applies at least once within max_staleness and is free to do so sooner. */
const patience = 10_000
const look = 500

/** An apply reads the whole table: the longer one took, the longer is the next one put off. */
const restFactor = 20

/** How long changes wait before they are applied, in milliseconds; `took` is what the last apply took. */
function delayOf(table: TableEntry, took: number): number {
  const allowed = allowedStaleness(table)
  const wanted = Math.max(patience, took * restFactor)
  return allowed === 0 ? wanted : Math.min(wanted, allowed / 2)
}

export function startChanges(deps: Deps, applies: Applies): Changes {
  const inbox = makeInbox(deps)
  const inserts = makeQueues<Batch>(makeInsert(deps))
  const { catalogue, clock } = deps
  const took = new Map<string, number>()
  let work: Promise<number> = Promise.resolve(0)
  let ended = false
  const waiting = (due: (table: TableEntry, now: number) => boolean): TableEntry[] => {
    const draft = catalogue.view()
    return [...draft.tables()].filter(table => hasWaiting(table, draft) && due(table, draft.now))
  }
  const applyAll = (tables: () => readonly TableId[]): Promise<number> => {
    const all = work
      .catch(() => 0)
      .then(async () => {
        let count = 0
        for (const id of tables()) {
          const begun = clock.now()
          if (!ended && (await applyChanges(deps, inbox, id))) count++
          took.set(keyOf(id), clock.now() - begun)
        }
        return count
      })
    work = all
    return all
  }
  const isDue = (table: TableEntry, now: number) =>
    now - (table.upserts?.waiting[0]?.since ?? now) >= delayOf(table, took.get(keyOf(table)) ?? 0)
  let looking = false
  const timer = setInterval(() => {
    if (looking || applies === 'when told' || waiting(isDue).length === 0) return
    looking = true
    applyAll(() => waiting(isDue))
      .catch(error => console.error('Changes could not be applied:', error))
      .finally(() => {
        looking = false
      })
  }, look)
  timer.unref()
  return {
    append: inbox.append,
    insert: inserts.add,
    apply: id => applyAll(() => waiting(table => id === undefined || keyOf(table) === keyOf(id))),
    async close() {
      ended = true
      clearInterval(timer)
      await work.catch(() => 0)
      await inserts.close()
      await inbox.close()
    },
  }
}
