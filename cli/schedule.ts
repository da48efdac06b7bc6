/** Cloud Scheduler's part: calls the sweep at the start and then every minute. */
import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 60_000

export interface Schedule {
  close(): Promise<void>
}

/**
 * A call that fails is let go: the next one comes. One that is under way at the close is waited for: a sweep that is left
 * alone would go on asking services that are gone.
 */
export function startSchedule(url: string): Schedule {
  const closing = new AbortController()
  const { signal } = closing
  const run = async () => {
    while (!signal.aborted) {
      const answer = await fetch(url, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  const ended = run()
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}
