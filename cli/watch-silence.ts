/** Notices that no message will come: nothing runs and nothing was said for a while. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Cloud } from '../local/cloud.ts'
import { type CliError, failure } from './exit.ts'
import { NAMES } from './laptop-names.ts'

const POLL_MS = 500
/** Longer than the trigger's longest pause between two tries. */
const QUIET_MS = 15_000

const answer = z.object({
  executions: z
    .array(
      z.object({
        name: z.string(),
        state: z.string(),
        startTime: z.string().optional(),
        error: z.object({ payload: z.string().optional(), context: z.string().optional() }).optional(),
      }),
    )
    .default([]),
})
type Execution = z.infer<typeof answer>['executions'][number]

async function readExecutions({ urls, project }: Cloud): Promise<readonly Execution[]> {
  const path = `projects/${project}/locations/${NAMES.region}/workflows/${NAMES.workflow}/executions`
  const response = await fetch(`${urls.workflows}/v1/${path}?view=FULL`)
  return answer.parse(await response.json()).executions
}

function explain(snapshot: string, failed: Execution | undefined): CliError {
  const reason = failed?.error?.payload ?? failed?.error?.context
  return failure(
    `no message came about snapshot ${snapshot}${reason ? `; the workflow ended with ${reason}` : ''}`,
    "A snapshot that was sent into this directory before may have been applied already; FRESHET_LOG=FILE keeps the functions' log.",
  )
}

export interface SilenceWatch {
  /** Never resolves; rejects once nothing has run for a while. */
  broken(snapshot: string): Promise<never>
  stop(): void
}

export function watchSilence(cloud: Cloud): SilenceWatch {
  const stopped = new AbortController()
  const since = new Date().toISOString()
  const isBusy = ({ state }: Execution) => state === 'ACTIVE' || state === 'QUEUED'
  return {
    async broken(snapshot) {
      for (let quiet = 0; quiet < QUIET_MS; quiet += POLL_MS) {
        // Ends with the watch; by then the race has its winner.
        await sleep(POLL_MS, undefined, { signal: stopped.signal })
        const executions = await readExecutions(cloud)
        if (executions.some(isBusy)) quiet = 0
      }
      const executions = await readExecutions(cloud)
      throw explain(
        snapshot,
        executions.find(one => one.state === 'FAILED' && (one.startTime ?? '') >= since),
      )
    },
    stop: () => stopped.abort(),
  }
}
