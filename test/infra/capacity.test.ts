/** The arithmetic of reservations, and a sentence that says what to change for every combination that can't be. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { capacityOf } from '../../functions/estimate/capacity.ts'
import { describeCost } from '../../infra/capacity/describe-cost.ts'
import { planCapacity } from '../../infra/capacity/plan-capacity.ts'
import { capacitySchema, EDITIONS, JOB_TYPES } from '../../infra/capacity/settings.ts'

const plan = (given: object, named: readonly [string, string][] = [], location = 'EU') =>
  planCapacity(capacitySchema.parse({ enabled: true, ...given }), location, new Map(named))
const one = (reservation: object) => () =>
  plan({ reservations: [{ name: 'slots', max: 100, ...reservation }] })

test('baseline and maximum become capacity and autoscale', () => {
  const made = plan({
    reservations: [
      { name: 'refresh', baseline: 200, max: 1600, assign: ['QUERY', 'PIPELINE'] },
      { name: 'apply', edition: 'ENTERPRISE_PLUS', max: 400, assign: ['BACKGROUND'] },
    ],
    commitments: [{ slots: 200, plan: 'ANNUAL' }],
  })
  expect(
    made.reservations.map(({ name, slotCapacity, autoscaleMaxSlots }) => [
      name,
      slotCapacity,
      autoscaleMaxSlots,
    ]),
  ).toEqual([
    ['refresh', 200, 1400],
    ['apply', 0, 400],
  ])
  expect(made.commitments).toEqual([
    { slotCount: 200, plan: 'ANNUAL', edition: 'ENTERPRISE', renewalPlan: 'NONE' },
  ])
})

describe('what can not be is refused with what to change', () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      'background work under STANDARD',
      one({ edition: 'STANDARD', assign: ['BACKGROUND'] }),
      /takes BACKGROUND under STANDARD.*choose ENTERPRISE/,
    ],
    [
      'its finer kinds too',
      one({ edition: 'STANDARD', assign: ['BACKGROUND_CHANGE_DATA_CAPTURE'] }),
      /takes BACKGROUND_CHANGE_DATA_CAPTURE under STANDARD/,
    ],
    [
      'more than 1,600 slots under STANDARD',
      one({ edition: 'STANDARD', max: 1650 }),
      /1650 slots under STANDARD, which ends at 1600; lower its max/,
    ],
    [
      'a baseline under STANDARD',
      one({ edition: 'STANDARD', baseline: 50 }),
      /a baseline under STANDARD.*set its baseline to 0/,
    ],
    [
      'a commitment under STANDARD',
      () =>
        plan({
          reservations: [{ name: 'slots', max: 100 }],
          commitments: [{ slots: 100, plan: 'ANNUAL', edition: 'STANDARD' }],
        }),
      /commitment is under STANDARD/,
    ],
    ['slots that are no multiple of 50', one({ max: 120 }), /The max of slots is 120 slots.*make it 150/],
    ['a baseline that is none', one({ baseline: 30 }), /The baseline of slots is 30 slots.*make it 50/],
    [
      'a reservation elsewhere than the data',
      one({ location: 'US' }),
      /slots is in US and the data in EU; move it to EU/,
    ],
    [
      'a maximum below the baseline',
      one({ baseline: 200 }),
      /a max of 100 slots below its baseline of 200; raise the max to 200/,
    ],
    ['no slots at all', one({ max: 0 }), /slots has no slots; set its max to 50/],
    [
      'a job type in two reservations',
      () =>
        plan({
          reservations: [
            { name: 'a-slots', max: 50, assign: ['QUERY'] },
            { name: 'b-slots', max: 50, assign: ['QUERY'] },
          ],
        }),
      /QUERY is assigned to a-slots and to b-slots/,
    ],
    [
      'two reservations of one name',
      () =>
        plan({
          reservations: [
            { name: 'slots', max: 50 },
            { name: 'slots', max: 50 },
          ],
        }),
      /Two reservations are called slots/,
    ],
    [
      'more committed than the baselines',
      () =>
        plan({
          reservations: [{ name: 'slots', baseline: 100, max: 100 }],
          commitments: [{ slots: 200, plan: 'THREE_YEAR' }],
        }),
      /200 slots are committed under ENTERPRISE and the baselines there are 100/,
    ],
    ['nothing', () => plan({}), /enabled and has no reservations/],
    [
      'a feed that names what is not there',
      () => plan({ reservations: [{ name: 'slots', max: 50 }] }, [['cities', 'other']]),
      /cities names the reservation other, which this stack does not have \(it has: slots\)/,
    ],
    [
      'a feed that names one while all is on demand',
      () => plan({ enabled: false }, [['cities', 'slots']]),
      /enabled is false; enable it/,
    ],
  ])('%s', (_, make, sentence) => expect(make).toThrow(sentence))

  test('all that is wrong is told at once', () => {
    expect(one({ edition: 'STANDARD', baseline: 60, max: 2000, location: 'US' })).toThrow(
      /60 slots[\s\S]*2000 slots[\s\S]*baseline under[\s\S]*in US/,
    )
  })
})

test('whatever is let pass, BigQuery lets pass', () => {
  const slots = fc.oneof(
    fc.integer({ min: 0, max: 60 }).map(steps => steps * 50),
    fc.integer({ min: 0, max: 3000 }),
  )
  const reservation = fc.record({
    name: fc.constantFrom('slots', 'others', 'more'),
    edition: fc.constantFrom(...EDITIONS),
    baseline: slots,
    max: slots,
    assign: fc.uniqueArray(fc.constantFrom(...JOB_TYPES), { maxLength: 3 }),
  })
  const seen = { passed: 0 }
  fc.assert(
    fc.property(fc.array(reservation, { minLength: 1, maxLength: 3 }), reservations => {
      let made: ReturnType<typeof plan>
      try {
        made = plan({ reservations })
      } catch {
        return
      }
      seen.passed += 1
      const types = made.reservations.flatMap(({ jobTypes }) => jobTypes)
      expect(new Set(types).size).toBe(types.length)
      for (const { edition, slotCapacity, autoscaleMaxSlots, jobTypes } of made.reservations) {
        const most = slotCapacity + autoscaleMaxSlots
        expect([slotCapacity % 50, autoscaleMaxSlots % 50]).toEqual([0, 0])
        expect(autoscaleMaxSlots).toBeGreaterThanOrEqual(0)
        expect(most).toBeGreaterThan(0)
        if (edition !== 'STANDARD') continue
        expect(slotCapacity).toBe(0)
        expect(most).toBeLessThanOrEqual(1600)
        expect(jobTypes.filter(type => !['QUERY', 'PIPELINE'].includes(type))).toEqual([])
      }
    }),
    { numRuns: 2000, verbose: 1 },
  )
  expect(seen.passed).toBeGreaterThan(20)
})

test('what `freshet estimate` recommends is a capacity of a stack', () => {
  const offers = [
    { edition: 'STANDARD', plan: 'PAYG', slots: 400 },
    { edition: 'ENTERPRISE', plan: 'THREE_YEAR', slots: 1200 },
  ] as unknown as Parameters<typeof capacityOf>[1][]
  const steps = (['load', 'query', 'none'] as const).map(job => ({ job })) as unknown as Parameters<
    typeof capacityOf
  >[0]
  const [standard, committed] = offers.map(offer => plan(capacityOf(steps, offer)))
  expect(standard?.reservations).toMatchObject([
    { slotCapacity: 0, autoscaleMaxSlots: 400, jobTypes: ['PIPELINE', 'QUERY'] },
  ])
  expect(committed).toMatchObject({
    reservations: [{ slotCapacity: 1200 }],
    commitments: [{ slotCount: 1200, plan: 'THREE_YEAR' }],
  })
})

test('says what it costs', () => {
  expect(describeCost(false, { reservations: [], commitments: [] })).toMatch(
    /on demand.*\$6\.25.*15 TiB over \$33,750/,
  )
  const made = plan({
    reservations: [{ name: 'slots', baseline: 100, max: 500 }],
    commitments: [{ slots: 100, plan: 'ANNUAL' }],
  })
  // 100 slots at $0.06 less a fifth, 730 hours; 400 more at $0.06.
  expect(describeCost(true, made)).toMatch(/about \$3,504 a month.*at most \$24 an hour/)
})
