/** Laws of estimates: more work is never cheaper, a tighter promise never needs fewer slots. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WAYS } from '../../functions/estimate/ways/index.ts'
import type { Workload } from '../../functions/estimate/workload.ts'
import { estimate, wayOf } from './given.ts'

const size = fc.double({ min: 1e6, max: 1e15, noNaN: true })
const factor = fc.double({ min: 1, max: 50, noNaN: true })
const runs = fc.integer({ min: 1, max: 48 })
const way = fc.constantFrom(...WAYS)

/** Where no slots keep the promise, there would have to be infinitely many. */
const costOf = (given: Partial<Workload>, name: string) => {
  const { offers, run, day } = wayOf(estimate(given), name)
  const enterprise = offers.find(({ edition, plan }) => edition === 'ENTERPRISE' && plan === 'AUTOSCALE')
  return {
    onDemand: offers[0]?.money.month ?? 0,
    slots: enterprise?.slots ?? Number.POSITIVE_INFINITY,
    run,
    day,
  }
}

test('more bytes are never cheaper, and never need fewer slots', () => {
  fc.assert(
    fc.property(size, factor, way, (bytes, times, name) => {
      const [less, more] = [costOf({ bytes }, name), costOf({ bytes: bytes * times }, name)]
      expect(more.onDemand).toBeGreaterThanOrEqual(less.onDemand)
      expect(more.run.slotHours).toBeGreaterThanOrEqual(less.run.slotHours)
      expect(more.slots).toBeGreaterThanOrEqual(less.slots)
    }),
  )
})

test('more runs a day cost more in proportion', () => {
  fc.assert(
    fc.property(runs, runs, way, (one, other, name) => {
      const [a, b] = [costOf({ runsADay: one }, name), costOf({ runsADay: other }, name)]
      expect(a.onDemand / one).toBeCloseTo(b.onDemand / other, 6)
      expect(a.day.scannedBytes / one).toBeCloseTo(b.day.scannedBytes / other, -3)
    }),
  )
})

test('a tighter promise never needs fewer slots', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 400, max: 90_000 }),
      fc.integer({ min: 1, max: 90_000 }),
      way,
      (within, more, name) => {
        const tight = costOf({ withinSeconds: within }, name)
        expect(tight.slots).toBeGreaterThanOrEqual(costOf({ withinSeconds: within + more }, name).slots)
      },
    ),
  )
})

test('more changed partitions never read less', () => {
  const changed = fc.integer({ min: 0, max: 731 })
  fc.assert(
    fc.property(changed, changed, (one, other) => {
      const read = (changedPartitions: number) =>
        costOf({ changedPartitions }, 'changed-partitions').run.scannedBytes
      expect(read(Math.max(one, other))).toBeGreaterThanOrEqual(read(Math.min(one, other)))
    }),
  )
})

test('every choice keeps the promise, and none that keeps it is cheaper', () => {
  fc.assert(
    fc.property(size, runs, way, (bytes, runsADay, name) => {
      const { choice, offers } = wayOf(estimate({ bytes, runsADay }), name)
      if (!choice) return
      expect(choice.keepsPromise).toBe(true)
      const slots = offers.filter(({ edition, keepsPromise }) => keepsPromise && edition !== 'ON_DEMAND')
      for (const { money } of slots) expect(money.month).toBeGreaterThanOrEqual(choice.money.month)
    }),
  )
})

test('slots come in steps of 50', () => {
  fc.assert(
    fc.property(size, way, (bytes, name) => {
      for (const { slots } of wayOf(estimate({ bytes }), name).offers) expect(slots % 50).toBe(0)
    }),
  )
})
