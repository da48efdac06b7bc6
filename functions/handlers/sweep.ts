/** `sweep`: wakes the workflow of every feed that has work and nobody at it. Runs on a schedule. */
import type { Feed } from '../feed/feed.ts'
import type { Deps } from './deps.ts'

async function needsWaking(deps: Deps, feed: Feed): Promise<boolean> {
  const held = await deps.state.leases.read(feed.name)
  const busy = held?.lease.holder !== undefined && Date.parse(held.lease.until) > deps.now()
  if (busy) return false
  return held?.lease.run !== undefined || (await deps.state.listPending(feed)).length > 0
}

export function makeSweep(deps: Deps) {
  return async (): Promise<{ readonly woken: readonly string[] }> => {
    const woken: string[] = []
    for (const feed of deps.feeds.values()) {
      if (!(await needsWaking(deps, feed))) continue
      await deps.workflows.startRefresh(feed.name)
      woken.push(feed.name)
      deps.log.info({ feed: feed.name }, 'woken by the sweep')
    }
    return { woken }
  }
}
