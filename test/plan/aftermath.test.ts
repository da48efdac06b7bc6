/** Verdicts on several snapshots at once, and on staging once it is deduplicated. */
import { describe, expect, test } from 'vitest'
import type { RunPlan } from '../../functions/plan/run-plan.ts'
import { planAftermath, planVerdict } from '../../functions/plan/verdict.ts'
import { feedOf, inspected, snapshot } from './judged.ts'

describe('several snapshots', () => {
  const three = ['1', '2', '3'].map(id => snapshot(id))
  const found = (bad: string) => [
    ...three.map(({ id }) => inspected({ snapshot: id, null_key_rows: id === bad ? 1 : 0 })),
    inspected({ snapshot: '', row_count: 300, key_count: 120 }),
  ]

  test('one that is bad stops the run, and only it is named', () => {
    const verdict = planVerdict(feedOf(''), three, found('2'), { rows: 0 })
    expect(verdict.kind === 'stopped' && verdict.findings.map(finding => finding.snapshot)).toEqual(['2'])
  })

  test('the figures are of all, the measure is of the newest', () => {
    expect(planVerdict(feedOf(''), three, found(''), { rows: 0 })).toMatchObject({
      kind: 'proceed',
      loaded: 300,
      keys: 120,
      newestRows: 100,
    })
  })

  test.each(['2', ''])('an inspection that is missing is an error: %j', missing => {
    const some = found('').filter(({ snapshot: of }) => of !== missing)
    expect(() => planVerdict(feedOf(''), three, some, { rows: 0 })).toThrow('is missing')
  })
})

describe('staging after deduplication', () => {
  const after = (
    missing: 'keep' | 'delete',
    rowsBefore: number,
    keys: number,
    outside: number,
    rows: number,
  ) => {
    const proceed = { kind: 'proceed' as const, loaded: keys, keys, outside, newestRows: keys }
    const plan: Pick<RunPlan, 'kind' | 'snapshots' | 'rowsBefore'> = {
      kind: 'refresh',
      snapshots: [snapshot('1')],
      rowsBefore,
    }
    return planAftermath(feedOf('', missing), JSON.parse(JSON.stringify(plan)), proceed, rows)
  }
  test.each<readonly ['keep' | 'delete', number, number, number, number]>([
    ['keep', 0, 5, 0, 5],
    ['keep', 10, 5, 0, 15],
    ['keep', 10, 5, 0, 10],
    ['keep', 0, 5, 2, 3],
    ['delete', 10, 5, 0, 5],
    ['delete', 10, 5, 2, 3],
  ])('%s: of %i rows and %i keys (%i outside) it may have %i', (...given) =>
    expect(after(...given)).toBeUndefined(),
  )
  test.each<readonly ['keep' | 'delete', number, number, number, number]>([
    ['keep', 10, 5, 0, 16],
    ['keep', 10, 5, 0, 9],
    ['keep', 0, 5, 0, 4],
    ['delete', 10, 5, 0, 6],
    ['delete', 10, 5, 0, 4],
  ])('%s: of %i rows and %i keys (%i outside) it may not have %i', (...given) => {
    expect(after(...given)).toMatchObject({ kind: 'stopped', restore: true, findings: [{ kind: 'held' }] })
  })

  test.each<readonly [what: string, rows: number, right: boolean]>([
    ['as many as there are for certain', 3, true],
    ['as many as there can be', 8, true],
    ['one fewer', 2, false],
    ['one more', 9, false],
  ])('keys that were not all counted: %s', (_, rows, right) => {
    const proceed = { kind: 'proceed' as const, loaded: 8, keys: 8, leastKeys: 3, outside: 0, newestRows: 8 }
    const plan = { kind: 'refresh', snapshots: [snapshot('1')], rowsBefore: 5 }
    const found = planAftermath(feedOf('', 'delete'), JSON.parse(JSON.stringify(plan)), proceed, rows)
    expect(found?.findings[0]?.reason).toEqual(right ? undefined : expect.stringContaining('3 to 8 keys'))
  })
})
