/** Golden plans: the wire format of every job, case by case. A case is a folder in test/cases/plans/. */
import { describe, expect, it } from 'vitest'
import { planRun } from '../../functions/plan/plan-run.ts'
import { readPlanCases } from '../support/plan-case.ts'

describe('golden plans', () => {
  it.each(readPlanCases())('$name', async ({ name, feed, snapshots, state }) => {
    const plan = planRun(feed, snapshots, state)
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot(`../cases/plans/${name}/plan.json`)
    const statements = plan.stages.flatMap(stage =>
      stage.jobs
        .map(({ configuration: { query, load, copy } }) =>
          query ? `${query.query};` : `-- ${load ? 'load' : 'copy'} ${JSON.stringify(load ?? copy)}`,
        )
        .map(text => `-- stage ${stage.name}\n${text}`),
    )
    await expect(`${statements.join('\n\n')}\n`).toMatchFileSnapshot(`../cases/plans/${name}/plan.sql`)
  })
})
