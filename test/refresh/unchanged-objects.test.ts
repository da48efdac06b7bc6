/** Objects whose partition is in their path, and which are those of the last snapshot, are not loaded. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseRunId } from '../../functions/feed/names.ts'
import { fingerprintsOf } from '../../functions/plan/tables.ts'
import {
  type DayShop,
  d1,
  d2,
  d3,
  encode,
  type Item,
  item,
  openDayShop,
  showItems,
} from '../support/day-shop.ts'
import { readFeedText } from '../support/plan-case.ts'
import { realNames } from '../support/real-warehouse.ts'

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

const feedOf = (name: string, strategy: 'rewrite' | 'changed-partitions', path: string): Feed =>
  readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/${path}
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: { day: DATE, id: INT64, v: STRING }
  partition: { by: day, every: day }
model: { kind: unique, key: [day, id], sequence: { from: snapshot, as: seq } }
refresh: { strategy: ${strategy} }
gates: { zero_rows: allow, min_rows_vs_last: 0%, duplicate_keys: newest, null_keys: allow, null_partitions: allow }
`)

/** The files of a snapshot: what the path calls the day, and the rows, which may be of another. */
type Files = Readonly<Record<string, readonly Item[]>>
type Cloud = ReturnType<DayShop['openCloud']>

async function refresh(cloud: Cloud, feed: Feed, id: number, files: Files) {
  for (const [day, items] of Object.entries(files))
    await cloud.send(`${feed.name}/${id}/day=${day}/a.ndjson`, encode(items, false))
  await cloud.send(`${feed.name}/${id}/_DONE`, '')
  await cloud.execute(feed.name, `holder ${id}`)
  const message = cloud.messages.at(-1)
  const name = parseRunId(message?.run ?? '')
  const run = name && (await cloud.deps.state.readRun(feed.name, name))
  const loaded = (run?.plan.uriLists ?? []).flatMap(list => list.files.map(({ name }) => name.split('/')[2]))
  return { message, loaded }
}

const start = () => {
  const feed = feedOf(shop.nextName(), 'changed-partitions', 'day={partition}/*.ndjson')
  return { feed, cloud: shop.openCloud(feed) }
}
const first: Files = { [d1]: [item(d1, 1), item(d1, 2)], [d2]: [item(d2, 1)], '20260103': [item(d3, 1)] }
const changed: Files = { ...first, [d2]: [item(d2, 1, 'b')] }

test('only objects of partitions that changed are loaded; nothing is, where nothing did', async () => {
  const { feed, cloud } = start()
  expect((await refresh(cloud, feed, 1, first)).loaded).toHaveLength(3)
  const second = await refresh(cloud, feed, 2, changed)
  expect(second.loaded).toEqual([`day=${d2}`])
  expect(second.message).toMatchObject({
    status: 'refreshed',
    strategy: 'changed-partitions',
    partitions: { total: 3, changed: 1 },
    rows: { loaded: 4, updated: 1, after: 4 },
  })
  const third = await refresh(cloud, feed, 3, changed)
  expect(third).toMatchObject({ loaded: [], message: { status: 'unchanged', rows: { loaded: 4, after: 4 } } })
  // An object more, and all of its partition are loaded.
  const fourth = { ...changed, [d3]: [item(d3, 2)] }
  expect((await refresh(cloud, feed, 4, fourth)).loaded).toEqual([`day=${d3}`, 'day=20260103'].toSorted())
  expect(await shop.readRows(feed)).toEqual(showItems(Object.values(fourth).flat()))
})

test('a partition that vanished and came back is loaded; what no date names always is', async () => {
  const { feed, cloud } = start()
  const odd = { ...first, __HIVE_DEFAULT_PARTITION__: [item(null, 1)] }
  await refresh(cloud, feed, 1, odd)
  const rest = Object.fromEntries(Object.entries(odd).filter(([day]) => day !== d1))
  expect((await refresh(cloud, feed, 2, rest)).loaded).toEqual(['day=__HIVE_DEFAULT_PARTITION__'])
  const back = await refresh(cloud, feed, 3, { ...rest, [d2]: [item(d2, 1, 'c')] })
  expect(back.loaded).toEqual([`day=${d2}`, 'day=__HIVE_DEFAULT_PARTITION__'])
  expect((await refresh(cloud, feed, 4, odd)).loaded).toContain(`day=${d1}`)
})

test('a row of a partition that was not loaded holds the run', async () => {
  const { feed, cloud } = start()
  await refresh(cloud, feed, 1, first)
  const stray = { ...first, [d2]: [item(d2, 1), item(d1, 9)] }
  const second = await refresh(cloud, feed, 2, stray)
  expect(second.message).toMatchObject({
    status: 'held',
    reason: expect.stringContaining('rows of 2026-01-01 lie in objects whose path names another partition'),
  })
  expect(await shop.readRows(feed)).toEqual(showItems(Object.values(first).flat()))
})

test('lost fingerprints lose no row', async () => {
  const { feed, cloud } = start()
  await refresh(cloud, feed, 1, first)
  const { datasetId, tableId } = fingerprintsOf(feed, realNames)
  await shop.bigquery.query(`DROP TABLE ${datasetId}.${tableId}`)
  const second = await refresh(cloud, feed, 2, changed)
  expect(second).toMatchObject({
    loaded: [`day=${d2}`],
    message: { status: 'refreshed', rows: { loaded: 4 } },
  })
  expect(await shop.readRows(feed)).toEqual(showItems(Object.values(changed).flat()))
})

const day = fc.constantFrom(d1, d2, d3)
/** What becomes of a day's file; the others stay. */
const step = fc.record({
  day,
  rows: fc.array(fc.record({ id: fc.integer({ min: 1, max: 3 }), v: fc.constantFrom('a', 'b') }), {
    maxLength: 3,
  }),
})
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const numRuns = Number(process.env.RUNS ?? 4)

test(`${numRuns} random histories: the same rows as when all is loaded, seed ${seed}`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async steps => {
      const { feed, cloud } = start()
      const whole = feedOf(shop.nextName(), 'rewrite', '**/*.ndjson')
      const other = shop.openCloud(whole)
      let files: Record<string, readonly Item[]> = { ...first }
      for (const [at, { day: changing, rows }] of steps.entries()) {
        if (at > 0) files = { ...files, [changing]: rows.map(({ id, v }) => item(changing, id, v)) }
        await refresh(cloud, feed, at + 1, files)
        await refresh(other, whole, at + 1, files)
      }
      expect(await shop.readRows(feed)).toEqual(await shop.readRows(whole))
    }),
    { numRuns, seed, verbose: 1, endOnFailure: true },
  )
})
