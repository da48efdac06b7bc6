/** How a run goes on once its snapshots were let pass. */
import type { JobBody, RunPlan, Stage, StageName, Way } from './run-plan.ts'
import type { Inspection } from './stages/inspect.ts'

export interface Applied {
  /** `unchanged`: no partition differs, and nothing is written. */
  readonly kind: Way | 'unchanged'
  /** Why this way was chosen, as one sentence. */
  readonly why: string
  /** The stages that are still to be run, `restore` and `announce` with them. */
  readonly stages: readonly Stage[]
  readonly partitions?: { readonly total: number; readonly changed: number }
  /** Rows of each partition of the newest snapshot, where its objects' paths name them and its fingerprints hold. */
  readonly landed?: Readonly<Record<string, number>>
  /** Of the partitions that are written, where that is not all of landing: at most `keys` rows, at least `outside` fewer. */
  readonly written?: { readonly keys: number; readonly outside: number }
}

/** A workflow keeps no more than 512 KB in its variables: cloud.google.com/workflows/quotas */
export const MOST_PARTITIONS = 500

const DONE: readonly StageName[] = ['load', 'inspect']
const TO_PUBLISH: readonly StageName[] = ['append', 'deduplicate', 'restore', 'save', 'clone']

export type Jobs = Partial<Record<StageName, readonly JobBody[]>>
/** The stages that are still to be run, some with other jobs than were planned. */
export const stagesWith = ({ stages }: RunPlan, jobs: Jobs): Stage[] =>
  stages
    .filter(({ name }) => !DONE.includes(name))
    .map(stage => ({ ...stage, jobs: jobs[stage.name] ?? stage.jobs }))

/** Nothing is written, and nothing published. */
export const stagesWithout = (plan: RunPlan): Stage[] =>
  stagesWith(plan, Object.fromEntries(TO_PUBLISH.map(name => [name, []])))

/** No key is in two rows, and none is NULL. */
export const isProven = (counted: readonly Inspection[]) =>
  counted.length > 0 && counted.every(found => found.duplicate_keys === 0 && found.null_key_rows === 0)
