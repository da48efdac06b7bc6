/** A crash anywhere: the next event, the next holder, and the job is done as if nothing had happened. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEASE_MS } from '../../functions/state/lease.ts'
import { type FakeCloud, makeFakeCloud } from '../support/fake-cloud.ts'
import { newestRows, type Row } from '../support/fake-warehouse.ts'
import { encodeRows, smallFeed, TARGET } from '../support/small-feed.ts'

class Crash extends Error {}
/** The sweep goes on with the other feeds first. */
const isCrash = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof AggregateError && error.errors.every(isCrash))

interface Delivery {
  readonly id: number
  readonly rows: readonly Row[]
}

/** Crashes before the writes whose numbers it is given; `count` are the writes so far. */
function makeCrashes(at: readonly number[]) {
  const crashes = { count: 0, at: new Set(at) }
  const gate = async (operation: string) => {
    if (operation !== 'write' && operation !== 'remove') return
    crashes.count += 1
    if (crashes.at.has(crashes.count)) throw new Crash()
  }
  return { crashes, gate }
}

async function untilItWorks<T>(work: () => Promise<T>, between: () => void = () => {}): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isCrash(error)) throw error
      between()
    }
  }
}

/** Sends everything, some in between runs, and lets holder after holder work until nothing is left. */
async function live(cloud: FakeCloud, deliveries: readonly Delivery[]): Promise<void> {
  let holders = 0
  const work = () =>
    untilItWorks(
      () => cloud.execute('items', `holder ${holders}`),
      () => {
        holders += 1
        cloud.clock.now += LEASE_MS
      },
    )
  for (const [at, { id, rows }] of deliveries.entries()) {
    for (const [name, content] of [
      [`items/${id}/a.ndjson`, encodeRows(rows)],
      [`items/${id}/_DONE`, ''],
    ] as const) {
      const { generation } = cloud.objects.put('inbox', name, content)
      await untilItWorks(() => cloud.handlers.onObject({ bucket: 'inbox', name, generation }))
    }
    if (at % 2 === 1) await work()
  }
  await work()
  expect(await untilItWorks(() => cloud.handlers.sweep())).toEqual({ woken: [] })
}

function check(cloud: FakeCloud, deliveries: readonly Delivery[], missing: 'keep' | 'delete'): void {
  const newest = deliveries.reduce((a, b) => (a.id > b.id ? a : b))
  // Two wait for each run, which takes them in the order of their ids.
  const kept = deliveries
    .flatMap((_, at) => (at % 2 === 0 ? [deliveries.slice(at, at + 2)] : []))
    .flatMap(pair => pair.toSorted((a, b) => a.id - b.id))
    .reduce<Row[]>((rows, delivery) => newestRows(rows, delivery.rows), [])
  const expected = missing === 'keep' ? kept : newestRows(newest.rows)
  const byId = (rows: readonly Row[] | undefined) => rows?.toSorted((a, b) => (a.id ?? -1) - (b.id ?? -1))
  expect(byId(cloud.warehouse.rows(TARGET))).toEqual(expected)
  expect(cloud.objects.names('state').filter(name => name.includes('/pending/'))).toEqual([])
  const lease = JSON.parse(cloud.objects.text('state', 'items/lease.json') ?? '{}')
  expect([lease.holder, lease.run]).toEqual([undefined, undefined])
  const landing = [...cloud.warehouse.tables.keys()].filter(name => name.startsWith('p.landing.'))
  expect(landing).toEqual([])

  // Every copy of a message says the same, and the runs add up to the table.
  const runs = Map.groupBy(
    cloud.messages.filter(({ status }) => status === 'refreshed'),
    ({ run }) => run,
  )
  const receipts = [...runs.values()].map(([first, ...copies]) => {
    for (const copy of copies) expect(copy).toEqual(first)
    return first
  })
  const grown = receipts.reduce(
    (sum, message) => sum + (message?.rows.inserted ?? 0) - (message?.rows.deleted ?? 0),
    0,
  )
  expect(grown).toBe(cloud.warehouse.rows(TARGET)?.length)
  const told = cloud.messages.flatMap(({ snapshots }) => snapshots)
  if (missing === 'keep') expect(new Set(told)).toEqual(new Set(deliveries.map(({ id }) => String(id))))
  expect(told).toContain(String(newest.id))
}

async function tell(crashAt: readonly number[], deliveries: readonly Delivery[], missing: 'keep' | 'delete') {
  const { crashes, gate } = makeCrashes(crashAt)
  const cloud = makeFakeCloud([smallFeed({ missing })], gate)
  await live(cloud, deliveries)
  check(cloud, deliveries, missing)
  return crashes.count
}

const STORY: readonly Delivery[] = [
  {
    id: 1,
    rows: [
      { id: 1, seq: 1, v: 'a' },
      { id: 2, seq: 1, v: 'a' },
    ],
  },
  {
    id: 2,
    rows: [
      { id: 1, seq: 2, v: 'b' },
      { id: 3, seq: 1, v: 'a' },
    ],
  },
  { id: 3, rows: [{ id: 4, seq: 1, v: 'a' }] },
]

test.each(['keep', 'delete'] as const)('before each write there is (%s)', async missing => {
  const writes = await tell([], STORY, missing)
  expect(writes).toBeGreaterThan(40)
  for (let at = 1; at <= writes; at += 1) await tell([at], STORY, missing)
})

test('whatever is sent, wherever it crashes, however often', async () => {
  const row = fc.record({
    id: fc.integer({ min: 1, max: 6 }),
    seq: fc.integer({ min: 1, max: 4 }),
    v: fc.constantFrom('a', 'b', 'é'),
  })
  const deliveries = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 1, max: 12 }), rows: fc.array(row, { maxLength: 6 }) }),
    { minLength: 1, maxLength: 4, selector: ({ id }) => id },
  )
  const crashAt = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(crashAt, deliveries, fc.constantFrom('keep', 'delete'), async (at, sent, missing) => {
      // Under delete an older one that comes after a newer was applied is refused: trouble.test.ts has that.
      const inOrder = missing === 'delete' ? sent.toSorted((a, b) => a.id - b.id) : sent
      await tell(at, inOrder, missing)
    }),
    { numRuns: 150 },
  )
})
