/** Turns the steps of a running workflow into progress by stage. */
import type { Cloud } from '../local/cloud.ts'
import { makeBigQuery } from './clients.ts'
import type { Progress } from './progress.ts'
import { readStageDetail } from './stage-detail.ts'
import { isShownStage, type ShownStage } from './stages.ts'

/** Their jobs say how many rows and bytes they met; those of the others only change metadata. */
const DETAILED: ReadonlySet<ShownStage> = new Set(['load', 'inspect', 'append', 'deduplicate'])

/** The subworkflow whose steps bear the names of the stages. */
const ROUTINE = 'refresh'

export interface StageWatch {
  /** Resolves when all that happened so far is shown. */
  settle(): Promise<void>
  stop(): void
}

export function watchStages(cloud: Cloud, progress: Progress): StageWatch {
  const bigquery = makeBigQuery(cloud)
  const since = Date.now()
  let shown: Promise<void> = Promise.resolve()
  const finish = async (stage: ShownStage) => {
    // A detail that cannot be had is no reason to stop watching.
    const detail = DETAILED.has(stage) ? await readStageDetail(bigquery, stage, since).catch(() => '') : ''
    progress.done(stage, detail)
  }
  const stop = cloud.workflows.onStep(({ routine, step, state }) => {
    if (routine !== ROUTINE || !isShownStage(step)) return
    shown = shown.then(async () => {
      if (state === 'started') progress.started(step)
      else if (state === 'succeeded') await finish(step)
    })
  })
  return { settle: () => shown, stop }
}
