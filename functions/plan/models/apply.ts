/** How each model but `unique` goes on once inspect has counted. */
import { type Applied, isProven, MOST_PARTITIONS, stagesWith, stagesWithout } from '../applied.ts'
import type { Found } from '../found.ts'
import type { RunContext } from '../job.ts'
import type { RunPlan } from '../run-plan.ts'
import { planAggregate } from './aggregate.ts'
import { ownersOf, planReplacement } from './apply-replacement.ts'

/** Exactly the partitions that the snapshots cover, or all of staging where they are many. */
export function applyReplacement(context: RunContext, plan: RunPlan, found: Found): Applied {
  const owners = ownersOf(found.coverage ?? [])
  const covered = owners.flatMap(owner => owner.covered)
  const sum = (of: 'rows' | 'outside') => covered.reduce((total, one) => total + one[of], 0)
  const partitions = { total: covered.length, changed: covered.length }
  // Of rows with one key one stays; it is not counted in which partitions they are.
  const surplus = found.inspections
    .filter(({ snapshot }) => snapshot !== '')
    .reduce((total, { row_count: rows, key_count: keys }) => total + rows - keys, 0)
  const written = { keys: sum('rows'), outside: sum('outside') + surplus }
  const kind = 'replace-partitions'
  if (covered.length === 0) {
    const stages = stagesWithout(plan)
    const why = 'Every partition that the snapshots cover has rows of a newer one.'
    return { kind: 'unchanged', why, stages, partitions }
  }
  const said = `The snapshots cover ${covered.length} partitions`
  if (covered.length > MOST_PARTITIONS) {
    const why = `${said}, more than are replaced one by one: all of staging is written.`
    return { kind, why, stages: stagesWith(plan, {}), written }
  }
  const deduplicate = planReplacement(context, owners, isProven(found.inspections))
  return { kind, why: `${said}.`, stages: stagesWith(plan, { deduplicate }), partitions, written }
}

/** Staging and what landed, key by key. */
export function applyAggregate(context: RunContext, plan: RunPlan, found: Found): Applied {
  const deduplicate = planAggregate(context, plan.snapshots, isProven(found.inspections))
  const why = 'The rows of each key are combined with what staging has of it.'
  return { kind: 'rewrite', why, stages: stagesWith(plan, { deduplicate }) }
}

/** As it was planned. */
export const applyAppend = (plan: RunPlan): Applied => ({
  kind: 'append',
  why: 'Rows are appended as they came.',
  stages: stagesWith(plan, {}),
})
