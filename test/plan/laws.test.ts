/** Laws of every plan: the same input gives the same plan, other input other ids, and BigQuery takes them all. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseRunId } from '../../functions/feed/names.ts'
import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import { planRun } from '../../functions/plan/plan-run.ts'
import type { PendingSnapshot, RunPlan, RunState } from '../../functions/plan/run-plan.ts'
import { type RandomPlan, randomPlan } from '../support/random-plan.ts'

const planOf = ({ feed, pending, state }: RandomPlan) => planRun(feed, pending, state)
const jobsOf = (plan: RunPlan) => plan.stages.flatMap(({ jobs }) => jobs)
const idsOf = (plan: RunPlan) => jobsOf(plan).map(({ jobReference }) => jobReference.jobId)

test('the same input gives the same plan', () => {
  fc.assert(
    fc.property(randomPlan, given => {
      expect(planOf(given)).toEqual(planOf(given))
    }),
  )
})

const reversed = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).reverse()) as T

test('the order of snapshots, of files and of the keys of the state changes nothing', () => {
  const order = fc.array(fc.nat(), { minLength: 5, maxLength: 5 })
  const shuffle = <T>(values: readonly T[], by: readonly number[]) =>
    values
      .map((value, at) => ({ value, rank: by[at % by.length] ?? 0 }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ value }) => value)
  fc.assert(
    fc.property(randomPlan, order, order, ({ feed, pending, state }, first, second) => {
      const other = shuffle(pending, first).map(of =>
        reversed({ ...of, files: shuffle(of.files, second).map(reversed) }),
      )
      const moved = reversed({ ...state, warehouse: reversed(state.warehouse) })
      expect(planRun(feed, other, moved)).toEqual(planRun(feed, pending, state))
    }),
  )
})

type Change = readonly [what: string, change: (given: RandomPlan) => RandomPlan]
const feedWith =
  (change: (feed: Feed) => Partial<Feed>): Change[1] =>
  given => ({
    ...given,
    feed: { ...given.feed, ...change(given.feed) },
  })
/** Of the newest snapshot: the one that counts under either kind of missing rows. */
const snapshotWith =
  (change: (of: PendingSnapshot) => Partial<PendingSnapshot>): Change[1] =>
  given => {
    const newest = given.pending.reduce((a, b) => (BigInt(a.id) > BigInt(b.id) ? a : b))
    return { ...given, pending: given.pending.map(of => (of === newest ? { ...of, ...change(of) } : of)) }
  }
const stateWith =
  (change: Partial<RunState>): Change[1] =>
  given => ({ ...given, state: { ...given.state, ...change } })
const sure = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a good text')
  return value
}
const extraFile = { name: 'zz.x', generation: '1', size: 1, crc32c: 'AAAAAA==' }

test.each<Change>([
  ['a file more', snapshotWith(({ files }) => ({ files: [...files, extraFile] }))],
  [
    "a file's generation",
    snapshotWith(({ files }) => ({
      files: [...files, extraFile].map(file => ({ ...file, generation: `${file.generation}0` })),
    })),
  ],
  ['the delivery of a snapshot', snapshotWith(({ generation }) => ({ generation: `${generation}1` }))],
  ['its approval', snapshotWith(({ approved }) => ({ approved: !approved }))],
  [
    'a snapshot more',
    given => ({
      ...given,
      pending: [
        ...given.pending,
        { ...sure(given.pending[0]), id: sure(parseSnapshotId('9223372036854775807', 'integer')) },
      ],
    }),
  ],
  [
    'the last run',
    stateWith({
      last: { run: sure(parseRunId('00000000000000aa')), newest: sure(parseSnapshotId('0', 'integer')) },
    }),
  ],
  [
    'the model',
    feedWith(({ model }) => ({
      model: { ...model, missingRows: model.missingRows === 'keep' ? 'delete' : 'keep' },
    })),
  ],
  ['the target', feedWith(({ table }) => ({ table: { ...table, tableId: 'others' } }))],
  ['the description', feedWith(({ table }) => ({ table: { ...table, description: 'new' } }))],
  [
    'the rollback points',
    feedWith(({ refresh }) => ({ refresh: { ...refresh, rollbackDays: refresh.rollbackDays + 1 } })),
  ],
  [
    'the format',
    feedWith(({ source }) => ({
      source: { ...source, format: { kind: source.format.kind === 'orc' ? 'avro' : 'orc' } },
    })),
  ],
  [
    'the project',
    given => ({
      ...given,
      state: { ...given.state, warehouse: { ...given.state.warehouse, projectId: 'q' } },
    }),
  ],
])('%s changes the run and the id of every job', (_, change) => {
  fc.assert(
    fc.property(randomPlan, given => {
      const [before, after] = [planOf(given), planOf(change(given))]
      expect(after.run).not.toBe(before.run)
      const known = new Set(idsOf(before))
      expect(idsOf(after).filter(id => known.has(id))).toEqual([])
    }),
    { numRuns: 20 },
  )
})

test('no two jobs share an id, and ids, labels and tables are what BigQuery takes', () => {
  fc.assert(
    fc.property(randomPlan, given => {
      const plan = planOf(given)
      const ids = idsOf(plan)
      expect(new Set(ids).size).toBe(ids.length)
      // docs.cloud.google.com/bigquery/docs/running-jobs#generate-jobid, with room for the number of an attempt
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,1000}_a1$/)
      // docs.cloud.google.com/bigquery/docs/labels-intro#requirements
      for (const { configuration } of jobsOf(plan)) {
        for (const [key, value] of Object.entries(configuration.labels)) {
          expect(key).toMatch(/^[a-z][a-z0-9_-]{0,62}$/)
          expect(value).toMatch(/^[a-z0-9_-]{0,63}$/)
        }
      }
      for (const { tableId } of [plan.rollbackPoint, ...plan.snapshots.map(({ landing }) => landing)])
        expect(tableId).toMatch(/^[a-z0-9_]{1,200}$/)
    }),
  )
})

test('every stage is there, in the order of the workflow, and every file is in one list', () => {
  fc.assert(
    fc.property(randomPlan, given => {
      const plan = planOf(given)
      expect(plan.stages.map(({ name }) => name)).toEqual([
        'load',
        'inspect',
        'append',
        'deduplicate',
        'restore',
        'save',
        'clone',
        'announce',
      ])
      for (const { id } of plan.snapshots) {
        const wanted = given.pending.find(of => of.id === id)?.files.map(({ name }) => name)
        const listed = plan.uriLists.filter(({ snapshot }) => snapshot === id).flatMap(({ files }) => files)
        expect(listed.map(({ name }) => name)).toEqual(wanted?.toSorted())
      }
      const snapshots = [...plan.snapshots, ...plan.superseded].map(({ id }) => id)
      expect(snapshots.toSorted()).toEqual(given.pending.map(({ id }) => id).toSorted())
    }),
  )
})
