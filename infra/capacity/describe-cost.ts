/** What a stack's capacity comes to, as a sentence for the person at the preview. */
import type { CapacityPlan } from './plan-capacity.ts'

/** List prices of the US in November 2026, in dollars; other regions differ by up to a third. cloud.google.com/bigquery/pricing */
const PER_TIB = 6.25
const PER_SLOT_HOUR: Readonly<Record<string, number>> = {
  STANDARD: 0.04,
  ENTERPRISE: 0.06,
  ENTERPRISE_PLUS: 0.1,
}
const SHARE_OF: Readonly<Record<string, number>> = { ANNUAL: 0.8, THREE_YEAR: 0.6 }
const HOURS_A_MONTH = 730

const dollars = (amount: number) => `$${Math.round(amount).toLocaleString('en-US')}`

/** Commitments lower the price of as many slots of the baselines; autoscaled slots are paid only while they are there. */
function describeReservations({ reservations, commitments }: CapacityPlan): string {
  const price = (edition: string) => PER_SLOT_HOUR[edition] ?? 0
  const baselines = reservations.reduce(
    (sum, { slotCapacity, edition }) => sum + slotCapacity * price(edition),
    0,
  )
  const saved = commitments.reduce(
    (sum, { slotCount, edition, plan }) => sum + slotCount * price(edition) * (1 - (SHARE_OF[plan] ?? 1)),
    0,
  )
  const atMost = reservations.reduce(
    (sum, { autoscaleMaxSlots, edition }) => sum + autoscaleMaxSlots * price(edition),
    0,
  )
  return `Capacity: baselines cost about ${dollars((baselines - saved) * HOURS_A_MONTH)} a month whether used or not; autoscaling adds at most ${dollars(atMost)} an hour, by the second and for at least a minute (US list prices).`
}

export function describeCost(enabled: boolean, plan: CapacityPlan): string {
  if (enabled) return describeReservations(plan)
  return `Capacity: on demand. Queries cost about $${PER_TIB} for each TiB that they read (US list price), nothing at rest: a refresh reads staging with what was appended to it, twice the table, and the key columns of landing, so a table of 1 TiB six times a day is over ${dollars(PER_TIB * 2 * 6 * 30)} a month, and one of 15 TiB over ${dollars(PER_TIB * 2 * 15 * 6 * 30)}; freshet estimate tells it for a feed. Loads, copies, saves and clones are free. freshet:capacity buys slots instead.`
}
