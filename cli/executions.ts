/** What the workflows are doing, asked over its REST API. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { CloudAddress } from './clients.ts'
import { NAMES } from './laptop-names.ts'

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
export type Execution = z.infer<typeof answer>['executions'][number]

async function readOf({ urls, project }: CloudAddress, workflow: string): Promise<readonly Execution[]> {
  const path = `projects/${project}/locations/${NAMES.location}/workflows/${workflow}/executions`
  const response = await fetch(`${urls.workflows}/v1/${path}?view=FULL`)
  return answer.parse(await response.json()).executions
}

/** Those of each workflow, newest first. */
export async function readExecutions(cloud: CloudAddress): Promise<readonly Execution[]> {
  const all = await Promise.all([NAMES.workflow, NAMES.applyWorkflow].map(name => readOf(cloud, name)))
  return all.flat()
}

export const isActive = ({ state }: Execution): boolean => state === 'ACTIVE' || state === 'QUEUED'

/** Resolves when no execution is active: a run goes on after its message, to tidy up. */
export async function waitForRest(cloud: CloudAddress, signal: AbortSignal): Promise<void> {
  while ((await readExecutions(cloud)).some(isActive)) await sleep(50, undefined, { signal })
}
