/** How each model brings what landed into staging, as it is planned before anything is counted. */
import type { Feed } from '../../feed/feed.ts'
import type { RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot, RunState, Way } from '../run-plan.ts'
import { planDeduplicate } from '../strategies/rewrite.ts'
import { planAggregate } from './aggregate.ts'
import { planAppendRows } from './duplicate.ts'
import { planCoverage, planReplaceAll } from './replace-partitions.ts'

interface ModelPlan {
  readonly way: Way
  /** What stage inspect asks beyond the counts. */
  readonly inspect?: (
    context: RunContext,
    snapshots: readonly PendingSnapshot[],
    state: RunState,
  ) => JobBody[]
  /** Once staging is there. */
  readonly append?: (context: RunContext, snapshots: readonly PendingSnapshot[]) => JobBody[]
  /** In the one way that is always right; `planApply` may know a cheaper one. */
  readonly deduplicate?: (context: RunContext, snapshots: readonly PendingSnapshot[]) => JobBody[]
}

const REPLACE: ModelPlan = {
  way: 'replace-partitions',
  inspect: planCoverage,
  deduplicate: planReplaceAll,
}

/** A new model is a file beside this one and a line here. */
export function modelPlanOf({ model, refresh }: Feed): ModelPlan {
  if (model.replacePartitions) return REPLACE
  switch (model.kind) {
    case 'unique':
      return { way: refresh.strategy, deduplicate: planDeduplicate }
    case 'aggregate':
      return { way: 'rewrite', deduplicate: (context, snapshots) => planAggregate(context, snapshots) }
    case 'duplicate':
      return { way: 'append', append: planAppendRows }
  }
}
