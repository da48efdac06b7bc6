/** Batches wait in turn, table by table; what comes while a write is under way goes with the next one. */
import { keyOf, type TableId } from '../catalogue/entry.ts'
import { BigQueryError } from '../errors.ts'

/** Rows that are written in one go, at most about. */
const mostRows = 50_000

export interface Queues<B> {
  /** Settled when the batch is written. Batches of a table are written in the order of the calls. */
  add(id: TableId, batch: B): Promise<void>
  /** Does something while nothing is written to the table. */
  alone(id: TableId, work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

interface Waiting<B> {
  readonly batch: B
  resolve(): void
  reject(error: unknown): void
}

function take<B extends { readonly rows: number }>(queue: Waiting<B>[]): Waiting<B>[] {
  let rows = 0
  const end = queue.findIndex(({ batch }) => {
    rows += batch.rows
    return rows > mostRows
  })
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end))
}

/** `write` makes some batches of a table true at once, or none of them. */
export function makeQueues<B extends { readonly rows: number }>(
  write: (id: TableId, batches: readonly B[]) => Promise<void>,
): Queues<B> {
  const queues = new Map<string, Waiting<B>[]>()
  const busy = new Map<string, Promise<void>>()
  const alone = (id: TableId, work: () => Promise<void>): Promise<void> => {
    const done = (busy.get(keyOf(id)) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => {})
    busy.set(keyOf(id), settled)
    return done
  }
  const drain = async (id: TableId, queue: Waiting<B>[]) => {
    while (queue.length > 0) {
      // DuckDB's appender stops the whole process while it writes: one turn of the loop lets in what came meanwhile.
      await new Promise(resolve => setImmediate(resolve))
      const taken = take(queue)
      try {
        await write(
          id,
          taken.map(({ batch }) => batch),
        )
        for (const { resolve } of taken) resolve()
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
  }
  return {
    add(id, batch) {
      const queue = queues.get(keyOf(id)) ?? []
      queues.set(keyOf(id), queue)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      queue.push({ batch, resolve, reject })
      if (queue.length === 1) void alone(id, () => drain(id, queue))
      return promise
    },
    alone,
    async close() {
      for (const queue of queues.values())
        for (const { reject } of queue.splice(0))
          reject(new BigQueryError('stopped', 'The embedded BigQuery ended'))
      await Promise.all(busy.values())
    },
  }
}
