/** Another key is another table: staging by the old one is not written by the new one. */
import { describe, expect, test } from 'vitest'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import { readFeedText } from '../support/plan-case.ts'
import { encodeRows, row, smallFeed, TARGET } from '../support/small-feed.ts'

const feedBy = (key: string) =>
  readFeedText(`name: items
source: { path: "items/{snapshot}/*.ndjson", complete: { marker: "items/{snapshot}/_DONE" }, format: ndjson }
table: { name: shop.items, columns: { id: INT64, seq: INT64, v: STRING } }
model: { kind: unique, key: [${key}], sequence: seq }
gates: { min_rows_vs_last: 0% }
`)

async function open(feed = smallFeed({})) {
  const cloud = makeFakeCloud([feed])
  const send = async (id: number, ...ids: readonly number[]) => {
    await cloud.send(`items/${id}/a.ndjson`, encodeRows(ids.map(id => row(id))))
    await cloud.send(`items/${id}/_DONE`, '')
  }
  await send(1, 1, 2)
  await cloud.execute('items', 'one')
  return { cloud, send }
}

describe('after a refresh by id', () => {
  test.each([
    ['a wider key', 'id, v', 'is unique by id, and the feed says unique by id, v'],
    ['another key', 'v', 'is unique by id, and the feed says unique by v'],
  ])('%s is refused, and nothing is planned', async (_, key, says) => {
    const { cloud, send } = await open(feedBy('id'))
    cloud.redefine(feedBy(key))
    await send(2, 3)
    await expect(cloud.handlers.plan({ feed: 'items', holder: 'two' })).rejects.toThrow(says)
    cloud.redefine(feedBy('id'))
    await cloud.execute('items', 'two')
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1), row(2), row(3)])
  })

  test('the order of the key and the case of its names do not count', async () => {
    const { cloud, send } = await open(feedBy('id, v'))
    cloud.redefine(feedBy('v, id'))
    await send(2, 3)
    expect(await cloud.execute('items', 'two')).toBe('idle')
    expect(cloud.messages.at(-1)).toMatchObject({ status: 'refreshed', snapshots: ['2'] })
  })

  test('a feed that is changed while a run goes on does not change what staging was written by', async () => {
    const { cloud, send } = await open(feedBy('id'))
    await send(2, 3)
    const turn = await cloud.handlers.plan({ feed: 'items', holder: 'two' })
    expect(turn.kind).toBe('run')
    cloud.redefine(feedBy('id, v'))
    // The open run is brought to its end as it was planned; what comes next is another matter.
    await cloud.execute('items', 'two')
    const { last } = JSON.parse(cloud.objects.text('state', 'items/lease.json') ?? '{}')
    expect(last).toMatchObject({ newest: '2', model: 'unique by id' })
  })
})
