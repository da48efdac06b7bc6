/** Strategy changed-partitions against rewrite, through the embedded BigQuery: another way to the same table. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeRollback } from '../../functions/operations/rollback.ts'
import { LEASE_MS } from '../../functions/state/lease.ts'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import type { Gate } from '../support/fake-objects.ts'
import { readFeedText } from '../support/plan-case.ts'
import { createDatasets, makeRealWarehouse, realNames } from '../support/real-warehouse.ts'

interface Settings {
  readonly name: string
  readonly strategy: 'rewrite' | 'changed-partitions'
  readonly missing: 'keep' | 'delete'
  readonly sequence: 'column' | 'snapshot'
  readonly partition?: string
  readonly type?: 'DATE' | 'TIMESTAMP' | 'DATETIME'
}
interface Item {
  readonly day: string | null
  readonly id: number
  readonly seq: number
  readonly v: string
}

let bigquery: OpenBigQuery
let serial = 0
beforeAll(async () => {
  bigquery = await openBigQuery()
  await createDatasets(bigquery, 'shop')
})
afterAll(() => bigquery?.close())

const nextName = () => `items-${++serial}`
function feedOf({ name, strategy, missing, sequence, partition = 'day', type = 'DATE' }: Settings): Feed {
  return readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/*.ndjson
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: { day: ${type}, id: INT64, ${sequence === 'column' ? 'seq: INT64, ' : ''}v: STRING }
  partition: { by: day, every: ${partition} }
model:
  kind: unique
  key: [day, id]
  sequence: ${sequence === 'column' ? 'seq' : '{ from: snapshot, as: seq }'}
  missing_rows: ${missing}
refresh: { strategy: ${strategy} }
gates: { zero_rows: allow, min_rows_vs_last: 0%, duplicate_keys: newest, null_keys: allow, null_partitions: allow, outside_window: allow, emptied_columns: allow, max_deleted: 100% }
`)
}

const openCloud = (feed: Feed, gate?: Gate) =>
  makeFakeCloud([feed], gate, objects => makeRealWarehouse(bigquery, objects), realNames)
type Cloud = ReturnType<typeof openCloud>

const encode = (items: readonly Item[], withSequence: boolean) =>
  items.map(({ seq, ...item }) => `${JSON.stringify(withSequence ? { ...item, seq } : item)}\n`).join('')

async function send(cloud: Cloud, feed: Feed, id: number, items: readonly Item[]): Promise<void> {
  await cloud.send(`${feed.name}/${id}/a.ndjson`, encode(items, feed.model.sequence.from === 'column'))
  await cloud.send(`${feed.name}/${id}/_DONE`, '')
}
const readRows = async ({ table }: Feed, columns = 'CAST(day AS STRING), id, v') =>
  (
    await bigquery.query(`SELECT ${columns} FROM \`${table.datasetId}.${table.tableId}\``, {
      maxResults: 10_000,
    })
  )
    .map(cells => cells.join('|'))
    .sort()

const item = (day: string | null, id: number, v = 'a', seq = 1): Item => ({ day, id, seq, v })
const [d1, d2, d3, d4] = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']
const days = [d1, d2, d3, d4].map(day => [item(day, 1), item(day, 2)])
const base = days.flat()

describe.each(['column', 'snapshot'] as const)('sequence from %s', sequence => {
  const start = async (missing: 'keep' | 'delete' = 'keep') => {
    const feed = feedOf({ name: nextName(), strategy: 'changed-partitions', missing, sequence })
    const cloud = openCloud(feed)
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
    expect(await readRows(feed)).toEqual(third.map(({ day, id, v }) => `${day}|${id}|${v}`).sort())
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
      expect(await readRows(feed)).toHaveLength(left)
    }
  })

  test('most of it changed: it is rewritten, and says so', async () => {
    const { feed, cloud } = await start()
    const second = base.map(one => (one.day === d4 ? one : { ...one, v: 'b', seq: 2 }))
    await send(cloud, feed, 2, second)
    await cloud.execute(feed.name, 'two')
    expect(cloud.messages[1]).toMatchObject({ strategy: 'rewrite', partitions: { total: 4, changed: 3 } })
    expect(await readRows(feed)).toEqual(second.map(({ day, id, v }) => `${day}|${id}|${v}`).sort())
    // The fingerprints are of this run now.
    await send(cloud, feed, 3, second)
    await cloud.execute(feed.name, 'three')
    expect(cloud.messages[2]?.status).toBe('unchanged')
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
    expect((await readRows(feed)).filter(row => row.includes('|7|'))).toEqual(['|7|b'])
  })
})

test('a switch to rewrite and back needs no rebuild, and late snapshots stay refused', async () => {
  const name = nextName()
  const settings = { name, missing: 'keep', sequence: 'snapshot' } as const
  const [compares, rewrites] = (['changed-partitions', 'rewrite'] as const).map(strategy =>
    feedOf({ ...settings, strategy }),
  )
  if (!compares || !rewrites) throw new Error('two feeds')
  const cloud = openCloud(rewrites)
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
  expect(await readRows(compares)).toEqual(
    changed('c')
      .map(({ day, id, v }) => `${day}|${id}|${v}`)
      .sort(),
  )
})

test('after a rollback nothing counts as equal', async () => {
  const feed = feedOf({
    name: nextName(),
    strategy: 'changed-partitions',
    missing: 'keep',
    sequence: 'snapshot',
  })
  const cloud = openCloud(feed)
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
  // What was unchanged published nothing: before the last refresh is the first.
  expect(await makeRollback(cloud.deps)(feed.name)).toMatchObject({ newest: '1' })
  await cloud.execute(feed.name, 'back')
  expect((await readRows(feed))[0]).toBe(`${d1}|1|a`)
  await send(cloud, feed, 4, second)
  await cloud.execute(feed.name, 'again')
  expect(cloud.messages.at(-1)).toMatchObject({
    status: 'refreshed',
    strategy: 'rewrite',
    partitions: { changed: 4 },
  })
  expect((await readRows(feed))[0]).toBe(`${d1}|1|b`)
})

test('what somebody else wrote into staging is put back, and nothing counts as equal afterwards', async () => {
  const feed = feedOf({
    name: nextName(),
    strategy: 'changed-partitions',
    missing: 'keep',
    sequence: 'column',
  })
  const cloud = openCloud(feed)
  await send(cloud, feed, 1, base)
  await cloud.execute(feed.name, 'one')
  await send(cloud, feed, 2, [...base, item(d1, 3)])
  const turn = await cloud.handlers.plan({ feed: feed.name, holder: 'two' })
  if (turn.kind !== 'run') throw new Error('there is work')
  await bigquery.query(
    `DELETE FROM staging.${feed.name.replaceAll('-', '_')} WHERE day IN (DATE '${d2}', DATE '${d3}')`,
  )
  await cloud.execute(feed.name, 'two')
  expect(cloud.messages.at(-1)).toMatchObject({ status: 'held', reason: expect.stringContaining('put back') })
  expect(await readRows(feed)).toHaveLength(8)
  await send(cloud, feed, 3, [...base, item(d1, 3)])
  await cloud.execute(feed.name, 'three')
  expect(cloud.messages.at(-1)).toMatchObject({ status: 'refreshed', strategy: 'rewrite' })
  expect(await readRows(feed)).toHaveLength(9)
})

class Crash extends Error {}

/** Crashes before the writes whose numbers it is given. */
function makeCrashes(at: ReadonlySet<number>): Gate {
  let count = 0
  return async operation => {
    if (operation !== 'write' && operation !== 'remove') return
    count += 1
    if (at.has(count)) throw new Crash()
  }
}

async function untilItWorks(work: () => Promise<unknown>, between: () => void = () => {}): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      between()
    }
  }
}

/** Lets holder after holder work until nothing is left. */
async function work(cloud: Cloud, feed: Feed): Promise<void> {
  let holders = 0
  await untilItWorks(
    () => cloud.execute(feed.name, `holder ${holders}`),
    () => {
      holders += 1
      cloud.clock.now += LEASE_MS
    },
  )
}

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
  const cloud = openCloud(feed, makeCrashes(new Set(crashAt)))
  for (const { id, items, waits } of deliveries) {
    const files = [
      [`${feed.name}/${id}/a.ndjson`, encode(items, sequence === 'column')],
      [`${feed.name}/${id}/_DONE`, ''],
    ] as const
    for (const [name, content] of files) {
      const { generation } = cloud.objects.put('inbox', name, content)
      await untilItWorks(() => cloud.handlers.onObject({ bucket: 'inbox', name, generation }))
    }
    if (!waits) await work(cloud, feed)
  }
  await work(cloud, feed)
  return { rows: await readRows(feed), messages: cloud.messages }
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
  timeout: 600_000,
}, async () => {
  const strategies = new Set<string>()
  await fc.assert(
    fc.asyncProperty(history, async given => {
      const [ours, other] = (['changed-partitions', 'rewrite'] as const).map(strategy =>
        feedOf({ ...given, name: nextName(), strategy }),
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
