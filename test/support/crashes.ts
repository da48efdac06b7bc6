/** A holder that dies before some of its writes, and the next one that takes over. */
import { LEASE_MS } from '../../functions/state/lease.ts'
import type { Gate } from './fake-objects.ts'

class Crash extends Error {}

/** Crashes before the writes whose numbers it is given, from 1. */
export function makeCrashes(at: ReadonlySet<number>): Gate {
  let count = 0
  return async operation => {
    if (operation !== 'write' && operation !== 'remove') return
    count += 1
    if (at.has(count)) throw new Crash()
  }
}

/** Does it again after each crash. */
export async function untilItWorks(
  work: () => Promise<unknown>,
  between: () => void = () => {},
): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      between()
    }
  }
}

interface Works {
  readonly clock: { now: number }
  execute(feed: string, holder: string): Promise<string>
}

/** Lets holder after holder work until nothing is left. */
export async function workOff(cloud: Works, feed: string): Promise<void> {
  let holders = 0
  await untilItWorks(
    () => cloud.execute(feed, `holder ${holders}`),
    () => {
      holders += 1
      cloud.clock.now += LEASE_MS
    },
  )
}
