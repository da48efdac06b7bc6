/** The arithmetic of reservations: what the settings come to, or a sentence for everything that can't be. */
import type { Capacity, JobType, ReservationSettings } from './settings.ts'

export interface PlannedReservation {
  readonly name: string
  readonly edition: string
  /** The baseline. */
  readonly slotCapacity: number
  /** Slots above the baseline that autoscaling may add; 0 when there is none. */
  readonly autoscaleMaxSlots: number
  readonly ignoreIdleSlots: boolean
  readonly jobTypes: readonly JobType[]
}
export interface PlannedCommitment {
  readonly slotCount: number
  readonly plan: string
  readonly edition: string
  readonly renewalPlan: string
}
export interface CapacityPlan {
  readonly reservations: readonly PlannedReservation[]
  readonly commitments: readonly PlannedCommitment[]
}

/** Slots come in steps of this many. docs.cloud.google.com/bigquery/docs/slots-autoscaling-intro */
const STEP = 50
/** docs.cloud.google.com/bigquery/docs/editions-intro */
const STANDARD_MAX = 1_600
const STANDARD_TYPES: readonly JobType[] = ['QUERY', 'PIPELINE']

const steps = (slots: number) => Math.ceil(slots / STEP) * STEP
const notInSteps = (what: string, slots: number) =>
  slots % STEP === 0
    ? []
    : [`${what} is ${slots} slots; slots come in steps of ${STEP}, so make it ${steps(slots)}`]

function checkStandard({ name, baseline, max, assign }: ReservationSettings): string[] {
  const problems: string[] = []
  if (max > STANDARD_MAX)
    problems.push(
      `${name} has ${max} slots under STANDARD, which ends at ${STANDARD_MAX}; lower its max or choose ENTERPRISE`,
    )
  if (baseline > 0)
    problems.push(
      `${name} has a baseline under STANDARD, which has none; set its baseline to 0 or choose ENTERPRISE`,
    )
  for (const type of assign.filter(type => !STANDARD_TYPES.includes(type)))
    problems.push(
      `${name} takes ${type} under STANDARD, which runs only QUERY and PIPELINE; choose ENTERPRISE`,
    )
  return problems
}

function checkReservation(reservation: ReservationSettings, dataLocation: string): string[] {
  const { name, edition, location, baseline, max, assign } = reservation
  const problems = [
    ...notInSteps(`The baseline of ${name}`, baseline),
    ...notInSteps(`The max of ${name}`, max),
    ...(edition === 'STANDARD' ? checkStandard(reservation) : []),
  ]
  if (max < baseline)
    problems.push(
      `${name} has a max of ${max} slots below its baseline of ${baseline}; raise the max to ${baseline} or more`,
    )
  if (max === 0) problems.push(`${name} has no slots; set its max to ${STEP} or more`)
  if (location !== undefined && location.toLowerCase() !== dataLocation.toLowerCase())
    problems.push(
      `${name} is in ${location} and the data in ${dataLocation}; move it to ${dataLocation}, or leave location out`,
    )
  if (new Set(assign).size < assign.length) problems.push(`${name} takes a job type twice; name each once`)
  return problems
}

/** A project runs each job type in one reservation. */
function checkTogether({ reservations }: Capacity): string[] {
  const problems: string[] = []
  const taken = new Map<JobType, string>()
  for (const [at, { name, assign }] of reservations.entries()) {
    if (reservations.findIndex(other => other.name === name) !== at)
      problems.push(`Two reservations are called ${name}; rename one`)
    for (const type of assign) {
      const other = taken.get(type)
      if (other !== undefined && other !== name)
        problems.push(
          `${type} is assigned to ${other} and to ${name}; a project runs a job type in one reservation, so take it out of one`,
        )
      taken.set(type, name)
    }
  }
  return problems
}

/** A commitment pays for baselines: what is above them is bought for nothing. */
function checkCommitments({ commitments, reservations }: Capacity): string[] {
  const problems = commitments.flatMap(({ slots, edition }) => [
    ...notInSteps('A commitment', slots),
    ...(slots === 0 ? ['A commitment has no slots; take it out'] : []),
    ...(edition === 'STANDARD'
      ? ['A commitment is under STANDARD, which has none; choose ENTERPRISE or take it out']
      : []),
  ])
  for (const edition of new Set(commitments.map(({ edition }) => edition))) {
    const ours = (one: { readonly edition: string }) => one.edition === edition
    const committed = commitments.filter(ours).reduce((sum, { slots }) => sum + slots, 0)
    const baseline = reservations.filter(ours).reduce((sum, { baseline }) => sum + baseline, 0)
    if (edition !== 'STANDARD' && committed > baseline)
      problems.push(
        `${committed} slots are committed under ${edition} and the baselines there are ${baseline}; commitments pay for baselines only, so raise a baseline or commit less`,
      )
  }
  return problems
}

/** Feeds may name a reservation of the stack; jobs carry it. */
function checkFeeds({ reservations, enabled }: Capacity, named: ReadonlyMap<string, string>): string[] {
  return [...named].flatMap(([feed, reservation]) => {
    if (!enabled)
      return [
        `The feed ${feed} names the reservation ${reservation}, but freshet:capacity.enabled is false; enable it, or take it out of the feed`,
      ]
    if (reservations.some(({ name }) => name === reservation)) return []
    const known = reservations.map(({ name }) => name).join(', ') || 'none'
    return [
      `The feed ${feed} names the reservation ${reservation}, which this stack does not have (it has: ${known}); add it to freshet:capacity.reservations`,
    ]
  })
}

/** `named`: feed → the reservation that it names. Throws one error with a sentence for each problem. */
export function planCapacity(
  capacity: Capacity,
  dataLocation: string,
  named: ReadonlyMap<string, string>,
): CapacityPlan {
  const { enabled, reservations, commitments } = capacity
  const problems = checkFeeds(capacity, named)
  if (enabled && reservations.length === 0)
    problems.push('freshet:capacity is enabled and has no reservations; add one, or set enabled to false')
  problems.push(
    ...reservations.flatMap(reservation => checkReservation(reservation, dataLocation)),
    ...checkTogether(capacity),
    ...checkCommitments(capacity),
  )
  if (problems.length > 0)
    throw new Error(`The capacity of this stack can't be:\n  ${problems.join('.\n  ')}.`)
  if (!enabled) return { reservations: [], commitments: [] }
  return {
    reservations: reservations.map(({ name, edition, baseline, max, assign, ignoreIdleSlots }) => ({
      name,
      edition,
      slotCapacity: baseline,
      autoscaleMaxSlots: max - baseline,
      ignoreIdleSlots,
      jobTypes: assign,
    })),
    commitments: commitments.map(({ slots, plan, edition, renewal }) => ({
      slotCount: slots,
      plan,
      edition,
      renewalPlan: renewal,
    })),
  }
}
