/** Sequences of several columns and rows that delete their key: end to end the same as the reference. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedOf, type History, openHistory, show, type Waiting } from './history.ts'
import { applySnapshot, NOTHING, type Row, type Rules, rowsOf } from './reference.ts'

const COLUMNS = { id: null, version: null, at: null, v: null, op: null }
const RULES: Rules = {
  key: ['id'],
  sequence: ['version', 'at'],
  deletes: ({ op }) => op === 'D' || op === 'gone',
  sent: Object.keys(COLUMNS),
  columns: COLUMNS,
}
const makeFeed = (name: string, settings = '') =>
  feedOf(
    name,
    '{ id: INT64, version: INT64, at: DATE, v: STRING, op: STRING }',
    `{ kind: unique, key: [id], sequence: [version, at], delete_when: { column: op, values: [D, gone] }${settings} }`,
  )

let history: History
beforeAll(async () => {
  history = await openHistory()
})
afterAll(() => history?.close())

const shown = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(row => show(row, Object.keys(COLUMNS))).toSorted()
const expected = (runs: readonly Waiting[]) =>
  shown(rowsOf(runs.flat().reduce((states, rows) => applySnapshot(states, rows, RULES), NOTHING)))

const put = (id: number, version: number | null, v: string, at: string | null = null): Row => ({
  id,
  version,
  at,
  v,
  op: 'U',
})
const drop = (id: number, version: number | null, at: string | null = null): Row => ({
  id,
  version,
  at,
  v: null,
  op: 'D',
})

/** Each is the life of one key, told by the snapshots that it is in. */
const LIVES: Readonly<Record<string, readonly (Row | undefined)[]>> = {
  'a later row brings a key back': [put(1, 1, 'a'), drop(1, 2), put(1, 3, 'b')],
  'a late older row does not': [put(2, 1, 'a'), drop(2, 5), put(2, 4, 'late')],
  'nor does it two runs later': [drop(3, 5), undefined, put(3, 4, 'late')],
  'a deletion that comes late changes nothing newer': [put(4, 5, 'a'), drop(4, 4), undefined],
  'and is remembered no longer than it counts': [put(5, 5, 'a'), drop(5, 4), put(5, 4, 'late')],
  'on a tie the later arrival wins: the row': [drop(6, 5), put(6, 5, 'b'), undefined],
  'on a tie the later arrival wins: the deletion': [put(7, 5, 'a'), drop(7, 5), undefined],
  'a tie that was lost stays lost': [drop(8, 5), put(8, 5, 'b'), put(8, 5, 'c')],
  'the second column decides where the first ties': [
    put(9, 1, 'a', '2026-01-02'),
    drop(9, 1, '2026-01-01'),
    undefined,
  ],
  'NULL is older than any value': [put(10, null, 'a'), drop(10, null), put(10, null, 'c', '2026-01-01')],
  'a key that never was is remembered as gone': [drop(11, 9), put(11, 3, 'late'), put(11, 9, 'b')],
}
const snapshots = [0, 1, 2].map(at =>
  Object.values(LIVES).flatMap(life => life.slice(at, at + 1).filter(row => row !== undefined)),
)

describe('lives of keys', () => {
  test.each<[string, Waiting[]]>([
    ['one by one', snapshots.map(rows => [rows])],
    ['all at once', [snapshots]],
    ['two, then one', [snapshots.slice(0, 2), snapshots.slice(2)]],
  ])('%s', async (_, runs) => {
    const feed = makeFeed(history.nextName())
    const { rows, messages } = await history.play(feed, runs)
    expect(messages.map(({ status }) => status)).toEqual(runs.map(() => 'refreshed'))
    expect(shown(rows)).toEqual(expected(runs))
  })
})

test('rolled back, a deletion is forgotten: the older row counts again', async () => {
  const feed = makeFeed(history.nextName())
  const { cloud } = await history.play(feed, [[[put(1, 1, 'a'), put(2, 1, 'a')]], [[drop(1, 5)]]])
  expect(shown(await history.readTarget(feed))).toEqual(['2|1|null|a|U'])
  const { makeRollback } = await import('../../functions/operations/rollback.ts')
  await makeRollback(cloud.deps)(feed.name)
  await cloud.execute(feed.name, 'rollback')
  expect(shown(await history.readTarget(feed))).toEqual(['1|1|null|a|U', '2|1|null|a|U'])
  await cloud.send(`${feed.name}/9/a.ndjson`, `${JSON.stringify(put(1, 4, 'b'))}\n`)
  await cloud.send(`${feed.name}/9/_DONE`, '')
  await cloud.execute(feed.name, 'after')
  expect(shown(await history.readTarget(feed))).toEqual(['1|4|null|b|U', '2|1|null|a|U'])
})

test('a mirror shows the newest snapshot without the rows that say that they are gone', async () => {
  const feed = makeFeed(history.nextName(), ', missing_rows: delete')
  const { rows } = await history.play(feed, [
    [[put(1, 1, 'a'), put(2, 1, 'a')]],
    [[put(1, 2, 'b'), drop(2, 1), put(3, 1, 'c'), drop(3, 2)]],
  ])
  expect(shown(rows)).toEqual(['1|2|null|b|U'])
})

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 })
const change: fc.Arbitrary<Row> = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  version: maybe(fc.integer({ min: 1, max: 3 })),
  at: maybe(fc.constantFrom('2026-01-01', '2026-01-02')),
  v: maybe(fc.constantFrom('a', 'b', 'é')),
  op: maybe(fc.constantFrom('U', 'D', 'gone')),
})
const runs = fc.array(fc.array(fc.array(change, { maxLength: 60 }), { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
})
/** SEED=… replays a run. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const numRuns = Number(process.env.RUNS ?? 4)

test(`${numRuns} random histories, seed ${seed}`, { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(runs, async given => {
      const { rows } = await history.play(makeFeed(history.nextName()), given)
      expect(shown(rows)).toEqual(expected(given))
    }),
    { numRuns, seed, verbose: 1, endOnFailure: true },
  )
})
