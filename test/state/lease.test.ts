/** The lease: one holder at a time, whatever comes between whose reads and writes. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFeedName } from '../../functions/feed/names.ts'
import { LEASE_MS, makeLeases } from '../../functions/state/lease.ts'
import { makeFakeObjects } from '../support/fake-objects.ts'

const feed = parseFeedName('items')
if (feed === undefined) throw new Error('items is a name')

function open(now = { at: 0 }) {
  const objects = makeFakeObjects()
  return { now, objects, leases: makeLeases(objects, 'state', () => now.at) }
}

describe('one after the other', () => {
  test('free, held, renewed, let go', async () => {
    const { leases } = open()
    const held = await leases.take(feed, 'one')
    expect(held?.lease).toEqual({ holder: 'one', until: new Date(LEASE_MS).toISOString() })
    expect(await leases.take(feed, 'other')).toBeUndefined()
    expect(await leases.renew(feed, 'other')).toBeUndefined()
    const again = await leases.take(feed, 'one')
    if (!again) throw new Error('the same holder takes it again')
    await leases.write(feed, again, { holder: undefined })
    expect((await leases.take(feed, 'other'))?.lease.holder).toBe('other')
    expect(await leases.renew(feed, 'one')).toBeUndefined()
  })

  test('taken over at the very end of its time, with the run that is open', async () => {
    const { leases, now } = open()
    const held = await leases.take(feed, 'one')
    if (!held) throw new Error('it is free')
    const run = { run: '0123456789abcdef', newest: '1', rows: 3 }
    await leases.write(feed, held, JSON.parse(JSON.stringify({ run: run.run, last: run })))
    now.at = LEASE_MS - 1
    expect(await leases.take(feed, 'other')).toBeUndefined()
    now.at = LEASE_MS
    expect((await leases.take(feed, 'other'))?.lease).toMatchObject({
      holder: 'other',
      run: run.run,
      last: run,
    })
    expect(await leases.renew(feed, 'one')).toBeUndefined()
  })

  test('a holder that is late renews what nobody took', async () => {
    const { leases, now } = open()
    await leases.take(feed, 'one')
    now.at = LEASE_MS * 3
    expect((await leases.renew(feed, 'one'))?.lease.until).toBe(new Date(LEASE_MS * 4).toISOString())
  })

  test('a write under an old token writes nothing', async () => {
    const { leases, objects } = open()
    const old = await leases.take(feed, 'one')
    await leases.renew(feed, 'one')
    if (!old) throw new Error('it is free')
    const before = objects.text('state', 'items/lease.json')
    expect(await leases.write(feed, old, { holder: undefined })).toBeUndefined()
    expect(objects.text('state', 'items/lease.json')).toBe(before)
  })

  test('a lease that a hand has spoilt is said to be', async () => {
    const { leases, objects } = open()
    objects.put('state', 'items/lease.json', '{"until":"tomorrow"}')
    await expect(leases.take(feed, 'one')).rejects.toThrow()
  })
})

/** Two holders do what they do in whatever order the scheduler finds. */
const steps = fc.array(
  fc.constantFrom<'take' | 'renew' | 'release' | 'wait'>('take', 'renew', 'release', 'wait'),
  {
    maxLength: 6,
  },
)

test('two holders never both succeed in one fencing generation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, steps, fc.boolean(), async (scheduler, one, other, ages) => {
      const objects = makeFakeObjects((operation, name) =>
        scheduler.schedule(Promise.resolve(), `${operation} ${name}`),
      )
      const now = { at: 0 }
      const leases = makeLeases(objects, 'state', () => now.at)
      const won: { generation: string; holder: string; until: number; at: number }[] = []
      const play = async (holder: string, script: typeof one) => {
        for (const step of script) {
          if (step === 'wait') {
            if (ages) now.at += LEASE_MS
            continue
          }
          const held = await (step === 'take' ? leases.take(feed, holder) : leases.renew(feed, holder))
          if (!held) continue
          won.push({ generation: held.generation, holder, until: Date.parse(held.lease.until), at: now.at })
          if (step !== 'release') continue
          const released = await leases.write(feed, held, { holder: undefined })
          if (released) won.push({ generation: released.generation, holder: '', until: 0, at: now.at })
        }
      }
      const both = Promise.all([play('one', one), play('other', other)])
      await scheduler.waitFor(both)

      const order = won.toSorted((a, b) => Number(a.generation) - Number(b.generation))
      expect(new Set(order.map(({ generation }) => generation)).size).toBe(order.length)
      for (const [at, next] of order.entries()) {
        const before = order[at - 1]
        if (!before || next.holder === '' || before.holder === '' || next.holder === before.holder) continue
        // Nobody takes from another what has not run out.
        expect(next.at).toBeGreaterThanOrEqual(before.until)
      }
    }),
    { numRuns: 300 },
  )
})
