/** Random histories, with crashes: strategy changed-partitions is another way to the same table as rewrite. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeCrashes, untilItWorks, workOff } from '../support/crashes.ts'
import {
  base,
  type DayShop,
  d1,
  d2,
  d3,
  d4,
  encode,
  feedOf,
  type Item,
  openDayShop,
  type Settings,
} from '../support/day-shop.ts'

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

interface Delivery {
  readonly id: number
  readonly items: readonly Item[]
  /** Another one comes before anybody works. */
  readonly waits: boolean
}
interface History extends Pick<Settings, 'missing' | 'sequence' | 'partition' | 'type'> {
  readonly deliveries: readonly Delivery[]
  /** Writes before which the one under test crashes. */
  readonly crashAt: readonly number[]
}

async function live(feed: Feed, { deliveries, sequence }: History, crashAt: readonly number[]) {
  const cloud = shop.openCloud(feed, makeCrashes(new Set(crashAt)))
  for (const { id, items, waits } of deliveries) {
    const files = [
      [`${feed.name}/${id}/a.ndjson`, encode(items, sequence === 'column')],
      [`${feed.name}/${id}/_DONE`, ''],
    ] as const
    for (const [name, content] of files) {
      const { generation } = cloud.objects.put('inbox', name, content)
      await untilItWorks(() => cloud.handlers.onObject({ bucket: 'inbox', name, generation }))
    }
    if (!waits) await workOff(cloud, feed.name)
  }
  await workOff(cloud, feed.name)
  return { rows: await shop.readRows(feed), messages: cloud.messages }
}

/** Some rows of the last snapshot change, go or come; more often than not whole days stay as they are. */
const change = fc.record({
  drop: fc.array(fc.nat(9), { maxLength: 2 }),
  put: fc.array(
    fc.record({
      day: fc.constantFrom(d1, d1, d2, d3, d4, null),
      id: fc.integer({ min: 1, max: 4 }),
      v: fc.constantFrom('a', 'b', 'é'),
      seq: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 4 },
  ),
  step: fc.constantFrom(0, 1, 1, 2, -1),
  waits: fc.boolean(),
})
const history: fc.Arbitrary<History> = fc
  .record({
    changes: fc.array(change, { minLength: 2, maxLength: 5 }),
    missing: fc.constantFrom('keep' as const, 'delete' as const),
    sequence: fc.constantFrom('column' as const, 'snapshot' as const),
    layout: fc.constantFrom(
      ['DATE', 'day'] as const,
      ['DATETIME', 'hour'] as const,
      ['TIMESTAMP', 'month'] as const,
    ),
    crashAt: fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 5 }),
  })
  .map(({ changes, layout: [type, partition], ...given }) => {
    let items: readonly Item[] = base
    let id = 10
    const deliveries = changes.map(({ drop, put, step, waits }) => {
      items = [...items.filter((_, at) => !drop.includes(at)), ...put]
      // Only where the data itself says what is newer may a snapshot come late.
      id += given.sequence === 'column' && given.missing === 'keep' ? step : Math.abs(step)
      return { id, items, waits }
    })
    return { ...given, type, partition, deliveries }
  })

/** SEED=… replays a run. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const numRuns = Number(process.env.RUNS ?? 5)

test(`${numRuns} random histories, with crashes: the same rows as under rewrite, seed ${seed}`, {
  timeout: 60_000 * (numRuns + 5),
}, async () => {
  const strategies = new Set<string>()
  await fc.assert(
    fc.asyncProperty(history, async given => {
      const [ours, other] = (['changed-partitions', 'rewrite'] as const).map(strategy =>
        feedOf({ ...given, name: shop.nextName(), strategy }),
      )
      if (!ours || !other) throw new Error('two feeds')
      const { rows, messages } = await live(ours, given, given.crashAt)
      for (const message of messages) strategies.add(`${message.status} by ${message.strategy}`)
      expect(rows).toEqual((await live(other, given, [])).rows)
    }),
    { numRuns, seed, verbose: 1, endOnFailure: true },
  )
  console.info([...strategies].toSorted().join(', '))
})
