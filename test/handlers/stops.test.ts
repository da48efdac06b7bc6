/** What stops a run whatever its rows say: places, other people's tables and views, a staging that others wrote. */
import { describe, expect, test } from 'vitest'
import { findDependents } from '../../functions/plan/dependents.ts'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import { readFeedText } from '../support/plan-case.ts'
import { encodeRows, row, smallFeed, TARGET } from '../support/small-feed.ts'

async function open(feed = smallFeed({})) {
  const cloud = makeFakeCloud([feed])
  const send = async (id: number, rows = [row(1), row(2)]) => {
    await cloud.send(`items/${id}/a.ndjson`, encodeRows(rows))
    await cloud.send(`items/${id}/_DONE`, '')
  }
  return { cloud, send }
}

describe('before a plan is made', () => {
  test.each([
    ['in another region', 'US', 'The dataset shop of items is in US'],
    ['not there', undefined, 'The dataset shop of items is not there'],
  ])('a serving dataset that is %s', async (_, location, says) => {
    const { cloud, send } = await open()
    cloud.warehouse.readLocation = async () => location
    await send(1)
    await expect(cloud.handlers.plan({ feed: 'items', holder: 'one' })).rejects.toThrow(says)
    expect(cloud.warehouse.tables.size).toBe(0)
  })

  test("a target among Freshet's own tables", async () => {
    const feed = smallFeed({})
    const { cloud, send } = await open({ ...feed, table: { ...feed.table, datasetId: 'staging' } })
    await send(1)
    await expect(cloud.handlers.plan({ feed: 'items', holder: 'one' })).rejects.toThrow(
      'keeps for its own tables',
    )
  })

  test('a target that was there before keeps its rows', async () => {
    const { cloud, send } = await open()
    const rows = [row(7)]
    cloud.warehouse.tables.set(TARGET, { rows, columns: [], labels: { team: 'a' } })
    await send(1)
    await expect(cloud.handlers.plan({ feed: 'items', holder: 'one' })).rejects.toMatchObject({
      code: 'foreign-target',
    })
    expect(cloud.warehouse.rows(TARGET)).toEqual(rows)
  })
})

describe('before staging is touched', () => {
  test('a materialized view of the target: held, with its name', async () => {
    const { cloud, send } = await open()
    cloud.warehouse.readMaterializedViews = async () => [
      { name: 'shop.daily', query: 'SELECT v, COUNT(*) FROM `p.shop.items` GROUP BY v' },
    ]
    await send(1)
    await cloud.execute('items', 'one')
    // The first publish finds no target, and breaks none.
    expect(cloud.messages.at(-1)).toMatchObject({ status: 'refreshed' })
    await send(2, [row(3)])
    await cloud.execute('items', 'two')
    expect(cloud.messages.at(-1)).toMatchObject({
      status: 'held',
      reason: expect.stringContaining('would break the materialized view shop.daily'),
    })
    expect(cloud.warehouse.rows('p.staging.items')).toEqual([row(1), row(2)])
  })

  test.each([
    ['rows that went', [row(1)], 'staging has 1 row, and the last refresh left 2 rows there'],
    ['rows that came', [row(1), row(2), row(9)], 'staging has 3 rows'],
  ])('%s by another hand: held, and let pass by whoever approves', async (_, rows, says) => {
    const { cloud, send } = await open()
    await send(1)
    await cloud.execute('items', 'one')
    cloud.warehouse.replace('p.staging.items', rows)
    await send(2, [row(3)])
    await cloud.execute('items', 'two')
    expect(cloud.messages.at(-1)).toMatchObject({ status: 'held', reason: expect.stringContaining(says) })
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1), row(2)])
  })

  test('more partitions than a job writes: rejected, with the remedy', async () => {
    const feed = readFeedText(`name: items
source: { path: "items/{snapshot}/*.ndjson", complete: { marker: "items/{snapshot}/_DONE" }, format: ndjson }
table:
  name: shop.items
  columns: { id: INT64, seq: INT64, v: STRING, day: DATE }
  partition: { by: day, every: day }
model: { kind: unique, key: [id], sequence: seq }
`)
    const { cloud } = await open(feed)
    const { readTable, runQuery } = cloud.warehouse
    cloud.warehouse.readTable = async table => {
      const facts = await readTable(table)
      const layout = { kind: 'TABLE', partition: { by: 'day', every: 'day' }, cluster: [] }
      return facts && { ...facts, layout, partitions: 2_500 }
    }
    cloud.warehouse.runQuery = async job =>
      String(job.configuration.query?.query).includes('partition_id')
        ? [{ partitions: '4001' }]
        : runQuery(job)
    cloud.warehouse.tables.set('p.staging.items', {
      rows: [],
      columns: feed.table.columns.map(({ name, type }) => ({ name, type })),
      labels: {},
    })
    await cloud.send('items/1/a.ndjson', '{"id":1,"seq":1,"v":"a","day":"2026-01-01"}\n')
    await cloud.send('items/1/_DONE', '')
    await cloud.execute('items', 'one')
    expect(cloud.messages.at(-1)).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('4001 partitions by day, and a job of BigQuery writes at most 4000'),
    })
  })
})

test.each([
  ['SELECT * FROM `p.shop.items`', true],
  ['SELECT * FROM p.shop.items AS i', true],
  ['SELECT * FROM `p`.`shop`.`items`', true],
  ['SELECT * FROM shop.items', true],
  ['SELECT * FROM shop.items_old', false],
  ['SELECT * FROM workshop.items', false],
  ['SELECT items FROM shop.other', false],
])('%s', (query, is) => {
  const table = { projectId: 'p', datasetId: 'shop', tableId: 'items' }
  expect(findDependents(table, [{ name: 'shop.v', query }])).toEqual(is ? ['shop.v'] : [])
})
