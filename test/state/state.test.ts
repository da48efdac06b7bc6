/** What waits and what is settled: a delivery is taken once, whatever comes twice, late or between. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../functions/feed/snapshot.ts'
import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import { fingerprintOf } from '../../functions/plan/ids.ts'
import type { Settled } from '../../functions/state/records.ts'
import { makeState, type State } from '../../functions/state/state.ts'
import { makeFakeObjects } from '../support/fake-objects.ts'
import { smallFeed } from '../support/small-feed.ts'

const feed = smallFeed({})

function snapshot(id: string, generation = '1', approved?: boolean): Snapshot {
  const parsed = parseSnapshotId(id, 'integer')
  if (parsed === undefined) throw new Error(`${id} is no integer`)
  return {
    id: parsed,
    bucket: 'inbox',
    files: [{ name: `items/${id}/a.ndjson`, generation, size: 1, crc32c: 'AAAAAA==' }],
    arrivedAt: '2026-11-30T06:00:00.000Z',
    ...(approved !== undefined && { approved }),
  }
}
const open = () => {
  const objects = makeFakeObjects()
  return { objects, state: makeState(objects, 'state', () => 0) }
}
const settled = (of: Snapshot) => ({
  fingerprint: fingerprintOf(of),
  outcome: 'refreshed' as const,
  run: 'r',
})

/** Settles as the holder of the lease does, who has looked before. */
async function settle(state: State, id: string, record: Settled): Promise<void> {
  await state.settle(feed.name, id, record, (await state.seeSettled(feed.name, id)).generation)
}

describe('pending', () => {
  test('the same delivery twice changes nothing', async () => {
    const { state, objects } = open()
    expect(await state.addPending(feed, snapshot('1'))).toBe('added')
    const before = await objects.stat('state', 'items/pending/1.json')
    expect(await state.addPending(feed, snapshot('1'))).toBe('waits already')
    expect(await objects.stat('state', 'items/pending/1.json')).toEqual(before)
  })

  test('other objects under the same id wait instead', async () => {
    const { state } = open()
    await state.addPending(feed, snapshot('1', '1'))
    expect(await state.addPending(feed, snapshot('1', '2'))).toBe('revised')
    expect((await state.listPending(feed)).map(({ files }) => files[0]?.generation)).toEqual(['2'])
  })

  test('two that come at once: one is told to come again', async () => {
    const objects = makeFakeObjects()
    const state = makeState(objects, 'state', () => 0)
    const results = await Promise.allSettled([
      state.addPending(feed, snapshot('1', '1')),
      state.addPending(feed, snapshot('1', '2')),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(result => result.status === 'rejected')?.reason).toMatchObject({
      code: 'state-conflict',
      retry: 'later',
    })
  })

  test('an approval is a delivery of its own, and a late copy of the first does not take it back', async () => {
    const { state } = open()
    await settle(state, '1', { ...settled(snapshot('1')), outcome: 'held' })
    expect(await state.addPending(feed, snapshot('1', '1', true))).toBe('added')
    expect(await state.addPending(feed, snapshot('1'))).toBe('waits already')
    expect(await state.listPending(feed)).toMatchObject([{ approved: true }])
    await settle(state, '1', settled(snapshot('1', '1', true)))
    await state.addPending(feed, snapshot('1'))
    expect(await state.listPending(feed)).toEqual([])
  })

  test('what is settled is swept away; its revision is not', async () => {
    const { state, objects } = open()
    await state.addPending(feed, snapshot('1', '1'))
    await settle(state, '1', settled(snapshot('1', '1')))
    expect(objects.names('state')).toEqual(['items/settled/1.json'])
    await state.addPending(feed, snapshot('1', '1'))
    expect(await state.listPending(feed)).toEqual([])
    expect(objects.names('state')).toEqual(['items/settled/1.json'])
    await state.addPending(feed, snapshot('1', '2'))
    expect(await state.listPending(feed)).toHaveLength(1)
  })

  test('settling the old delivery leaves the revised one', async () => {
    const { state } = open()
    await state.addPending(feed, snapshot('1', '2'))
    await settle(state, '1', settled(snapshot('1', '1')))
    expect(await state.listPending(feed)).toHaveLength(1)
  })

  test('objects that are none of ours are left alone', async () => {
    const { state, objects } = open()
    objects.put('state', 'items/pending/notes.json', '{"id":"soon"}')
    expect(await state.listPending(feed)).toEqual([])
    expect(objects.names('state')).toEqual(['items/pending/notes.json'])
  })
})

test('an end that was decided before another was written does not replace it', async () => {
  const { state } = open()
  const { generation } = await state.seeSettled(feed.name, '1')
  await settle(state, '1', settled(snapshot('1', '2')))
  const late = state.settle(feed.name, '1', settled(snapshot('1', '1')), generation)
  await expect(late).rejects.toMatchObject({ code: 'state-conflict', retry: 'later' })
  expect((await state.readSettled(feed.name, '1'))?.fingerprint).toBe(settled(snapshot('1', '2')).fingerprint)
})

test('whatever is added and settled, what waits is what was added last and not settled since', async () => {
  const id = fc.constantFrom('1', '2')
  const step = fc.record({
    kind: fc.constantFrom('add', 'settle', 'list'),
    id,
    generation: fc.constantFrom('1', '2', '3'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
      const { state } = open()
      const waits = new Map<string, string>()
      const done = new Map<string, string>()
      for (const { kind, id: name, generation } of steps) {
        if (kind === 'add') {
          const said = await state.addPending(feed, snapshot(name, generation))
          expect(said === 'waits already').toBe(waits.get(name) === generation)
          waits.set(name, generation)
        } else if (kind === 'settle') {
          await settle(state, name, settled(snapshot(name, generation)))
          done.set(name, generation)
          if (waits.get(name) === generation) waits.delete(name)
        } else {
          const listed = (await state.listPending(feed)).map(({ id: of, files }) => [
            of,
            files[0]?.generation,
          ])
          for (const [of, waiting] of waits) if (done.get(of) === waiting) waits.delete(of)
          expect(listed.toSorted()).toEqual([...waits].toSorted())
        }
      }
    }),
  )
})

describe('runs', () => {
  test('a run is created once, and its plan stays', async () => {
    const { state } = open()
    const record = JSON.parse(
      '{"plan":{"feed":"items","run":"0123456789abcdef"},"plannedAt":"2026-11-30T06:00:00.000Z"}',
    )
    expect(await state.createRun(record)).toBe(true)
    expect(await state.createRun({ ...record, plannedAt: 'later' })).toBe(false)
    await state.updateRun(record, { closedAt: 'now' })
    expect(await state.readRun(feed.name, record.plan.run)).toEqual({ ...record, closedAt: 'now' })
  })

  test('a run that is not there is said to be', async () => {
    const { state } = open()
    const record = JSON.parse('{"plan":{"feed":"items","run":"0123456789abcdef"},"plannedAt":"x"}')
    await expect(state.updateRun(record, {})).rejects.toMatchObject({ code: 'not-found' })
  })

  test('two that change it at once: one is told to come again', async () => {
    const { state } = open()
    const record = JSON.parse('{"plan":{"feed":"items","run":"0123456789abcdef"},"plannedAt":"x"}')
    await state.createRun(record)
    const results = await Promise.allSettled(
      ['a', 'b'].map(closedAt => state.updateRun(record, { closedAt })),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})
