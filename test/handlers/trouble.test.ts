/** What goes wrong on the way: replaced objects, failed jobs, other writers, a broken state. */
import { describe, expect, test } from 'vitest'
import { type FakeCloud, makeFakeCloud } from '../support/fake-cloud.ts'
import { encodeRows, row, smallFeed, TARGET } from '../support/small-feed.ts'

async function start(cloud: FakeCloud) {
  await cloud.send('items/1/a.ndjson', encodeRows([row(1), row(2)]))
  await cloud.send('items/1/_DONE', '')
  const turn = await cloud.handlers.plan({ feed: 'items', holder: 'one' })
  if (turn.kind !== 'run') throw new Error('there is work')
  const body = { feed: 'items', holder: 'one', run: turn.run }
  return { turn, body, jobs: await cloud.runStages(turn, ['load', 'inspect']) }
}
const open = () => makeFakeCloud([smallFeed({})])

describe('objects that change while they are loaded', () => {
  test('a replaced one: its delivery is rejected, the new one comes next', async () => {
    const cloud = open()
    const { turn, body, jobs } = await start(cloud)
    await cloud.send('items/1/a.ndjson', encodeRows([row(3)]))
    expect(await cloud.handlers.verify({ ...body, jobs, what: 'landing' })).toMatchObject({ kind: 'stopped' })
    await cloud.runStages(turn, ['announce'])
    await cloud.handlers.complete({ ...body, jobs: [], announced: true })
    expect(await cloud.execute('items', 'one')).toBe('idle')
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(3)])
  })

  test('a removed one: rejected, with its name', async () => {
    const cloud = open()
    const { body, jobs } = await start(cloud)
    await cloud.objects.remove('inbox', 'items/1/a.ndjson')
    const verdict = await cloud.handlers.verify({ ...body, jobs, what: 'landing' })
    expect(verdict).toMatchObject({
      messages: [
        {
          message: {
            status: 'rejected',
            reason: expect.stringMatching(/^object items\/1\/a.ndjson was removed while/),
          },
        },
      ],
    })
  })
})

describe('fail', () => {
  const job = { projectId: 'p', jobId: 'j', location: 'EU' }
  const destinationOf = (turn: Awaited<ReturnType<typeof start>>['turn']) => {
    const load = turn.stages.flatMap(({ jobs }) => jobs).find(({ configuration }) => configuration.load)
    return load?.configuration.load?.destinationTable
  }

  test.each([
    ['a bad file', 'load', 'invalid', 'Error while reading data', 'stopped'],
    ['a file that is gone', 'load', 'notFound', 'Not found: URI gs://inbox/items/1/a.ndjson', 'stopped'],
    ['a dataset that is gone', 'load', 'notFound', 'Not found: Dataset p:landing', 'failed'],
    ['a table that is not empty', 'load', 'duplicate', 'Already Exists: Table', 'failed'],
    ['quota', 'load', 'quotaExceeded', 'Quota exceeded', 'failed'],
    ['a bad query', 'inspect', 'invalidQuery', 'Unrecognized name', 'failed'],
  ])('%s', async (_, stage, reason, message, kind) => {
    const cloud = open()
    const { turn, body } = await start(cloud)
    const destination = destinationOf(turn)
    cloud.warehouse.readJob = async () =>
      JSON.parse(
        JSON.stringify({
          error: { reason, message },
          errors: [{ reason, message }],
          destination,
          bytesProcessed: 0,
          slotMs: 0,
        }),
      )
    const answer = await cloud.handlers.fail({ ...body, stage, error: { job } })
    expect(answer.kind).toBe(kind)
    const [told] = answer.kind === 'lost' ? [] : answer.messages
    expect(told?.message).toMatchObject({
      status: kind === 'stopped' ? 'rejected' : 'failed',
      snapshots: ['1'],
    })
    expect(told?.message.reason).toContain(message)
    const lease = JSON.parse(cloud.objects.text('state', 'items/lease.json') ?? '{}')
    expect(lease).toMatchObject({ run: turn.run })
    expect('holder' in lease).toBe(kind === 'stopped')
  })

  test('a failed run is resumed by whoever comes next', async () => {
    const cloud = open()
    const { body } = await start(cloud)
    await cloud.handlers.fail({ ...body, stage: 'append', error: { message: 'passing' } })
    expect((await cloud.handlers.sweep()).woken).toEqual(['items'])
    expect(await cloud.execute('items', 'two')).toBe('idle')
    expect(cloud.messages).toMatchObject([{ status: 'refreshed', run: body.run }])
  })

  test('an answer that was lost is given again, and not to whom it was taken from', async () => {
    const cloud = open()
    const { body } = await start(cloud)
    const failure = { ...body, stage: 'append', error: 'gone' }
    const first = await cloud.handlers.fail(failure)
    expect(await cloud.handlers.fail(failure)).toEqual(first)
    await cloud.handlers.plan({ feed: 'items', holder: 'two' })
    expect(await cloud.handlers.fail(failure)).toEqual({ kind: 'lost' })
  })

  test.each([
    [
      'an answer of a function',
      { body: { error: { message: 'The state is broken.', hint: 'Mend it.' } } },
      'The state is broken. Mend it.',
    ],
    ['a message', { message: 'It timed out.' }, 'It timed out.'],
    ['a text', 'gone', 'gone'],
    ['anything', { code: 7 }, '{"code":7}'],
  ])('says what it was told: %s', async (_, error, reason) => {
    const answer = await open().handlers.fail({ feed: 'items', holder: 'one', run: '', stage: 'plan', error })
    expect(answer).toMatchObject({
      kind: 'failed',
      messages: [{ message: { status: 'failed', run: '', reason: `Stage plan: ${reason}` } }],
    })
  })
})

describe('other hands', () => {
  test('rows that another writer put into staging are seen before they are published', async () => {
    const cloud = open()
    const { turn, body, jobs } = await start(cloud)
    await cloud.handlers.verify({ ...body, jobs, what: 'landing' })
    jobs.push(...(await cloud.runStages(turn, ['append', 'deduplicate'])))
    cloud.warehouse.replace('p.staging.items', [row(1), row(2), row(3), row(4)])
    const verdict = await cloud.handlers.verify({ ...body, jobs, what: 'staging' })
    expect(verdict).toMatchObject({
      kind: 'stopped',
      restore: true,
      messages: [{ message: { status: 'held' } }],
    })
    await cloud.runStages(turn, ['restore'])
    expect(cloud.warehouse.rows('p.staging.items')).toEqual([])
  })

  test('a target that shows another run gives no receipt', async () => {
    const cloud = open()
    const { turn, body, jobs } = await start(cloud)
    await cloud.handlers.verify({ ...body, jobs, what: 'landing' })
    await cloud.runStages(turn, ['append', 'deduplicate', 'save', 'clone'])
    cloud.warehouse.replace(TARGET, [row(9)])
    await expect(cloud.handlers.complete({ ...body, jobs, announced: false })).rejects.toMatchObject({
      code: 'not-found',
      retry: 'later',
    })
  })

  test('no receipt for a run that was not let pass', async () => {
    const cloud = open()
    const { body } = await start(cloud)
    await expect(cloud.handlers.complete({ ...body, jobs: [], announced: false })).rejects.toMatchObject({
      code: 'bad-request',
    })
  })

  test('other columns in staging are drift, and nothing is planned', async () => {
    const cloud = open()
    await start(cloud)
    await cloud.execute('items', 'one')
    const wider = makeFakeCloud([smallFeed({})])
    wider.warehouse.readTable = async () => ({
      rows: 1,
      columns: [{ name: 'id', type: 'INT64' }],
      labels: {},
      layout: { kind: 'TABLE', cluster: [] },
    })
    await wider.send('items/1/a.ndjson', encodeRows([row(1)]))
    await wider.send('items/1/_DONE', '')
    await expect(wider.handlers.plan({ feed: 'items', holder: 'one' })).rejects.toMatchObject({
      code: 'schema-drift',
    })
  })

  test('a run whose record was removed is said to be missing', async () => {
    const cloud = open()
    const { body, jobs } = await start(cloud)
    await cloud.objects.remove('state', `items/runs/${body.run}.json`)
    await expect(cloud.handlers.verify({ ...body, jobs, what: 'landing' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('inspections that say nothing are no reason to go on', async () => {
    const cloud = open()
    const { body, jobs } = await start(cloud)
    cloud.warehouse.readRows = async () => [{ snapshot: '1', row_count: null }]
    await expect(cloud.handlers.verify({ ...body, jobs, what: 'landing' })).rejects.toThrow('row_count')
  })
})

describe('sweep', () => {
  test('wakes who waits, and nobody else', async () => {
    const cloud = open()
    expect(await cloud.handlers.sweep()).toEqual({ woken: [] })
    await start(cloud)
    expect(await cloud.handlers.sweep()).toEqual({ woken: [] })
    cloud.clock.now += 600_000
    expect(await cloud.handlers.sweep()).toEqual({ woken: ['items'] })
    await cloud.execute('items', 'two')
    expect(await cloud.handlers.sweep()).toEqual({ woken: [] })
  })

  test('a feed whose state is broken keeps no other asleep', async () => {
    const other = { ...smallFeed({}), name: JSON.parse('"other"') }
    const cloud = makeFakeCloud([smallFeed({}), other])
    cloud.objects.put('state', 'items/lease.json', 'broken')
    const files = [{ name: 'x', generation: '1' }]
    cloud.objects.put('state', 'other/pending/1.json', JSON.stringify({ id: '1', files }))
    await expect(cloud.handlers.sweep()).rejects.toThrow('1 feeds were not swept')
    expect(cloud.wakeUps).toEqual(['other'])
  })
})

test.each([
  ['plan', { feed: 'items' }],
  ['plan', { feed: 'items', holder: '' }],
  ['plan', 'items'],
  ['verify', { feed: 'items', holder: 'one', run: '../x', jobs: [], what: 'landing' }],
  ['verify', { feed: 'items', holder: 'one', run: '0123456789abcdef', jobs: [], what: 'both' }],
  ['complete', { feed: 'items', holder: 'one', run: '0123456789abcdef', jobs: [] }],
  ['fail', { feed: 'items', holder: 'one' }],
] as const)('%s refuses %j', async (name, body) => {
  await expect(open().handlers[name](body)).rejects.toMatchObject({ code: 'bad-request', retry: 'never' })
})

test('a feed that is not there is told with those that are', async () => {
  await expect(open().handlers.plan({ feed: 'goods', holder: 'one' })).rejects.toMatchObject({
    code: 'unknown-feed',
    hint: 'The feeds are: items.',
  })
})
