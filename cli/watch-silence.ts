/** Notices that no message will come: nothing runs and nothing was said for a while. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cloud } from '../local/cloud.ts'
import { isActive, readExecutions } from './executions.ts'
import { type CliError, failure } from './exit.ts'
import type { Stack } from './stack.ts'

const POLL_MS = 500
/** A message is on its way for less. */
const QUIET_MS = 4_000

async function explain(cloud: Cloud, snapshot: string, since: string): Promise<CliError> {
  const executions = await readExecutions(cloud)
  const failed = executions.find(one => one.state === 'FAILED' && (one.startTime ?? '') >= since)
  const reason = failed?.error?.payload ?? failed?.error?.context
  if (reason) return failure(`no message came about snapshot ${snapshot}; the workflow ended with ${reason}`)
  return failure(
    `no message came about snapshot ${snapshot}`,
    'A run that was cut off is taken up again once its lease has run out, within ten minutes: `freshet status` shows an open run. functions.log in the directory has what the functions said.',
  )
}

export interface SilenceWatch {
  /** Never resolves; rejects once all is delivered and nothing has run for a while. */
  broken(snapshot: string): Promise<never>
  stop(): void
}

export function watchSilence({ cloud, delivered }: Stack): SilenceWatch {
  const stopped = new AbortController()
  const since = new Date().toISOString()
  return {
    async broken(snapshot) {
      await delivered()
      for (let quiet = 0; quiet < QUIET_MS; quiet += POLL_MS) {
        // Ends with the watch; by then the race has its winner.
        await sleep(POLL_MS, undefined, { signal: stopped.signal })
        const executions = await readExecutions(cloud)
        if (executions.some(isActive)) quiet = 0
      }
      throw await explain(cloud, snapshot, since)
    },
    stop: () => stopped.abort(),
  }
}
