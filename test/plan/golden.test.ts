/** Golden plans: the wire format of every job, case by case. A case is a folder in test/cases/plans/. */
import { describe, expect, it } from 'vitest'
import { planRun } from '../../functions/plan/plan-run.ts'
import type { Stage } from '../../functions/plan/run-plan.ts'
import { applyCase, readPlanCases } from '../support/plan-case.ts'

const showSql = (stages: readonly Stage[]): string =>
  `${stages
    .flatMap(stage =>
      stage.jobs
        .map(({ configuration: { query, load, copy } }) =>
          query
            ? `${String(query.query).replace(/;$/, '')};`
            : `-- ${load ? 'load' : 'copy'} ${JSON.stringify(load ?? copy)}`,
        )
        .map(text => `-- stage ${stage.name}\n${text}`),
    )
    .join('\n\n')}\n`

describe('golden plans', () => {
  it.each(readPlanCases())('$name', async planCase => {
    const { name, feed, snapshots, state } = planCase
    const plan = planRun(feed, snapshots, state)
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot(`../cases/plans/${name}/plan.json`)
    await expect(showSql(plan.stages)).toMatchFileSnapshot(`../cases/plans/${name}/plan.sql`)
    const applied = applyCase(planCase, plan)
    if (!applied) return
    const { stages, ...rest } = applied
    const written = stages.filter(stage => ['append', 'deduplicate'].includes(stage.name))
    await expect(`${JSON.stringify({ ...rest, stages: written }, null, 2)}\n`).toMatchFileSnapshot(
      `../cases/plans/${name}/applied.json`,
    )
    await expect(showSql(written)).toMatchFileSnapshot(`../cases/plans/${name}/applied.sql`)
  })
})
