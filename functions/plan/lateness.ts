/** Is a feed late? By a snapshot that waits beyond the promise, or by one that should have come and has not. */
import type { Feed } from '../feed/feed.ts'

export interface Lateness {
  /** The same for as long as it is the same lateness: a message is sent once for each. */
  readonly key: string
  /** The snapshot that waits; empty when it is one that has not come. */
  readonly snapshot: string
  /** ISO 8601: since when the data of the target has been waiting for its successor. */
  readonly arrivedAt: string
  readonly reason: string
}

interface Waiting {
  readonly id: string
  readonly arrivedAt: string
}

const minutes = (milliseconds: number) => `${Math.floor(milliseconds / 60_000)} minutes`

/** `last` is the snapshot that the target shows, with its arrival. */
export function findLateness(
  { refresh, source }: Feed,
  waiting: readonly Waiting[],
  last: Waiting | undefined,
  now: number,
): Lateness | undefined {
  const promise = refresh.withinSeconds * 1_000
  const [oldest] = waiting.toSorted((a, b) => Date.parse(a.arrivedAt) - Date.parse(b.arrivedAt))
  if (oldest) {
    const over = now - Date.parse(oldest.arrivedAt) - promise
    if (over <= 0) return undefined
    const reason = `Snapshot ${oldest.id} is not in the target ${minutes(over)} after the promise.`
    return { key: `waiting ${oldest.id}`, snapshot: oldest.id, arrivedAt: oldest.arrivedAt, reason }
  }
  if (source.everySeconds === undefined || !last) return undefined
  const over = now - Date.parse(last.arrivedAt) - source.everySeconds * 1_000 - promise
  if (over <= 0) return undefined
  const reason = `No snapshot has come since ${last.id}; the next was due ${minutes(over + promise)} ago.`
  return { key: `missing after ${last.id}`, snapshot: '', arrivedAt: last.arrivedAt, reason }
}
