/** `sweep`: wakes the workflow of every feed with work and nobody at it, finds lost events, says what waited too long. */
import type { Feed } from '../feed/feed.ts'
import { hashOf } from '../plan/ids.ts'
import { findLateness } from '../plan/lateness.ts'
import type { PendingSnapshot } from '../plan/run-plan.ts'
import type { Deps } from './deps.ts'
import { lookForLost } from './look.ts'
import { makeMessage } from './messages.ts'

async function needsWaking(deps: Deps, feed: Feed): Promise<boolean> {
  const held = await deps.state.leases.read(feed.name)
  const busy = held?.lease.holder !== undefined && Date.parse(held.lease.until) > deps.now()
  if (busy) return false
  return held?.lease.run !== undefined || (await deps.state.hasWork(feed))
}

/** One message for each lateness, however often the sweep sees it; told before it is noted, so never not at all. */
async function tellLateness(deps: Deps, feed: Feed, pending: readonly PendingSnapshot[]): Promise<void> {
  const last = (await deps.state.leases.read(feed.name))?.lease.last
  const shown = last?.arrivedAt ? { id: last.newest, arrivedAt: last.arrivedAt } : undefined
  const late = findLateness(feed, pending, shown, deps.now())
  if (!late || (await deps.state.readTold(feed.name)) === late.key) return
  const { snapshot, arrivedAt, reason } = late
  const snapshots = snapshot ? [snapshot] : []
  // A subscriber's key against a copy, like every message's run.
  const run = hashOf({ feed: feed.name, late: late.key })
  await deps.topic.publish(
    makeMessage(feed, deps.names, deps.now(), { status: 'late', snapshots, run, arrivedAt, reason }),
  )
  await deps.state.writeTold(feed.name, late.key)
  deps.log.warn({ feed: feed.name, snapshots, reason }, 'late: told')
}

/** A snapshot is in `pending/` until it is served or stopped, so the oldest there is how far the table is behind. */
function logWaiting(deps: Deps, feed: Feed, pending: readonly PendingSnapshot[]): void {
  const { withinSeconds } = feed.refresh
  const arrivals = pending.map(({ arrivedAt }) => Date.parse(arrivedAt))
  const waitingSeconds = arrivals.length > 0 ? Math.max(0, deps.now() - Math.min(...arrivals)) / 1_000 : 0
  const fields = { feed: feed.name, waiting: pending.length, waitingSeconds, withinSeconds }
  if (waitingSeconds <= withinSeconds) {
    deps.log.info(fields, 'swept')
    return
  }
  deps.log.warn(
    { ...fields, status: 'late' },
    `late: a snapshot has waited for ${Math.round(waitingSeconds)} seconds`,
  )
}

const showError = (error: unknown) => (error instanceof Error ? error.message : String(error))

export interface Swept {
  readonly woken: readonly string[]
  readonly failures: readonly unknown[]
}

/** One feed whose state is broken keeps no other from being woken; the sweep fails after the last. */
export function makeSweep(
  deps: Deps,
  /** Wakes the files of change feeds that nobody is at; answers which, and what went wrong. */
  sweepChanges?: () => Promise<Swept>,
) {
  return async (): Promise<{ readonly woken: readonly string[] }> => {
    const woken: string[] = []
    const failures: unknown[] = []
    if (sweepChanges) {
      const swept = await sweepChanges()
      woken.push(...swept.woken)
      failures.push(...swept.failures)
    }
    for (const feed of deps.feeds.values()) {
      try {
        const pending = await deps.state.listPending(feed)
        logWaiting(deps, feed, pending)
        await tellLateness(deps, feed, pending)
        if (await needsWaking(deps, feed)) {
          await deps.workflows.startRefresh(feed.name)
          woken.push(feed.name)
          deps.log.info({ feed: feed.name }, 'woken by the sweep')
        }
        const found = await lookForLost(deps, feed)
        if (found.length > 0) deps.log.warn({ feed: feed.name, found }, 'whole, and no event told of it')
      } catch (error) {
        failures.push(error)
        deps.log.error({ feed: feed.name, err: error }, `not swept: ${showError(error)}`)
      }
    }
    if (failures.length === 0) return { woken }
    throw new AggregateError(
      failures,
      `${failures.length} feeds were not swept: ${failures.map(showError).join('; ')}`,
    )
  }
}
