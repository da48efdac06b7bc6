/** Slots, editions, commitments and the capacity that is recommended. */
import { describe, expect, test } from 'vitest'
import { capacityOf } from '../../functions/estimate/capacity.ts'
import { chooseOffer, makeOffers, secondsAt, slotsThatKeep, timesAt } from '../../functions/estimate/slots.ts'
import { makeStep } from '../../functions/estimate/step.ts'
import { describeCost } from '../../infra/capacity/describe-cost.ts'
import { planCapacity } from '../../infra/capacity/plan-capacity.ts'
import { capacitySchema } from '../../infra/capacity/settings.ts'
import { ASSUMED, estimate, PRICES, retail, wayOf, workloadOf } from './given.ts'

const FULL = { ...ASSUMED, utilisation: 1, fixedSeconds: 0 }
/** Slot-hours of one query. */
const hours = (slotHours: number) => [
  makeStep({ stage: 'deduplicate', what: '', job: 'query', slotMs: slotHours * 3_600_000 }),
]
const terms = { workload: workloadOf(retail()), assumptions: FULL, prices: PRICES }

describe('slots that keep an hour', () => {
  test.each([
    { slotHours: 0.1, slots: 50 },
    { slotHours: 50, slots: 50 },
    { slotHours: 50.1, slots: 100 },
    { slotHours: 1_000, slots: 1_000 },
  ])('$slotHours slot-hours need $slots', ({ slotHours, slots }) => {
    expect(slotsThatKeep(hours(slotHours), 3_600, FULL)).toBe(slots)
  })
  test('waiting and idle slots have to be made up for', () => {
    const assumed = { ...FULL, utilisation: 0.8, fixedSeconds: 600 }
    expect(slotsThatKeep(hours(400), 3_600, assumed)).toBe(600)
    expect(secondsAt(hours(400), 600, assumed)).toBe(3_600)
  })
  test('none keep a promise that is shorter than the waiting', () => {
    expect(slotsThatKeep(hours(1), 300, ASSUMED)).toBeUndefined()
    const short = estimate({ withinSeconds: 300 })
    expect(wayOf(short, 'rewrite').choice).toBeUndefined()
    expect(short.capacity).toBeUndefined()
    expect(short.warnings).toContain('rewrite: no number of slots keeps 5 minutes')
  })
})

describe('offers', () => {
  const offers = makeOffers(hours(1_000), terms)
  const monthOf = (edition: string, plan: string) =>
    offers.find(offer => offer.edition === edition && offer.plan === plan)?.money.month

  test.each([
    { edition: 'STANDARD', plan: 'AUTOSCALE', run: 1_000 * 0.04 },
    { edition: 'ENTERPRISE', plan: 'AUTOSCALE', run: 1_000 * 0.06 },
    { edition: 'ENTERPRISE_PLUS', plan: 'AUTOSCALE', run: 1_000 * 0.1 },
  ])('$edition autoscaled is paid for what it scales', ({ edition, plan, run }) => {
    expect(offers.find(offer => offer.edition === edition && offer.plan === plan)?.money.run).toBeCloseTo(
      run,
      6,
    )
  })
  test.each([
    { edition: 'ENTERPRISE', plan: 'ANNUAL', slotHour: 0.048 },
    { edition: 'ENTERPRISE', plan: 'THREE_YEAR', slotHour: 0.036 },
    { edition: 'ENTERPRISE_PLUS', plan: 'ANNUAL', slotHour: 0.08 },
    { edition: 'ENTERPRISE_PLUS', plan: 'THREE_YEAR', slotHour: 0.06 },
  ])('$edition $plan is paid day and night', ({ edition, plan, slotHour }) => {
    expect(monthOf(edition, plan)).toBeCloseTo(1_000 * 730 * slotHour, 6)
  })
  test('STANDARD has no commitments and ends at 1,600 slots', () => {
    const many = makeOffers(hours(2_000), terms)
    expect(many.filter(({ edition }) => edition === 'STANDARD')).toEqual([
      expect.objectContaining({ slots: 1_600, keepsPromise: false, seconds: 4_500 }),
    ])
    expect(chooseOffer(many, false)?.edition).toBe('ENTERPRISE')
  })
  test('autoscaled slots are paid for a minute at least', () => {
    const enterprise = makeOffers(hours(0.001), terms).find(({ edition }) => edition === 'ENTERPRISE')
    expect(enterprise?.money.run).toBeCloseTo((50 * 0.06) / 60, 9)
  })
  test('applies of changes are no work for STANDARD', () => {
    const editions = wayOf(estimate(), 'cdc').offers.map(({ edition }) => edition)
    expect(editions).not.toContain('STANDARD')
    expect(editions).toContain('ENTERPRISE')
  })
  test('what works all day is cheaper committed', () => {
    const allDay = { ...terms, workload: { ...terms.workload, runsADay: 24 } }
    expect(chooseOffer(makeOffers(hours(2_000), allDay), false)).toMatchObject({ plan: 'THREE_YEAR' })
  })
})

test('on demand is not advised over the 200 TiB that a project may read a day', () => {
  const small = wayOf(estimate({ bytes: 1e9 }), 'rewrite')
  expect(small.choice?.edition).toBe('ON_DEMAND')
  const dear = { ...PRICES, slotHour: { STANDARD: 1e3, ENTERPRISE: 1e3, ENTERPRISE_PLUS: 1e3 } }
  const large = wayOf(estimate({ bytes: 15e12 }, { prices: dear }), 'rewrite')
  expect(large.choice?.edition).toBe('STANDARD')
})

test('the stages of a run take as long as the run', () => {
  const { steps, times } = wayOf(estimate(), 'cdc')
  const sum = times.reduce((seconds, time) => seconds + time.seconds, 0)
  expect(sum).toBeCloseTo(secondsAt(steps, estimate().slots, ASSUMED), 6)
  expect(timesAt([], 50, ASSUMED)).toEqual([])
})

test('while nothing was measured, the slots have a range', () => {
  const slotRange = estimate().slotRange
  expect(slotRange).toEqual({ offBy: 2, least: 500, most: 1_900 })
  expect(estimate({}, { slotMsPerGiB: { rewrite: 9_000 } }).slotRange).toBeUndefined()
})

test('every offer is a capacity that the infrastructure takes', () => {
  for (const { steps, offers } of [
    ...estimate().ways,
    ...estimate({ bytes: 60e12, withinSeconds: 1_800 }).ways,
  ])
    for (const offer of offers) {
      const capacity = capacityOf(steps, offer)
      const plan = planCapacity(capacitySchema.parse(capacity), 'EU', new Map())
      expect(plan.reservations.length).toBe(offer.edition === 'ON_DEMAND' ? 0 : 1)
    }
})

test('applies of changes run in the reservation by BACKGROUND', () => {
  const { steps, choice } = wayOf(estimate(), 'cdc')
  expect(choice && capacityOf(steps, choice).reservations[0]?.assign).toEqual(['BACKGROUND'])
})

test('infrastructure and estimate know the same prices', () => {
  expect(describeCost(false, { reservations: [], commitments: [] })).toContain(`$${PRICES.onDemandPerTiB} `)
  for (const edition of ['STANDARD', 'ENTERPRISE', 'ENTERPRISE_PLUS'] as const) {
    const reservation = {
      name: 'r',
      edition,
      slotCapacity: 0,
      autoscaleMaxSlots: 1_000,
      ignoreIdleSlots: false,
      jobTypes: [],
    }
    expect(describeCost(true, { reservations: [reservation], commitments: [] })).toContain(
      `at most $${PRICES.slotHour[edition] * 1_000} an hour`,
    )
  }
})
