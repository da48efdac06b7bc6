/** How late a feed is: by the oldest snapshot that waits, against the promise of its feed. */
import { expect, test } from 'vitest'
import { makeStatus } from '../../functions/operations/status.ts'
import { makeFakeCloud, START } from '../support/fake-cloud.ts'
import { encodeRows, row, smallFeed } from '../support/small-feed.ts'

const MINUTE = 60_000

async function open() {
  const cloud = makeFakeCloud([smallFeed({})])
  const deliver = async (id: number, minute: number) => {
    cloud.clock.now = START + minute * MINUTE
    await cloud.send(`items/${id}/a.ndjson`, encodeRows([row(id)]))
    await cloud.send(`items/${id}/_DONE`, '')
  }
  const statusAt = async (minute: number) => {
    cloud.clock.now = START + minute * MINUTE
    const [status] = await makeStatus(cloud.deps)()
    return { pending: status?.pending, lateSeconds: status?.lateSeconds }
  }
  return { ...cloud, deliver, statusAt }
}

test('nothing that waits is never late', async () => {
  const { statusAt } = await open()
  expect(await statusAt(10_000)).toEqual({ pending: [], lateSeconds: 0 })
})

test('late from the end of the promised hour on, by the oldest that waits', async () => {
  const { deliver, statusAt } = await open()
  await deliver(1, 0)
  await deliver(2, 50)
  expect(await statusAt(60)).toEqual({ pending: ['1', '2'], lateSeconds: 0 })
  expect(await statusAt(61)).toEqual({ pending: ['1', '2'], lateSeconds: 60 })
  expect(await statusAt(180)).toEqual({ pending: ['1', '2'], lateSeconds: 7_200 })
})

test('a refresh ends it', async () => {
  const { deliver, statusAt, execute } = await open()
  await deliver(1, 0)
  expect(await statusAt(90)).toMatchObject({ lateSeconds: 1_800 })
  expect(await execute('items', 'one')).toBe('idle')
  expect(await statusAt(90)).toEqual({ pending: [], lateSeconds: 0 })
})
