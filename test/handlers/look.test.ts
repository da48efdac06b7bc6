/** The sweep finds snapshots that no event told of, and leaves alone what is known, old, broken or not whole. */
import { describe, expect, test } from 'vitest'
import { LOOK_BACK_MS, LOOK_EVERY_MS, MOST_SNAPSHOTS } from '../../functions/handlers/look.ts'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import { encodeRows, row, smallFeed } from '../support/small-feed.ts'

const ROWS = encodeRows([row(1)])

function open(settings: Parameters<typeof smallFeed>[0] = {}) {
  const cloud = makeFakeCloud([smallFeed(settings)])
  const { objects, clock, handlers } = cloud
  /** Written, and nobody is told. */
  const put = (name: string, content = '') =>
    void objects.put('inbox', name, content, new Date(clock.now).toISOString())
  const sweep = async () => {
    clock.now += LOOK_EVERY_MS
    await handlers.sweep()
  }
  const waiting = () => objects.names('state').filter(name => name.includes('/pending/'))
  return { ...cloud, put, sweep, waiting }
}

describe('a snapshot without events', () => {
  test.each([
    ['a marker', {}, ['items/7/a.ndjson', 'items/7/_DONE']],
    ['a single file', { complete: 'single-file', path: 'items/{snapshot}.ndjson' }, ['items/7.ndjson']],
    [
      'names without folders',
      { complete: '{ marker: "done/{snapshot}" }', path: 'items/of_{snapshot}_*.ndjson' },
      ['items/of_7_1.ndjson', 'items/of_7_2.ndjson', 'done/7'],
    ],
    [
      'at the top',
      { complete: '{ marker: "{snapshot}/ok" }', path: '"{snapshot}/**/*.ndjson"' },
      ['7/x/y/1.ndjson', '7/ok'],
    ],
  ])('is taken: %s', async (_, settings, names) => {
    const cloud = open(settings)
    for (const name of names) cloud.put(name, name.endsWith('ndjson') ? ROWS : '')
    await cloud.sweep()
    expect(cloud.waiting()).toEqual(['items/pending/7.json'])
    expect(cloud.wakeUps).toEqual(['items'])
    await cloud.execute('items', 'one')
    expect(cloud.messages.map(({ status }) => status)).toEqual(['refreshed'])
  })

  test('is taken when objects were written over and no event told', async () => {
    const cloud = open()
    await cloud.send('items/7/a.ndjson', ROWS)
    await cloud.send('items/7/_DONE', '')
    await cloud.execute('items', 'one')
    cloud.put('items/7/a.ndjson', encodeRows([row(1, 2, 'b')]))
    await cloud.sweep()
    expect(cloud.waiting()).toEqual(['items/pending/7.json'])
  })

  test('that is wrong is told once', async () => {
    const cloud = open()
    cloud.put('items/7/a.ndjson', '[1]')
    cloud.put('items/7/_DONE')
    for (let time = 0; time < 3; time += 1) await cloud.sweep()
    expect(cloud.messages.map(({ status, snapshots }) => `${status} ${snapshots}`)).toEqual(['rejected 7'])
    cloud.put('items/7/a.ndjson', '[2]')
    await cloud.sweep()
    expect(cloud.messages).toHaveLength(2)
  })
})

describe('left alone', () => {
  const quiet = async (cloud: ReturnType<typeof open>) => {
    const [wakeUps, messages] = [cloud.wakeUps.length, cloud.messages.length]
    await cloud.sweep()
    expect(cloud.waiting()).toEqual([])
    expect(cloud.wakeUps).toHaveLength(wakeUps)
    expect(cloud.messages).toHaveLength(messages)
  }

  test('what is not whole, or no snapshot', async () => {
    const cloud = open()
    cloud.put('items/7/a.ndjson', ROWS)
    cloud.put('items/seven/a.ndjson', ROWS)
    cloud.put('items/seven/_DONE')
    cloud.put('elsewhere/7/_DONE')
    await quiet(cloud)
  })

  test('what has ended', async () => {
    const cloud = open()
    await cloud.send('items/7/a.ndjson', ROWS)
    await cloud.send('items/7/_DONE', '')
    await cloud.execute('items', 'one')
    await quiet(cloud)
  })

  test.each([
    ['a marker', {}, ['items/7/a.ndjson', 'items/7/_DONE']],
    ['a single file', { complete: 'single-file', path: 'items/{snapshot}.ndjson' }, ['items/7.ndjson']],
  ])('what has lain there for days: %s', async (_, settings, names) => {
    const cloud = open(settings)
    for (const name of names) cloud.put(name, ROWS)
    cloud.clock.now += LOOK_BACK_MS
    await quiet(cloud)
  })

  test('what was looked for a moment ago, unless that failed', async () => {
    const cloud = open()
    await cloud.handlers.sweep()
    cloud.put('items/7/a.ndjson', ROWS)
    cloud.put('items/7/_DONE')
    cloud.clock.now += LOOK_EVERY_MS - 1
    await cloud.handlers.sweep()
    expect(cloud.waiting()).toEqual([])
    cloud.clock.now += 1
    await cloud.handlers.sweep()
    expect(cloud.waiting()).toEqual(['items/pending/7.json'])
  })

  test(`all but the newest ${MOST_SNAPSHOTS}`, async () => {
    const cloud = open()
    for (let id = 95; id < 95 + MOST_SNAPSHOTS + 1; id += 1) {
      cloud.put(`items/${id}/a.ndjson`, ROWS)
      cloud.put(`items/${id}/_DONE`)
    }
    await cloud.sweep()
    expect(cloud.waiting()).toHaveLength(MOST_SNAPSHOTS)
    expect(cloud.waiting()).not.toContain('items/pending/95.json')
  })
})

test('a snapshot that waits is woken for by the sweep once, and not read again', async () => {
  const cloud = open()
  await cloud.send('items/7/a.ndjson', ROWS)
  await cloud.send('items/7/_DONE', '')
  await cloud.sweep()
  expect(cloud.wakeUps).toEqual(['items', 'items'])
})
