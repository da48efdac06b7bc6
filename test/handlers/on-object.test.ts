/** on-object: what an event sets off, and what it does not. */
import { describe, expect, test } from 'vitest'
import { makeFakeCloud } from '../support/fake-cloud.ts'
import { encodeRows, row, smallFeed } from '../support/small-feed.ts'

const A = 'items/42/a.ndjson'
const DONE = 'items/42/_DONE'
const ROWS = encodeRows([row(1)])

function open(feed = smallFeed({})) {
  const cloud = makeFakeCloud([feed])
  const waiting = () => cloud.objects.names('state').filter(name => name.includes('/pending/'))
  return { ...cloud, waiting }
}

describe('a whole snapshot', () => {
  test('waits, and the workflow is woken', async () => {
    const cloud = open()
    await cloud.send(A, ROWS)
    expect(cloud.waiting()).toEqual([])
    await cloud.send(DONE, '')
    expect(cloud.waiting()).toEqual(['items/pending/42.json'])
    expect(cloud.wakeUps).toEqual(['items'])
  })

  test('is whole whichever object comes last', async () => {
    const cloud = open(smallFeed({ complete: '{ manifest: "items/{snapshot}/manifest.json" }' }))
    await cloud.send('items/42/manifest.json', '{"files":[{"name":"a.ndjson"},{"name":"b.ndjson"}]}')
    await cloud.send(A, ROWS)
    expect(cloud.waiting()).toEqual([])
    await cloud.send('items/42/b.ndjson', encodeRows([row(2)]))
    expect(cloud.waiting()).toEqual(['items/pending/42.json'])
  })

  test('an event twice wakes again and changes nothing', async () => {
    const cloud = open()
    await cloud.send(A, ROWS)
    await cloud.send(DONE, '')
    const before = await cloud.objects.stat('state', 'items/pending/42.json')
    const { generation } = (await cloud.objects.stat('inbox', DONE)) ?? {}
    await cloud.handlers.onObject({ bucket: 'inbox', name: DONE, generation })
    expect(await cloud.objects.stat('state', 'items/pending/42.json')).toEqual(before)
    expect(cloud.wakeUps).toEqual(['items', 'items'])
  })

  test('an event after its run changes nothing at all', async () => {
    const cloud = open()
    await cloud.send(A, ROWS)
    await cloud.send(DONE, '')
    await cloud.execute('items', 'one')
    const before = cloud.objects.names('state').map(name => cloud.objects.text('state', name))
    const { generation } = (await cloud.objects.stat('inbox', A)) ?? {}
    await cloud.handlers.onObject({ bucket: 'inbox', name: A, generation })
    expect(cloud.objects.names('state').map(name => cloud.objects.text('state', name))).toEqual(before)
    expect(cloud.wakeUps).toEqual(['items'])
  })

  test('other files under the id of a settled one are a new delivery', async () => {
    const cloud = open()
    await cloud.send(A, ROWS)
    await cloud.send(DONE, '')
    await cloud.execute('items', 'one')
    await cloud.send(A, encodeRows([row(1, 2, 'b')]))
    expect(cloud.waiting()).toEqual(['items/pending/42.json'])
    await cloud.execute('items', 'two')
    expect(cloud.warehouse.rows('p.shop.items')).toEqual([row(1, 2, 'b')])
  })
})

describe('nothing', () => {
  test.each([
    ['another name', 'items/42/readme.txt'],
    ['another folder', 'other/42/a.ndjson'],
    ['an object of our own', '_freshet/items/0123456789abcdef/42-0.uris'],
    ['data under what is no snapshot', 'items/latest/a.ndjson'],
  ])('comes of %s', async (_, name) => {
    const cloud = open()
    await cloud.send(name, ROWS)
    expect([cloud.waiting(), cloud.wakeUps, cloud.messages]).toEqual([[], [], []])
  })

  test('comes of another bucket', async () => {
    const cloud = open()
    await cloud.handlers.onObject({ bucket: 'elsewhere', name: DONE, generation: '1' })
    expect(cloud.wakeUps).toEqual([])
  })
})

describe('a rejection', () => {
  test.each([
    [
      'what is no snapshot',
      'items/latest/_DONE',
      '',
      'items/latest/_DONE: latest is no integer. Name the snapshot as `source.snapshot` of the feed says.',
    ],
    [
      'a file of another form',
      'items/42/a.ndjson',
      'id,seq,v\n',
      'object items/42/a.ndjson line 1 is no JSON object: id,seq,v. Write one JSON object a line.',
    ],
    [
      'a lost column',
      'items/42/a.ndjson',
      '{"id":1,"seq":1}\n',
      'the column v is in none of the first rows of any object. Send it, take it out of the feed, or say `optional: true` where it may be absent.',
    ],
  ])('of %s is told, and an event more says nothing else', async (_, name, content, reason) => {
    const cloud = open()
    await cloud.send(name, content)
    if (name === A) await cloud.send(DONE, '')
    const { generation } = (await cloud.objects.stat('inbox', name === A ? DONE : name)) ?? {}
    await cloud.handlers.onObject({ bucket: 'inbox', name: name === A ? DONE : name, generation })
    const told = { status: 'rejected', feed: 'items', reason, run: cloud.messages[0]?.run }
    // What is no snapshot has no note of its own: a copy is told by its run.
    expect(cloud.messages).toMatchObject(name === A ? [told] : [told, told])
    expect(cloud.waiting()).toEqual([])
  })
})

test.each([
  ['nothing', undefined],
  ['a text', 'x'],
  ['no bucket', { name: A, generation: '1' }],
  ['no generation', { bucket: 'inbox', name: A }],
])('an event of %s is refused', async (_, data) => {
  await expect(open().handlers.onObject(data)).rejects.toMatchObject({ code: 'bad-request', retry: 'never' })
})

test('an object that is replaced while it is looked at makes the event come again', async () => {
  const cloud = open()
  await cloud.send(A, ROWS)
  const readRange = cloud.objects.readRange
  cloud.objects.readRange = async () => undefined
  await expect(cloud.send(DONE, '')).rejects.toMatchObject({ retry: 'later' })
  cloud.objects.readRange = readRange
  expect(cloud.messages).toEqual([])
})
