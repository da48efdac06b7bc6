/** When fingerprints hold no more: a switch of strategy, a rollback, a staging table that was put back. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeRollback } from '../../functions/operations/rollback.ts'
import {
  base,
  type DayShop,
  d1,
  d2,
  d3,
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

test('a switch to rewrite and back needs no rebuild, and late snapshots stay refused', async () => {
  const name = shop.nextName()
  const settings = { name, missing: 'keep', sequence: 'snapshot' } as const
  const [compares, rewrites] = (['changed-partitions', 'rewrite'] as const).map(strategy =>
    feedOf({ ...settings, strategy }),
  )
  if (!compares || !rewrites) throw new Error('two feeds')
  const cloud = shop.openCloud(rewrites)
  const deliver = async (feed: Feed, id: number, items: readonly Item[]) => {
    cloud.redefine(feed)
    await send(cloud, feed, id, items)
    await cloud.execute(feed.name, `holder ${id}`)
    return cloud.messages.at(-1)
  }
  const changed = (v: string) => [...base.slice(1), item(d1, 1, v)]
  expect(await deliver(rewrites, 1, base)).toMatchObject({ strategy: 'rewrite', status: 'refreshed' })
  // Nobody has fingerprinted what rewrite wrote.
  expect(await deliver(compares, 3, base)).toMatchObject({ strategy: 'rewrite', partitions: { changed: 4 } })
  expect(await deliver(compares, 4, changed('b'))).toMatchObject({
    strategy: 'changed-partitions',
    partitions: { changed: 1 },
  })
  expect(await deliver(rewrites, 5, changed('c'))).toMatchObject({ strategy: 'rewrite' })
  expect(await deliver(compares, 6, changed('c'))).toMatchObject({
    strategy: 'rewrite',
    partitions: { changed: 4 },
  })
  expect(await deliver(compares, 7, changed('c'))).toMatchObject({ status: 'unchanged' })
  for (const feed of [compares, rewrites])
    expect(await deliver(feed, 2, [item(d1, 9)])).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^Snapshot 2 of .* is older than 7, .*Send a newer snapshot/),
    })
  expect(await shop.readRows(compares)).toEqual(
    changed('c')
      .map(({ day, id, v }) => `${day}|${id}|${v}`)
      .sort(),
  )
})

test('after a rollback nothing counts as equal', async () => {
  const feed = feedOf({
    name: shop.nextName(),
    strategy: 'changed-partitions',
    missing: 'keep',
    sequence: 'snapshot',
  })
  const cloud = shop.openCloud(feed)
  const second = [...base.slice(1), item(d1, 1, 'b')]
  for (const [id, items] of [
    [1, base],
    [2, second],
    [3, second],
  ] as const) {
    await send(cloud, feed, id, items)
    await cloud.execute(feed.name, `holder ${id}`)
  }
  expect(cloud.messages.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'unchanged'])
  const goBack = makeRollback(cloud.deps)
  // What was unchanged published nothing.
  await expect(goBack(feed.name, '3')).rejects.toThrow('no rollback point of snapshot 3')
  expect(await goBack(feed.name, '1')).toMatchObject({ newest: '1' })
  await cloud.execute(feed.name, 'back')
  expect((await shop.readRows(feed))[0]).toBe(`${d1}|1|a`)
  await send(cloud, feed, 4, second)
  await cloud.execute(feed.name, 'again')
  expect(cloud.messages.at(-1)).toMatchObject({
    status: 'refreshed',
    strategy: 'rewrite',
    partitions: { changed: 4 },
  })
  expect((await shop.readRows(feed))[0]).toBe(`${d1}|1|b`)
})

test('what somebody else wrote into staging is put back, and nothing counts as equal afterwards', async () => {
  const feed = feedOf({
    name: shop.nextName(),
    strategy: 'changed-partitions',
    missing: 'keep',
    sequence: 'column',
  })
  const cloud = shop.openCloud(feed)
  await send(cloud, feed, 1, base)
  await cloud.execute(feed.name, 'one')
  await send(cloud, feed, 2, [...base, item(d1, 3)])
  const turn = await cloud.handlers.plan({ feed: feed.name, holder: 'two' })
  if (turn.kind !== 'run') throw new Error('there is work')
  await shop.bigquery.query(
    `DELETE FROM staging.${feed.name.replaceAll('-', '_')} WHERE day IN (DATE '${d2}', DATE '${d3}')`,
  )
  await cloud.execute(feed.name, 'two')
  expect(cloud.messages.at(-1)).toMatchObject({ status: 'held', reason: expect.stringContaining('put back') })
  expect(await shop.readRows(feed)).toHaveLength(8)
  await send(cloud, feed, 3, [...base, item(d1, 3)])
  await cloud.execute(feed.name, 'three')
  expect(cloud.messages.at(-1)).toMatchObject({ status: 'refreshed', strategy: 'rewrite' })
  expect(await shop.readRows(feed)).toHaveLength(9)
})
