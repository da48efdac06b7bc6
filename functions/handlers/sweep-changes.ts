/** The sweep over change feeds: files that nobody is at are woken. */
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import type { Delivery } from '../state/deliveries.ts'
import type { ChangeDeps } from './change-deps.ts'
import type { Swept } from './sweep.ts'

const isBusy = ({ holder, until = '' }: Delivery, now: number) =>
  holder !== undefined && Date.parse(until) > now

function logWaiting(deps: ChangeDeps, feed: ChangeFeed, open: readonly Delivery[]): void {
  const { withinSeconds } = feed.refresh
  const oldest = Math.min(deps.now(), ...open.map(({ arrivedAt }) => Date.parse(arrivedAt)))
  const waitingSeconds = (deps.now() - oldest) / 1_000
  const fields = { feed: feed.name, waiting: open.length, waitingSeconds, withinSeconds }
  if (waitingSeconds <= withinSeconds) deps.log.info(fields, 'swept')
  else
    deps.log.warn(
      { ...fields, status: 'late' },
      `late: a change file has waited for ${Math.round(waitingSeconds)} seconds`,
    )
}

export function makeSweepChanges(deps: ChangeDeps) {
  return async (): Promise<Swept> => {
    const woken: string[] = []
    const failures: unknown[] = []
    for (const feed of deps.changeFeeds.values())
      try {
        const open = await deps.deliveries.listOpen(feed.name)
        logWaiting(deps, feed, open)
        for (const delivery of open) {
          if (isBusy(delivery, deps.now())) continue
          await deps.applies.startApply(feed.name, delivery.id)
          woken.push(feed.name)
        }
      } catch (error) {
        failures.push(error)
        deps.log.error({ feed: feed.name, err: error }, 'not swept')
      }
    return { woken, failures }
  }
}
