/** The record of a run that was planned and never begun: whoever plans it next goes by what is so now. */
import { expect, test } from 'vitest'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import { encodeRows, row, smallFeed } from '../support/small-feed.ts'

test('its figures give way to those of the day', async () => {
  let crashes = true
  const cloud = makeFakeCloud([smallFeed({})], async (operation, name) => {
    const planned = cloud?.objects.names('state').some(each => each.startsWith('items/runs/'))
    if (crashes && planned && operation === 'write' && name === 'items/lease.json') throw new Error('crash')
  })
  await cloud.send('items/42/a.ndjson', encodeRows([row(1), row(2)]))
  await cloud.send('items/42/_DONE', '')
  await expect(cloud.execute('items', 'one')).rejects.toThrow('crash')
  const [name = ''] = cloud.objects.names('state').filter(each => each.startsWith('items/runs/'))
  const read = () => JSON.parse(cloud.objects.text('state', name) ?? '')
  // As a planner would have written it that was held up since the table had other rows.
  const orphan = read()
  cloud.objects.put('state', name, JSON.stringify({ ...orphan, plan: { ...orphan.plan, rowsBefore: 99 } }))

  crashes = false
  expect(await cloud.execute('items', 'one')).toBe('idle')
  expect(cloud.objects.names('state').filter(each => each.startsWith('items/runs/'))).toEqual([name])
  expect(read().plan.rowsBefore).toBe(0)
  expect(cloud.messages).toMatchObject([{ status: 'refreshed', rows: { before: 0, after: 2 } }])
})
