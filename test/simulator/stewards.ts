/** People who govern the target: they tag columns and label the table, and a publish must not take that away unsaid. */
import type { Cloud } from './functions.ts'
import type { Random } from './random.ts'
import { type Run, readRun } from './records.ts'
import type { Store } from './store.ts'
import type { Table } from './tables.ts'

const TARGET = 'p.serving.sim'
const STAGING = 'p.staging.sim'
const MINUTE = 60_000
/** What was done to the tables, and when. */
export interface Stewards {
  readonly acts: { readonly at: number; readonly tag: string }[]
  /** So long before its plan is written a planner may have looked: two calls that stall, where calls stall. */
  readonly lookedBefore: number
}

/** Tags of a column on the target; they come to staging a while later, or not before the end. */
export function scheduleStewards({ world, jobs }: Cloud, random: Random, { acts }: Stewards): void {
  const { tables } = jobs
  const put = (name: string, change: Partial<Table>, tag: string) => {
    const table = tables.get(name)
    if (!table) return
    tables.set(name, { ...table, ...change })
    acts.push({ at: world.now, tag })
    world.note('steward', `${name} ${JSON.stringify(change)}`)
  }
  const tagBoth = (tag: string) => {
    for (const name of [TARGET, STAGING]) put(name, { tags: { ...tables.get(name)?.tags, v: tag } }, tag)
  }
  if (random.chance(0.75)) return
  const first = random.between(20, 120) * MINUTE
  world.after(first, () => put(TARGET, { tags: { ...tables.get(TARGET)?.tags, v: 'pii' } }, 'pii'))
  world.after(first, () => {
    const labels = tables.get(TARGET)?.labels
    if (labels) put(TARGET, { labels: { ...labels, team: 'green' } }, 'team')
  })
  world.after(Math.min(178 * MINUTE, first + random.between(1, 90) * MINUTE), () => tagBoth('pii'))
}

const losses = (before: Table, after: Table): string[] => [
  ...Object.entries(before.tags ?? {}).flatMap(([name, tag]) => (after.tags?.[name] === tag ? [] : [tag])),
  ...('team' in before.labels && !('team' in after.labels) ? ['team'] : []),
]

/**
 * What nobody could know of when the run was planned, or the rollback asked for, may go; everything else stays. Throws
 * when it does not.
 */
export function checkLosses(store: Store, { acts, lookedBefore }: Stewards, after: Table): void {
  const run = after.labels.freshet_run ?? ''
  const { plannedAt, rollback } = readRun(store, run)
  const looked = Date.parse(rollback?.askedAt ?? plannedAt) - lookedBefore
  for (const lost of after.replaced ? losses(after.replaced, after) : []) {
    const put = acts.find(({ tag }) => tag === lost)?.at ?? 0
    if (put < looked) throw new Error(`run ${run} lost ${lost}, which was there before it`)
  }
}

/** Whether the publish of a run that is stopped now would have lost a tag; `undefined` when somebody changed that meanwhile. */
export function wouldLose(
  { world, jobs }: Cloud,
  { acts, lookedBefore }: Stewards,
  run: Run,
): boolean | undefined {
  const from = Date.parse(run.plannedAt) - lookedBefore
  if (acts.some(({ at }) => at >= from && at <= world.now)) return undefined
  const [target, staging] = [jobs.tables.get(TARGET)?.tags, jobs.tables.get(STAGING)?.tags]
  return Object.entries(target ?? {}).some(([name, tag]) => staging?.[name] !== tag)
}
