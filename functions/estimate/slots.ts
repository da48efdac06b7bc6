/** Slots that keep the promise, and what they cost in each edition and under each commitment. */
import { HOURS_A_MONTH, type Money, moneyOf, priceOfStreaming, priceOnDemand } from './cost.ts'
import {
  type Assumptions,
  COMMITMENTS,
  type Commitment,
  EDITIONS,
  type Edition,
  type Prices,
} from './rates.ts'
import { type Step, sumOf } from './step.ts'
import type { Workload } from './workload.ts'

/** Autoscaling goes by 50 slots and is paid for at least a minute: https://docs.cloud.google.com/bigquery/docs/slots-autoscaling-intro */
const STEP = 50
const LEAST_SECONDS = 60
/** https://docs.cloud.google.com/bigquery/docs/editions-intro */
const STANDARD_MAX = 1_600
/** https://docs.cloud.google.com/bigquery/quotas#max_concurrent_slots_on-demand */
const ON_DEMAND_SLOTS = 2_000

export interface Offer {
  readonly edition: Edition | 'ON_DEMAND'
  readonly plan: 'AUTOSCALE' | Commitment | 'BY_THE_BYTE'
  /** At most; 2,000 on demand. */
  readonly slots: number
  /** Of one run, from the last object to the message. */
  readonly seconds: number
  readonly keepsPromise: boolean
  readonly money: Money
}

export type Terms = {
  readonly workload: Workload
  readonly assumptions: Assumptions
  readonly prices: Prices
}

export const slotHoursOf = (steps: readonly Step[]): number => sumOf(steps, 'slotMs') / 3_600_000

/** Seconds of a run that no slot shortens. */
const fixedSeconds = (steps: readonly Step[], { fixedSeconds, streamBytesASecond }: Assumptions): number =>
  fixedSeconds + sumOf(steps, 'streamedBytes') / streamBytesASecond

const busySeconds = (steps: readonly Step[], slots: number, { utilisation }: Assumptions): number =>
  slots === 0 ? 0 : sumOf(steps, 'slotMs') / 1_000 / (slots * utilisation)

/** Seconds of a run at so many slots. */
export const secondsAt = (steps: readonly Step[], slots: number, assumptions: Assumptions): number =>
  fixedSeconds(steps, assumptions) + busySeconds(steps, slots, assumptions)

export interface StageTime {
  readonly stage: string
  readonly seconds: number
}

/** The stages that take time, in their order; the last is what passes without slots. They sum up to `secondsAt`. */
export function timesAt(steps: readonly Step[], slots: number, assumptions: Assumptions): StageTime[] {
  if (steps.length === 0) return []
  const stages = steps.map(step => ({
    stage: step.stage,
    seconds: step.streamedBytes / assumptions.streamBytesASecond + busySeconds([step], slots, assumptions),
  }))
  const waiting = { stage: 'waiting', seconds: assumptions.fixedSeconds }
  return [...stages, waiting].filter(({ seconds }) => seconds > 0)
}

/** In steps of 50. `undefined`: no number of slots keeps a promise that is shorter than what a run waits for. */
export function slotsThatKeep(
  steps: readonly Step[],
  withinSeconds: number,
  assumptions: Assumptions,
): number | undefined {
  const left = withinSeconds - fixedSeconds(steps, assumptions)
  if (left <= 0) return undefined
  return Math.ceil(busySeconds(steps, 1, assumptions) / left / STEP) * STEP
}

/** Slots that keep the promise if the work is less or more than assumed by so much. */
export interface SlotRange {
  readonly offBy: number
  readonly least: number
  readonly most: number
}

export function rangeOf(
  steps: readonly Step[],
  { assumptions, workload }: Pick<Terms, 'assumptions' | 'workload'>,
): SlotRange | undefined {
  const offBy = assumptions.slotsOffBy
  const at = (factor: number) => {
    const scaled = steps.map(step => ({ ...step, slotMs: step.slotMs * factor }))
    return slotsThatKeep(scaled, workload.withinSeconds, assumptions)
  }
  const [least, most] = [at(1 / offBy), at(offBy)]
  return least === undefined || most === undefined ? undefined : { offBy, least, most }
}

/** Autoscaled slots are paid as they are scaled, not as they are used; a commitment is paid day and night. */
function priceOfRun(
  steps: readonly Step[],
  offer: Pick<Offer, 'slots' | 'edition' | 'plan'>,
  terms: Terms,
): number {
  const { prices, assumptions, workload } = terms
  const { slots, edition, plan } = offer
  const streaming = priceOfStreaming(steps, prices)
  if (edition === 'ON_DEMAND') return priceOnDemand(steps, prices)
  const slotHour = prices.slotHour[edition]
  if (plan === 'AUTOSCALE' || plan === 'BY_THE_BYTE') {
    const seconds = slots === 0 ? 0 : Math.max(LEAST_SECONDS, busySeconds(steps, slots, assumptions))
    return (slots * seconds * slotHour) / 3_600 + streaming
  }
  const month = slots * HOURS_A_MONTH * slotHour * (1 - prices.commitment[plan])
  return month / moneyOf(1, workload.runsADay).month + streaming
}

function makeOffer(
  steps: readonly Step[],
  of: Pick<Offer, 'edition' | 'plan' | 'slots'>,
  terms: Terms,
): Offer {
  const { workload, assumptions } = terms
  const seconds = secondsAt(steps, of.slots, assumptions)
  const money = moneyOf(priceOfRun(steps, of, terms), workload.runsADay)
  return { ...of, seconds, keepsPromise: seconds <= workload.withinSeconds, money }
}

/**
 * On demand first, then each edition with the slots that keep the promise. STANDARD ends at 1,600 slots, has no
 * commitments, and runs no background applies; a promise that no slots keep gets the offer on demand alone.
 */
export function makeOffers(steps: readonly Step[], terms: Terms): Offer[] {
  const onDemand = makeOffer(
    steps,
    { edition: 'ON_DEMAND', plan: 'BY_THE_BYTE', slots: ON_DEMAND_SLOTS },
    terms,
  )
  const needed = slotsThatKeep(steps, terms.workload.withinSeconds, terms.assumptions)
  if (needed === undefined) return [onDemand]
  const background = steps.some(({ job }) => job === 'background')
  const editions = EDITIONS.filter(edition => edition !== 'STANDARD' || !background)
  const offers = editions.flatMap(edition => {
    const slots = edition === 'STANDARD' ? Math.min(needed, STANDARD_MAX) : needed
    const plans = edition === 'STANDARD' ? [] : COMMITMENTS
    return (['AUTOSCALE', ...plans] as const).map(plan => makeOffer(steps, { edition, plan, slots }, terms))
  })
  return [onDemand, ...offers]
}

/** The cheapest that keeps the promise; on demand only where the project's daily quota of bytes allows it. */
export const chooseOffer = (offers: readonly Offer[], onDemandAllowed: boolean): Offer | undefined =>
  offers
    .filter(({ keepsPromise, edition }) => keepsPromise && (edition !== 'ON_DEMAND' || onDemandAllowed))
    .toSorted((a, b) => a.money.month - b.money.month)[0]
