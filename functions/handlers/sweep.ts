/** `sweep`: wakes the workflow of every feed that has work and nobody at it, and says what has waited too long. */
import type { Feed } from '../feed/feed.ts'
import type { Deps } from './deps.ts'

async function needsWaking(deps: Deps, feed: Feed): Promise<boolean> {
  const held = await deps.state.leases.read(feed.name)
  const busy = held?.lease.holder !== undefined && Date.parse(held.lease.until) > deps.now()
  if (busy) return false
  return held?.lease.run !== undefined || (await deps.state.hasWork(feed))
}

/** A snapshot is in `pending/` until it is served or stopped, so the oldest there is how far the table is behind. */
async function logWaiting(deps: Deps, feed: Feed): Promise<void> {
  const pending = await deps.state.listPending(feed)
  const { withinSeconds } = feed.refresh
  const arrivals = pending.map(({ arrivedAt }) => Date.parse(arrivedAt))
  const waitingSeconds = arrivals.length > 0 ? Math.max(0, deps.now() - Math.min(...arrivals)) / 1_000 : 0
  const fields = { feed: feed.name, waiting: pending.length, waitingSeconds, withinSeconds }
  if (waitingSeconds <= withinSeconds) return deps.log.info(fields, 'swept')
  deps.log.warn(
    { ...fields, status: 'late' },
    `late: a snapshot has waited for ${Math.round(waitingSeconds)} seconds`,
  )
}

const showError = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** One feed whose state is broken keeps no other from being woken; the sweep fails after the last. */
export function makeSweep(deps: Deps) {
  return async (): Promise<{ readonly woken: readonly string[] }> => {
    const woken: string[] = []
    const failures: unknown[] = []
    for (const feed of deps.feeds.values()) {
      try {
        await logWaiting(deps, feed)
        if (!(await needsWaking(deps, feed))) continue
        await deps.workflows.startRefresh(feed.name)
        woken.push(feed.name)
        deps.log.info({ feed: feed.name }, 'woken by the sweep')
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
