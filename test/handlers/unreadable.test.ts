/** Rows that a load could not read: each is counted once and told once, however often `verify` is asked. */
import { expect, test } from 'vitest'
import { parseRunId } from '../../functions/feed/names.ts'
import type { Deps } from '../../functions/handlers/deps.ts'
import { countUnreadable } from '../../functions/handlers/unreadable.ts'
import type { JobBody, RunPlan } from '../../functions/plan/run-plan.ts'
import { feedOf, inspected, snapshot } from '../plan/judged.ts'
import { makeFakeCloud } from '../support/fake-cloud.ts'

const RUN = parseRunId('0123456789abcdef')
const raw = (id: string) => ({ projectId: 'p', datasetId: 'landing', tableId: `${id}_raw` })
const error = (message: string) => ({ reason: 'invalid', message })
const NOTHING = { errors: [], bytesProcessed: 0, slotMs: 0, seconds: 1 }
const job = (jobId: string) => ({ stage: 'load' as const, projectId: 'p', jobId, location: 'EU' })

/** Load jobs `l1` to `l3`; writes fail as often as `failures` says, and all have failed before where that is for ever. */
function makeBed(failures: number) {
  const loads: Record<string, object> = {
    l1: { destination: raw('1'), badRecords: 2, errors: [error('row 3 of a'), error('row 5 of a')] },
    l2: { destination: raw('1'), badRecords: 150, errors: [error('row 7 of b')] },
    l3: { destination: raw('2'), badRecords: 0, errors: [] },
  }
  const written = new Map<string, 'failed' | 'done'>()
  const queries: string[] = []
  const cloud = makeFakeCloud([])
  const deps: Deps = {
    ...cloud.deps,
    warehouse: {
      ...cloud.deps.warehouse,
      async readJob({ jobId }) {
        const how = failures === Number.POSITIVE_INFINITY && !(jobId in loads) ? 'failed' : written.get(jobId)
        if (how) return how === 'failed' ? { ...NOTHING, error: error('try again') } : NOTHING
        return jobId in loads ? { ...NOTHING, ...loads[jobId] } : undefined
      },
      async runQuery({ jobReference, configuration }: JobBody) {
        if (written.get(jobReference.jobId) === 'done') return []
        const fails = written.size < failures
        written.set(jobReference.jobId, fails ? 'failed' : 'done')
        if (fails) throw new Error('try again')
        queries.push(String(configuration.query?.query))
        return []
      },
    },
  }
  const snapshots = ['1', '2'].map(id => snapshot(id, { raw: raw(id) }))
  const plan = { run: RUN, snapshots } as unknown as RunPlan
  const inspections = ['1', '2', ''].map(id =>
    inspected({ snapshot: id, ...(id === '1' && { bad: { count: 4, reasons: ['id is no INT64: x'] } }) }),
  )
  const count = () =>
    countUnreadable(deps, feedOf('', 'keep', '1%'), plan, ['l1', 'l2', 'l3'].map(job), inspections)
  return { count, queries, written }
}

test('what the load jobs left out is added to the bad rows of its snapshot', async () => {
  const { count, queries } = makeBed(0)
  const [first, second, all] = await count()
  expect(first?.bad).toEqual({
    count: 156,
    reasons: ['id is no INT64: x', 'row 3 of a', 'row 5 of a'],
  })
  expect(second).not.toHaveProperty('bad')
  expect(all).not.toHaveProperty('bad')
  expect(queries).toHaveLength(1)
  expect(queries[0]).toContain("'row 7 of b'")
  expect(queries[0]).toContain("'149 rows that could not be read, and are not told one by one'")
})

test('asked again, it writes nothing again; a write that failed is tried under the next id', async () => {
  const { count, queries, written } = makeBed(2)
  await expect(count()).rejects.toThrow('try again')
  await expect(count()).rejects.toThrow('try again')
  const third = await count()
  expect(await count()).toEqual(third)
  expect(queries).toHaveLength(1)
  expect([...written.keys()].map(id => id.slice(-3))).toEqual(['_a1', '_a2', '_a3'])
})

test('a write that never succeeds is a failure with a remedy', async () => {
  const { count } = makeBed(Number.POSITIVE_INFINITY)
  await expect(count()).rejects.toThrow(/failed 999 times/)
})
