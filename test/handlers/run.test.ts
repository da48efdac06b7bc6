/** A run from event to receipt: plan, verify, complete and fail over fakes, with the steps of the workflow. */
import { describe, expect, test } from 'vitest'
import { LEASE_MS } from '../../functions/state/lease.ts'
import { type FakeCloud, makeFakeCloud } from '../support/fake-cloud.ts'
import type { Row } from '../support/fake-warehouse.ts'
import { encodeRows, row, smallFeed, TARGET } from '../support/small-feed.ts'

async function sendSnapshot({ send }: FakeCloud, id: string, rows: readonly Row[]) {
  await send(`items/${id}/a.ndjson`, encodeRows(rows))
  await send(`items/${id}/_DONE`, '')
}
const statuses = ({ messages }: FakeCloud) => messages.map(({ status, snapshots }) => [status, ...snapshots])
const settledOf = ({ objects }: FakeCloud, id: string): unknown =>
  JSON.parse(objects.text('state', `items/settled/${id}.json`) ?? 'null')?.outcome
const leaseOf = ({ objects }: FakeCloud): unknown =>
  JSON.parse(objects.text('state', 'items/lease.json') ?? 'null')
const pendingOf = ({ objects }: FakeCloud) =>
  objects.names('state').filter(name => name.includes('/pending/'))

describe('keep', () => {
  test('two snapshots, one after the other', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '1', [row(1), row(2)])
    expect(await cloud.execute('items', 'one')).toBe('idle')
    cloud.clock.now += 90_000
    await sendSnapshot(cloud, '2', [row(1, 2, 'b'), row(3)])
    cloud.clock.now += 30_000
    expect(await cloud.execute('items', 'two')).toBe('idle')
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1, 2, 'b'), row(2), row(3)])
    expect(cloud.messages.map(({ rows }) => rows)).toEqual([
      { before: 0, loaded: 2, quarantined: 0, inserted: 2, updated: 0, kept: 0, deleted: 0, after: 2 },
      { before: 2, loaded: 2, quarantined: 0, inserted: 1, updated: 1, kept: 1, deleted: 0, after: 3 },
    ])
    expect(cloud.messages[1]).toMatchObject({ status: 'refreshed', withinSeconds: 30, strategy: 'rewrite' })
    expect([...cloud.warehouse.tables.keys()].filter(name => name.startsWith('p.landing.'))).toEqual([])
    expect(pendingOf(cloud)).toEqual([])
    expect(leaseOf(cloud)).not.toHaveProperty('holder')
    expect(leaseOf(cloud)).not.toHaveProperty('run')
  })

  test('three that wait are applied at once', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    for (const [id, seq] of [
      ['10', 3],
      ['9', 2],
      ['2', 1],
    ] as const)
      await sendSnapshot(cloud, id, [row(1, seq, `of ${id}`), row(Number(id))])
    await cloud.execute('items', 'one')
    expect(statuses(cloud)).toEqual([['refreshed', '2', '9', '10']])
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1, 3, 'of 10'), row(2), row(9), row(10)])
  })

  test('an older snapshot that comes late changes nothing newer, and is not the measure', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '5', [row(1, 5, 'new'), row(2), row(3)])
    await cloud.execute('items', 'one')
    await sendSnapshot(cloud, '4', [row(1, 4, 'old'), row(4)])
    await cloud.execute('items', 'two')
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1, 5, 'new'), row(2), row(3), row(4)])
    expect(leaseOf(cloud)).toMatchObject({ last: { newest: '5', rows: 3, run: cloud.messages[1]?.run } })
  })

  test('one bad of three: it is rejected, the others are applied', async () => {
    const cloud = makeFakeCloud([smallFeed({ gates: 'null_keys: reject, duplicate_keys: newest' })])
    await sendSnapshot(cloud, '1', [row(1)])
    await sendSnapshot(cloud, '2', [row(2), { id: null, seq: 1, v: 'lost' }])
    await sendSnapshot(cloud, '3', [row(3)])
    await cloud.execute('items', 'one')
    expect(statuses(cloud)).toEqual([
      ['rejected', '2'],
      ['refreshed', '1', '3'],
    ])
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1), row(3)])
    expect(['1', '2', '3'].map(id => settledOf(cloud, id))).toEqual(['refreshed', 'rejected', 'refreshed'])
  })

  test('a file that does not load: its snapshot is rejected, the other applied', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '1', [row(1)])
    // Of the right form, so that its head says nothing.
    await cloud.send('items/2/a.ndjson', '{"seq":1,"v":"a","id":2}\n')
    await cloud.send('items/2/_DONE', '')
    await cloud.execute('items', 'one')
    expect(statuses(cloud)).toEqual([
      ['rejected', '2'],
      ['refreshed', '1'],
    ])
    expect(cloud.messages[0]?.reason).toMatch(/^Error while reading .*the table was not touched\.$/)
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1)])
  })

  test('held at a gate: nothing is touched, and it stays held when it comes again', async () => {
    const cloud = makeFakeCloud([smallFeed({ gates: 'min_rows_vs_last: 50%' })])
    await sendSnapshot(cloud, '1', [row(1), row(2), row(3)])
    await cloud.execute('items', 'one')
    await sendSnapshot(cloud, '2', [row(1, 2, 'b')])
    await cloud.execute('items', 'two')
    expect(statuses(cloud)).toEqual([
      ['refreshed', '1'],
      ['held', '2'],
    ])
    expect(cloud.messages[1]?.reason).toMatch(
      /^1 row landed, the last snapshot had 3; at least 2 were expected/,
    )
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1), row(2), row(3)])
    expect(settledOf(cloud, '2')).toBe('held')
    expect(cloud.messages[1]?.rows).toMatchObject({ before: 3, after: 3 })
  })

  test('an empty snapshot is held', async () => {
    const cloud = makeFakeCloud([smallFeed({ gates: 'zero_rows: hold' })])
    await cloud.send('items/1/_DONE', '')
    await cloud.execute('items', 'one')
    expect(statuses(cloud)).toEqual([['held', '1']])
  })
})

describe('delete', () => {
  test('the table mirrors the newest; what waits besides is superseded', async () => {
    const cloud = makeFakeCloud([smallFeed({ missing: 'delete' })])
    await sendSnapshot(cloud, '1', [row(1), row(2)])
    await cloud.execute('items', 'one')
    await sendSnapshot(cloud, '2', [row(7)])
    await sendSnapshot(cloud, '3', [row(2), row(3), row(4)])
    await cloud.execute('items', 'two')
    expect(statuses(cloud)).toEqual([
      ['refreshed', '1'],
      ['refreshed', '3'],
    ])
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(2), row(3), row(4)])
    expect(['2', '3'].map(id => settledOf(cloud, id))).toEqual(['superseded', 'refreshed'])
  })

  test('an older snapshot is refused, once', async () => {
    const cloud = makeFakeCloud([smallFeed({ missing: 'delete' })])
    await sendSnapshot(cloud, '5', [row(1)])
    await cloud.execute('items', 'one')
    await sendSnapshot(cloud, '4', [row(4)])
    expect(await cloud.execute('items', 'two')).toBe('idle')
    await sendSnapshot(cloud, '4', [row(4)])
    expect(statuses(cloud)[1]).toEqual(['rejected', '4'])
    expect(cloud.messages[1]?.reason).toMatch(
      /^Snapshot 4 of items is older than 5, which the table mirrors\./,
    )
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1)])
    expect(settledOf(cloud, '4')).toBe('rejected')
  })

  test('the same id anew replaces what it brought', async () => {
    const cloud = makeFakeCloud([smallFeed({ missing: 'delete' })])
    await sendSnapshot(cloud, '5', [row(1)])
    await cloud.execute('items', 'one')
    await sendSnapshot(cloud, '5', [row(2)])
    await cloud.execute('items', 'two')
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(2)])
  })
})

describe('holders', () => {
  test('who comes while it is held goes away, and after a release nothing is left', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '1', [row(1)])
    const turn = await cloud.handlers.plan({ feed: 'items', holder: 'one' })
    expect(turn).toMatchObject({ kind: 'run', resumed: false })
    expect(await cloud.execute('items', 'two')).toBe('busy')
    expect(await cloud.handlers.plan({ feed: 'items', holder: 'one' })).toEqual({ ...turn, resumed: true })
    expect(await cloud.execute('items', 'one')).toBe('idle')
  })

  test('who takes over resumes that very run; who wakes up late does nothing', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '1', [row(1)])
    const turn = await cloud.handlers.plan({ feed: 'items', holder: 'one' })
    if (turn.kind !== 'run') throw new Error('there is work')
    const jobs = await cloud.runStages(turn, ['load', 'inspect'])
    await sendSnapshot(cloud, '2', [row(2)])
    cloud.clock.now += LEASE_MS
    expect(await cloud.execute('items', 'two')).toBe('idle')
    expect(statuses(cloud)).toEqual([
      ['refreshed', '1'],
      ['refreshed', '2'],
    ])
    const late = { feed: 'items', holder: 'one', run: turn.run }
    for (const what of ['landing', 'staging']) {
      expect(await cloud.handlers.verify({ ...late, jobs, what })).toEqual({ kind: 'lost' })
    }
    for (const announced of [false, true])
      expect(await cloud.handlers.complete({ ...late, jobs, announced })).toEqual({ kind: 'lost' })
    expect(await cloud.handlers.fail({ ...late, stage: 'append', error: 'x' })).toEqual({ kind: 'lost' })
    expect(cloud.warehouse.rows(TARGET)).toEqual([row(1), row(2)])
  })

  test('an answer that was lost is given again', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    await sendSnapshot(cloud, '1', [row(1)])
    const turn = await cloud.handlers.plan({ feed: 'items', holder: 'one' })
    if (turn.kind !== 'run') throw new Error('there is work')
    const body = { feed: 'items', holder: 'one', run: turn.run }
    const jobs = await cloud.runStages(turn, ['load', 'inspect'])
    const verdict = await cloud.handlers.verify({ ...body, jobs, what: 'landing' })
    expect(await cloud.handlers.verify({ ...body, jobs, what: 'landing' })).toEqual(verdict)
    jobs.push(...(await cloud.runStages(turn, ['append', 'deduplicate', 'save', 'clone'])))
    const receipt = await cloud.handlers.complete({ ...body, jobs, announced: false })
    cloud.clock.now += 1_000
    expect(await cloud.handlers.complete({ ...body, jobs, announced: false })).toEqual(receipt)
    const closed = await cloud.handlers.complete({ ...body, jobs: [], announced: true })
    expect(closed).toEqual({ kind: 'closed' })
    expect(await cloud.handlers.complete({ ...body, jobs: [], announced: true })).toEqual(closed)
  })

  test('a rollback that nobody was woken for is work for the sweep', async () => {
    const cloud = makeFakeCloud([smallFeed({})])
    const request =
      '{"to":"0123456789abcdef","newest":"1","rows":1,"rollbackPoint":{},"askedAt":"2026-11-30T06:00:00.000Z"}'
    await cloud.deps.state.requests.askRollback(smallFeed({}).name, JSON.parse(request))
    expect(await cloud.handlers.sweep()).toEqual({ woken: ['items'] })
  })
})
