/** Corrections: counted, made once, published, undone by a rollback; and what they refuse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCorrection } from '../../functions/feed/correction.ts'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeCorrect } from '../../functions/operations/correct.ts'
import { makeRollback } from '../../functions/operations/rollback.ts'
import { makeCrashes, untilItWorks, workOff } from '../support/crashes.ts'
import { type DayShop, openDayShop } from '../support/day-shop.ts'
import type { Gate } from '../support/fake-objects.ts'
import { readFeedText } from '../support/plan-case.ts'

const feedOf = (name: string, model = '{ kind: unique, key: [shop, item], sequence: seq }'): Feed =>
  readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/*.ndjson
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: { shop: INT64, item: STRING, seq: INT64, price: NUMERIC, since: DATE }
model: ${model}
gates: { min_rows_vs_last: 0%, emptied_columns: allow }
`)

let shop: DayShop
beforeAll(async () => {
  shop = await openDayShop()
})
afterAll(() => shop?.close())

const FIRST = [
  [1, 'tea', 1, '1.5', '2026-01-01'],
  [1, 'salt', 1, '0.3', null],
  [2, 'tea', 1, '1.7', '2026-02-01'],
] as const
const lines = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map(([s, item, seq, price, since]) => `${JSON.stringify({ shop: s, item, seq, price, since })}\n`)
    .join('')

async function open(gate?: Gate, model?: string) {
  const feed = feedOf(shop.nextName(), model)
  const cloud = shop.openCloud(feed, gate)
  const { count, ask } = makeCorrect(cloud.deps)
  const send = async (id: number, rows: readonly (readonly unknown[])[]) => {
    await cloud.send(`${feed.name}/${id}/a.ndjson`, lines(rows))
    await cloud.send(`${feed.name}/${id}/_DONE`, '')
    await workOff(cloud, feed.name)
  }
  const correct = async (text: string) => {
    cloud.clock.now += 60_000
    const counted = await count(feed.name, text)
    await ask(feed.name, counted)
    await workOff(cloud, feed.name)
    return counted
  }
  const rows = () => shop.readRows(feed, 'shop, item, CAST(price AS STRING), CAST(since AS STRING)')
  return { feed, cloud, send, correct, count, rows }
}

const RAISE =
  'why: a wrong list\nupdate: { set: { price: 9, since: null }, where: { item: tea, shop: { from: 2 } } }'

test('an update by condition: counted, published, told; a rollback takes it back, the next snapshot goes on', async () => {
  const { feed, cloud, send, correct, rows } = await open()
  await send(1, FIRST)
  const before = await rows()
  expect(await correct(RAISE)).toMatchObject({ rows: 1, tableRows: 3 })
  expect(await rows()).toEqual(['1|salt|0.3|', '1|tea|1.5|2026-01-01', '2|tea|9|'])
  expect(cloud.messages.at(-1)).toMatchObject({
    status: 'refreshed',
    strategy: 'correction',
    snapshots: ['1'],
    rows: { before: 3, updated: 1, kept: 2, deleted: 0, after: 3 },
  })
  await makeRollback(cloud.deps)(feed.name)
  await workOff(cloud, feed.name)
  expect(await rows()).toEqual(before)
  await send(2, [[2, 'tea', 2, '1.8', '2026-03-01']])
  expect(await rows()).toEqual(['1|salt|0.3|', '1|tea|1.5|2026-01-01', '2|tea|1.8|2026-03-01'])
})

test('a rollback behind a later snapshot keeps the correction', async () => {
  const { feed, cloud, send, correct, rows } = await open()
  await send(1, FIRST)
  await correct('why: x\ndelete: { where: { since: null } }')
  const corrected = await rows()
  expect(corrected).toHaveLength(2)
  await send(2, [[7, 'new', 1, '1', null]])
  await makeRollback(cloud.deps)(feed.name)
  await workOff(cloud, feed.name)
  expect(await rows()).toEqual(corrected)
})

test('values from another table, joined by the key', async () => {
  const { send, correct, rows } = await open()
  await send(1, FIRST)
  await shop.bigquery.query(
    "CREATE OR REPLACE TABLE shop.fixes AS SELECT 1 AS shop, 'tea' AS item, NUMERIC '5' AS price UNION ALL SELECT 8, 'none', 1",
  )
  const text = 'why: x\nupdate: { from: shop.fixes, set: [price] }'
  expect(await correct(text)).toMatchObject({ rows: 1 })
  expect(await rows()).toEqual(['1|salt|0.3|', '1|tea|5|2026-01-01', '2|tea|1.7|2026-02-01'])
  await shop.bigquery.query("INSERT INTO shop.fixes (shop, item, price) VALUES (1, 'tea', 6)")
  await expect(correct(text)).rejects.toThrow('1 keys stand in several rows')
})

test('rows that change between count and run: nothing is changed, and it is told', async () => {
  const { feed, cloud, send, count, rows } = await open()
  await send(1, FIRST)
  const counted = await count(feed.name, RAISE)
  await makeCorrect(cloud.deps).ask(feed.name, { ...counted, rows: 2 })
  await workOff(cloud, feed.name)
  expect(cloud.messages.at(-1)).toMatchObject({
    status: 'rejected',
    reason: expect.stringContaining('concerns 1 rows now, and 2 when they were counted'),
  })
  expect(await rows()).toContain('2|tea|1.7|2026-02-01')
})

test.each([2, 17, 19, 21, 24, 27, 30])(
  'crashes before write %i and the third after it: made once',
  async at => {
    const { feed, cloud, count, rows } = await open(makeCrashes(new Set([at, at + 3])), '{ kind: duplicate }')
    for (const [name, text] of [
      ['a.ndjson', lines(FIRST)],
      ['_DONE', ''],
    ] as const) {
      const path = `${feed.name}/1/${name}`
      const { generation } = cloud.objects.put('inbox', path, text)
      await untilItWorks(() => cloud.handlers.onObject({ bucket: 'inbox', name: path, generation }))
    }
    await workOff(cloud, feed.name)
    const counted = await count(feed.name, 'why: x\ndelete: { where: { item: { not: [tea] } } }')
    const ask = () => makeCorrect(cloud.deps).ask(feed.name, counted)
    // Where only the wake-up was lost the request is there.
    await untilItWorks(() => ask().catch(error => expectWaiting(error)))
    await workOff(cloud, feed.name)
    expect(await rows()).toEqual(['1|tea|1.5|2026-01-01', '2|tea|1.7|2026-02-01'])
    const told = cloud.messages.filter(({ strategy }) => strategy === 'correction')
    expect(new Set(told.map(({ run }) => run)).size).toBe(1)
  },
)

function expectWaiting(error: Error): void {
  if (!error.message.startsWith('Another correction')) throw error
}

describe('what is no correction', () => {
  test.each([
    ['update: { set: { price: 1 }, where: all }', 'why: Invalid input: expected string, received undefined'],
    ['why: x', 'file: needs either update or delete'],
    ['why: x\nupdate: { set: { cost: 1 }, where: all }', 'update.set: cost is no column of prices'],
    [
      'why: x\nupdate: { set: { item: a }, where: all }',
      'update.set.item: is part of the key, which stays; delete the rows, or have them sent anew',
    ],
    [
      'why: x\nupdate: { set: { seq: 1 }, where: all }',
      'update.set.seq: is part of the sequence, which stays; delete the rows, or have them sent anew',
    ],
    ['why: x\ndelete: { where: {} }', 'delete.where: names no rows; write all to mean every one'],
    [
      'why: x\ndelete: { where: { price: { before: null } } }',
      'delete.where.price: nothing is more or less than NULL',
    ],
    [
      'why: x\nupdate: { from: fixes, set: [price] }',
      'update.from: fixes is no table; write it as dataset.table',
    ],
  ])('%s', (text, problem) => {
    const parsed = parseCorrection(feedOf('prices'), text)
    expect(parsed.kind === 'problems' ? parsed.problems : []).toEqual([problem])
  })
})
