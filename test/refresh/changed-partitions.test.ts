/** What strategy changed-partitions writes, and what it leaves alone, through the embedded BigQuery. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  base,
  type DayShop,
  d1,
  d2,
  d4,
  feedOf,
  item,
  openDayShop,
  send,
  showItems,
} from '../support/day-shop.ts'

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

describe.each(['column', 'snapshot'] as const)('sequence from %s', sequence => {
  const start = async (missing: 'keep' | 'delete' = 'keep') => {
    const feed = feedOf({ name: shop.nextName(), strategy: 'changed-partitions', missing, sequence })
    const cloud = shop.openCloud(feed)
    await send(cloud, feed, 1, base)
    expect(await cloud.execute(feed.name, 'one')).toBe('idle')
    return { feed, cloud }
  }

  test('the first is written as a whole, the same again changes nothing, a change only its partition', async () => {
    const { feed, cloud } = await start()
    expect(cloud.messages[0]).toMatchObject({
      status: 'refreshed',
      strategy: 'rewrite',
      partitions: { total: 4, changed: 4 },
    })
    await send(cloud, feed, 2, base.toReversed())
    await cloud.execute(feed.name, 'two')
    expect(cloud.messages[1]).toMatchObject({
      status: 'unchanged',
      partitions: { total: 4, changed: 0 },
      rows: { before: 8, loaded: 8, inserted: 0, updated: 0, kept: 8, after: 8 },
      rollbackPoint: '',
    })
    const third = [...base.slice(1), item(d1, 1, 'b', 2), item(d1, 3)]
    await send(cloud, feed, 3, third)
    await cloud.execute(feed.name, 'three')
    expect(cloud.messages[2]).toMatchObject({
      status: 'refreshed',
      strategy: 'changed-partitions',
      partitions: { total: 4, changed: 1 },
      rows: { before: 8, loaded: 9, inserted: 1, updated: 2, kept: 6, after: 9 },
    })
    expect(await shop.readRows(feed)).toEqual(showItems(third))
  })

  test('a partition that vanished stays under keep and goes under delete', async () => {
    for (const [missing, left] of [
      ['keep', 8],
      ['delete', 6],
    ] as const) {
      const { feed, cloud } = await start(missing)
      await send(
        cloud,
        feed,
        2,
        base.filter(({ day }) => day !== d2),
      )
      await cloud.execute(feed.name, 'two')
      expect(cloud.messages[1]).toMatchObject(
        missing === 'keep'
          ? { status: 'unchanged', partitions: { changed: 0 } }
          : { status: 'refreshed', strategy: 'changed-partitions', partitions: { total: 4, changed: 1 } },
      )
      expect(await shop.readRows(feed)).toHaveLength(left)
    }
  })

  test('most of it changed: it is rewritten, and says so', async () => {
    const { feed, cloud } = await start()
    const second = base.map(one => (one.day === d4 ? one : { ...one, v: 'b', seq: 2 }))
    await send(cloud, feed, 2, second)
    await cloud.execute(feed.name, 'two')
    expect(cloud.messages[1]).toMatchObject({ strategy: 'rewrite', partitions: { total: 4, changed: 3 } })
    expect(await shop.readRows(feed)).toEqual(showItems(second))
    // The fingerprints are of this run now.
    await send(cloud, feed, 3, second)
    await cloud.execute(feed.name, 'three')
    expect(cloud.messages[2]?.status).toBe('unchanged')
  })

  // How many keys they have is not counted again: that staging has fewer rows than they is no fault of it.
  test('duplicates that were let pass stay, and most else changes', async () => {
    const { feed, cloud } = await start('delete')
    const twice = [...base, item(d1, 1)]
    await send(cloud, feed, 2, twice)
    await cloud.execute(feed.name, 'two')
    const third = twice.map(one => (one.day === d1 ? one : { ...one, v: 'b', seq: 2 }))
    await send(cloud, feed, 3, third)
    await cloud.execute(feed.name, 'three')
    expect(cloud.messages[2]).toMatchObject({ status: 'refreshed', strategy: 'rewrite', reason: '' })
    expect(await shop.readRows(feed)).toEqual(showItems(third.slice(0, base.length)))
  })

  test('NULL is a partition like the others', async () => {
    const { feed, cloud } = await start()
    await send(cloud, feed, 2, [...base, item(null, 7)])
    await cloud.execute(feed.name, 'two')
    expect(cloud.messages[1]).toMatchObject({
      strategy: 'changed-partitions',
      partitions: { total: 5, changed: 1 },
    })
    await send(cloud, feed, 3, [...base, item(null, 7)])
    await cloud.execute(feed.name, 'three')
    expect(cloud.messages[2]?.status).toBe('unchanged')
    await send(cloud, feed, 4, [...base, item(null, 7, 'b', 2)])
    await cloud.execute(feed.name, 'four')
    expect((await shop.readRows(feed)).filter(row => row.includes('|7|'))).toEqual(['|7|b'])
  })
})
