/** The estimate of a feed: every way side by side, the limits it comes near, and the capacity to buy. */
import type { Feed } from '../feed/feed.ts'
import { type CapacitySettings, capacityOf } from './capacity.ts'
import { checkLimits, fullWritesADay, type LimitUse, ON_DEMAND_LIMIT } from './limits.ts'
import type { Assumptions, Prices } from './rates.ts'
import {
  chooseOffer,
  makeOffers,
  type Offer,
  rangeOf,
  type SlotRange,
  type StageTime,
  slotHoursOf,
  timesAt,
} from './slots.ts'
import { GIB, type Step, sumOf } from './step.ts'
import { makeWays, type Way, type WayName } from './ways/index.ts'
import type { Workload } from './workload.ts'

export interface Volume {
  readonly scannedBytes: number
  readonly writtenBytes: number
  readonly streamedBytes: number
  readonly slotHours: number
}

export interface WayEstimate extends Way {
  readonly run: Volume
  readonly day: Volume
  readonly limits: readonly LimitUse[]
  readonly offers: readonly Offer[]
  /** The cheapest offer that keeps the promise. */
  readonly choice?: Offer
  /** Whether its slot-hours come from receipts. */
  readonly measured: boolean
  /** A run at the estimate's slots, stage by stage. */
  readonly times: readonly StageTime[]
}

export interface Estimate {
  readonly feed: string
  readonly table: string
  readonly strategy: WayName
  readonly workload: Workload
  readonly fullWritesADay: number
  readonly ways: readonly WayEstimate[]
  /** Slots at which all ways are timed: those that the feed's own strategy needs. */
  readonly slots: number
  readonly capacity?: CapacitySettings
  /** What the recommendation rests on while no receipt has measured it. */
  readonly slotRange?: SlotRange
  readonly warnings: readonly string[]
}

export interface EstimateInput {
  readonly feed: Feed
  readonly workload: Workload
  readonly prices: Prices
  readonly assumptions: Assumptions
  /** Strategy → slot-milliseconds for a GiB read, from receipts. */
  readonly slotMsPerGiB: Readonly<Record<string, number>>
}

const volumeOf = (steps: readonly Step[], times: number): Volume => ({
  scannedBytes: sumOf(steps, 'scannedBytes') * times,
  writtenBytes: sumOf(steps, 'writtenBytes') * times,
  streamedBytes: sumOf(steps, 'streamedBytes') * times,
  slotHours: slotHoursOf(steps) * times,
})

/** A receipt has one figure for a run: the steps share it in the proportion that is assumed. */
function applyMeasured(steps: readonly Step[], slotMsPerGiB: number | undefined): readonly Step[] {
  const assumed = sumOf(steps, 'slotMs')
  if (slotMsPerGiB === undefined || assumed === 0) return steps
  const factor = ((sumOf(steps, 'scannedBytes') / GIB) * slotMsPerGiB) / assumed
  return steps.map(step => ({ ...step, slotMs: step.slotMs * factor }))
}

function estimateWay(way: Way, input: EstimateInput): Omit<WayEstimate, 'times'> {
  const { workload, assumptions } = input
  const perGiB = input.slotMsPerGiB[way.name]
  const steps = applyMeasured(way.steps, perGiB)
  const offers = way.impossible === undefined ? makeOffers(steps, input) : []
  const limits = checkLimits(steps, workload, assumptions)
  const overQuota = limits.some(({ limit, state }) => limit === ON_DEMAND_LIMIT && state === 'over')
  const choice = chooseOffer(offers, !overQuota)
  return {
    ...way,
    steps,
    run: volumeOf(steps, 1),
    day: volumeOf(steps, workload.runsADay),
    limits,
    offers,
    ...(choice && { choice }),
    measured: perGiB !== undefined,
  }
}

/** Purchase quotas by default: most places 500 to 1,000, us-central1 2,000, EU 5,000, US 10,000. */
const QUOTA_OF_SMALL_PLACES = 500

function warningsOf(
  { name, limits, offers, choice, impossible }: Omit<WayEstimate, 'times'>,
  within: number,
): string[] {
  if (impossible !== undefined) return []
  const round = (value: number) => Math.round(value).toLocaleString('en-US')
  const met = limits
    .filter(({ state }) => state !== 'ok')
    .map(({ limit, used, max, unit, state }) => {
      const against = `${state === 'over' ? 'over' : 'near'} the limit of ${round(max)}`
      return `${name}: ${round(used)} ${limit}${unit && ` ${unit}`}, ${against}`
    })
  const standard = offers.find(({ edition }) => edition === 'STANDARD')
  const late = choice === undefined ? [`${name}: no number of slots keeps ${round(within / 60)} minutes`] : []
  const short =
    standard && !standard.keepsPromise
      ? [
          `${name}: STANDARD ends at ${round(standard.slots)} slots, where a run takes ${round(standard.seconds / 60)} minutes`,
        ]
      : []
  const many =
    choice && choice.edition !== 'ON_DEMAND' && choice.slots > QUOTA_OF_SMALL_PLACES
      ? [
          `${name}: ${round(choice.slots)} slots may be more than the place lets you buy before you ask: 500 to 1,000 in most, 5,000 in the EU, 10,000 in the US`,
        ]
      : []
  return [...met, ...late, ...short, ...many]
}

export function estimateFeed(input: EstimateInput): Estimate {
  const { feed, workload, assumptions } = input
  const ways = makeWays(input).map(way => estimateWay(way, input))
  const own =
    ways.find(({ name }) => name === feed.refresh.strategy) ?? ways.find(({ name }) => name === 'rewrite')
  const drawnAt = own?.offers.find(({ edition }) => edition === 'ENTERPRISE') ?? own?.offers[0]
  const slots = Math.max(drawnAt?.slots ?? 0, 50)
  const slotRange = own && !own.measured ? rangeOf(own.steps, input) : undefined
  return {
    feed: feed.name,
    table: `${feed.table.datasetId}.${feed.table.tableId}`,
    strategy: own?.name ?? 'rewrite',
    workload,
    fullWritesADay: fullWritesADay(workload.partitions),
    ways: ways.map(way => ({ ...way, times: timesAt(way.steps, slots, assumptions) })),
    slots,
    ...(slotRange && { slotRange }),
    ...(own?.choice && { capacity: capacityOf(own.steps, own.choice) }),
    warnings: ways.flatMap(way => warningsOf(way, workload.withinSeconds)),
  }
}
