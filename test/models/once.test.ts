/** Random deliveries, with crashes: rows that would count twice are counted once, whole partitions are the newest. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeCrashes, untilItWorks, workOff } from '../support/crashes.ts'
import { type DayShop, openDayShop } from '../support/day-shop.ts'
import { readFeedText } from '../support/plan-case.ts'

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

interface Item {
  readonly day: string | null
  readonly v: number
}
interface Delivery {
  readonly id: number
  readonly items: readonly Item[]
  /** Another one comes before anybody works. */
  readonly waits: boolean
}

const feedOf = (name: string, model: string): Feed =>
  readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/*.ndjson
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: { day: DATE, v: INT64 }
  partition: { by: day, every: month }
model: ${model}
gates: { zero_rows: allow, null_partitions: allow, outside_window: allow, emptied_columns: allow, duplicate_keys: newest, null_keys: allow }
`)

async function deliver(feed: Feed, deliveries: readonly Delivery[], crashAt: readonly number[]) {
  const cloud = shop.openCloud(feed, makeCrashes(new Set(crashAt)))
  for (const { id, items, waits } of deliveries) {
    const content = items.map(item => `${JSON.stringify(item)}\n`).join('')
    for (const [name, text] of [
      ['a.ndjson', content],
      ['_DONE', ''],
    ] as const) {
      const path = `${feed.name}/${id}/${name}`
      const { generation } = cloud.objects.put('inbox', path, text)
      await untilItWorks(() => cloud.handlers.onObject({ bucket: 'inbox', name: path, generation }))
    }
    if (!waits) await workOff(cloud, feed.name)
  }
  await workOff(cloud, feed.name)
  return cloud
}

const days = ['2026-01-01', '2026-01-31', '2026-02-01', '2026-03-05', null]
const deliveries = fc.array(
  fc.record({
    id: fc.integer({ min: 1, max: 5 }),
    items: fc.array(fc.record({ day: fc.constantFrom(...days), v: fc.integer({ min: 1, max: 3 }) }), {
      maxLength: 4,
    }),
    waits: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)
const crashes = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 4 })

/** SEED=… replays a run. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const numRuns = Number(process.env.RUNS ?? 2)
const options = { numRuns, seed, endOnFailure: true }
const show = (items: readonly Item[]) => items.map(({ day, v }) => `${day}|${v}`).sort()
const read = async (feed: Feed) =>
  (await shop.readRows(feed, "IFNULL(CAST(day AS STRING), 'null'), v")).toSorted()

test(`duplicate: each snapshot once, seed ${seed}`, { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, crashes, async (given, crashAt) => {
      const feed = feedOf(shop.nextName(), '{ kind: duplicate }')
      const cloud = await deliver(feed, given, crashAt)
      // Of deliveries of one snapshot the last that waits is taken, and once one is taken no other.
      const applied = new Map<number, readonly Item[]>()
      let waiting = new Map<number, readonly Item[]>()
      for (const { id, items, waits } of [...given, { id: -1, items: [], waits: false }]) {
        if (id >= 0) waiting.set(id, items)
        if (waits) continue
        for (const [key, value] of waiting) if (!applied.has(key)) applied.set(key, value)
        waiting = new Map()
      }
      const table = cloud.messages.some(({ status }) => status === 'refreshed') ? await read(feed) : []
      expect(table).toEqual(show([...applied.values()].flat()))
    }),
    options,
  )
})

test.each([
  '{ kind: duplicate, sequence: { from: snapshot, as: batch }, replace_partitions: true }',
  '{ kind: unique, key: [day, v], sequence: { from: snapshot, as: batch }, replace_partitions: true }',
])(`%s: of each partition the newest snapshot, seed ${seed}`, { timeout: 600_000 }, async model => {
  const monthOf = ({ day }: Item) => day?.slice(0, 7) ?? ''
  await fc.assert(
    fc.asyncProperty(deliveries, crashes, async (given, crashAt) => {
      const feed = feedOf(shop.nextName(), model)
      const cloud = await deliver(feed, given, crashAt)
      const newest = new Map<string, Delivery>()
      let waiting = new Map<number, Delivery>()
      for (const delivery of [...given, { id: -1, items: [], waits: false }]) {
        if (delivery.id >= 0) waiting.set(delivery.id, delivery)
        if (delivery.waits) continue
        for (const one of [...waiting.values()].toSorted((a, b) => a.id - b.id))
          for (const month of new Set(one.items.map(monthOf)))
            if ((newest.get(month)?.id ?? -1) <= one.id) newest.set(month, one)
        waiting = new Map()
      }
      const rows = [...newest].flatMap(([month, { items }]) => items.filter(item => monthOf(item) === month))
      const expected = feed.model.kind === 'unique' ? [...new Set(show(rows))] : show(rows)
      const table = cloud.messages.some(({ status }) => status === 'refreshed') ? await read(feed) : []
      expect(table).toEqual(expected)
    }),
    options,
  )
})
