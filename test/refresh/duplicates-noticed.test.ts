/** Keys are not counted where they are known to be those of before: a key in two rows is noticed all the same. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  base,
  type DayShop,
  d1,
  d2,
  feedOf,
  type Item,
  item,
  openDayShop,
  send,
} from '../support/day-shop.ts'

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

const keyOf = ({ day, id }: Item) => `${day}|${id}`

/** What the gate should say: how many keys are in more than one row. */
function countDuplicates(items: readonly Item[]): number {
  const copies = new Map<string, number>()
  for (const one of items) copies.set(keyOf(one), (copies.get(keyOf(one)) ?? 0) + 1)
  return [...copies.values()].filter(count => count > 1).length
}

/** Values change, and now and then one row's key becomes that of another: the number of rows stays the same. */
const change = fc.record({
  values: fc.array(fc.nat(base.length - 1), { maxLength: 3 }),
  stolen: fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(base.length - 1)), { maxLength: 2 }),
  copied: fc.array(fc.nat(base.length - 1), { maxLength: 1 }),
})

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const numRuns = Number(process.env.RUNS ?? 6)

test(`${numRuns} random snapshots: the gate's figure is exact, seed ${seed}`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async changes => {
      const name = shop.nextName()
      const settings = { strategy: 'changed-partitions', missing: 'keep', sequence: 'snapshot' } as const
      const feed = feedOf({ ...settings, name, duplicates: 'hold' })
      const cloud = shop.openCloud(feed)
      await send(cloud, feed, 1, base)
      await cloud.execute(feed.name, 'one')
      for (const [at, { values, stolen, copied }] of changes.entries()) {
        const items = base.map((one, index) => (values.includes(index) ? { ...one, v: `v${at}` } : one))
        for (const [thief, owner] of stolen) {
          const { day, id } = items[owner] ?? item(d1, 1)
          items[thief] = { ...(items[thief] ?? item(d1, 1)), day, id }
        }
        for (const index of copied) items.push(items[index] ?? item(d1, 1))
        await send(cloud, feed, at + 2, items)
        await cloud.execute(feed.name, `holder ${at}`)
        const duplicates = countDuplicates(items)
        const { status, reason } = cloud.messages.at(-1) ?? {}
        if (duplicates === 0) expect(status).toMatch(/refreshed|unchanged/)
        else
          expect([status, reason]).toEqual([
            'held',
            expect.stringMatching(new RegExp(`^${duplicates} keys? in `)),
          ])
        if (duplicates > 0) return
      }
    }),
    { numRuns, seed, verbose: 1, endOnFailure: true },
  )
})

test('what landed replaces a partition with the same keys; rows that the snapshot lacks are looked for in others', async () => {
  const feed = feedOf({
    name: shop.nextName(),
    strategy: 'changed-partitions',
    missing: 'keep',
    sequence: 'snapshot',
  })
  const cloud = shop.openCloud(feed)
  const countKept = async () =>
    Number(
      (
        await shop.bigquery.query(
          `SELECT COUNT(*) FROM INFORMATION_SCHEMA.JOBS WHERE query LIKE '%${feed.table.tableId}%AS _newer_%' AND job_id LIKE '%deduplicate%'`,
        )
      )[0]?.[0],
    )
  await send(cloud, feed, 1, base)
  await cloud.execute(feed.name, 'one')
  // Row 2 of d2 is missing: kept, and from then on staging has more rows of d2 than the snapshots.
  const second = base.filter(({ day, id }) => day !== d2 || id !== 2)
  await send(cloud, feed, 2, second)
  await cloud.execute(feed.name, 'two')
  const third = second.map(one => (one.day === d2 ? { ...one, v: 'c' } : one))
  const before = await countKept()
  await send(cloud, feed, 3, third)
  await cloud.execute(feed.name, 'three')
  const fourth = third.map(one => (one.day === d1 ? { ...one, v: 'd' } : one))
  const between = await countKept()
  await send(cloud, feed, 4, fourth)
  await cloud.execute(feed.name, 'four')
  expect(between - before).toBe(1)
  // Nothing of d1 has to be kept.
  expect(await countKept()).toBe(between)
  expect(await shop.readRows(feed)).toEqual(
    [...fourth.map(({ day, id, v }) => `${day}|${id}|${v}`), `${d2}|2|a`].toSorted(),
  )
})
