/** Rows that the load of a snapshot could not read: counted, and told in the quarantine table. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { JobFacts } from '../gcp/ports.ts'
import type { JobBody, PlannedSnapshot, RunPlan } from '../plan/run-plan.ts'
import type { Inspection } from '../plan/stages/inspect.ts'
import { type BadRows, planUnreadable } from '../plan/stages/quarantine.ts'
import type { Deps } from './deps.ts'
import type { RanJob } from './request.ts'

/** How many are told one by one; a job's list of errors ends somewhere too. */
const TOLD = 100
/** As many as the workflow makes: an outage of hours must not end a run for good. */
const ATTEMPTS = 999

/** A job that failed has spent its id: the next attempt has the next one, as in the workflow. */
async function runOnce({ warehouse }: Deps, { jobReference, configuration }: JobBody): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const jobId = jobReference.jobId.replace(/_a1$/, `_a${attempt}`)
    const reference = { ...jobReference, jobId }
    const known = await warehouse.readJob(reference)
    if (known?.error) continue
    await warehouse.runQuery({ configuration, jobReference: reference })
    return
  }
  throw new FreshetError({
    code: 'job-failed',
    message: `Job ${jobReference.jobId} failed ${ATTEMPTS} times.`,
    hint: 'See its errors in BigQuery; the run goes on at the next wake-up once they are mended.',
  })
}

function collectUnreadable(loads: readonly JobFacts[], { raw }: PlannedSnapshot): BadRows {
  const own = loads.filter(({ destination }) => destination?.tableId === raw?.tableId)
  return {
    count: own.reduce((sum, { badRecords = 0 }) => sum + badRecords, 0),
    reasons: own.flatMap(({ errors }) => errors.map(({ message }) => message)),
  }
}

/** One text for each row, as far as the load jobs name them. */
function describeUnreadable({ count, reasons }: BadRows): string[] {
  const told = reasons.slice(0, Math.min(TOLD, count))
  const untold = count - told.length
  return untold > 0 ? [...told, `${untold} rows that could not be read, and are not told one by one`] : told
}

/** The inspections with what the load jobs left out added to their bad rows. */
export async function countUnreadable(
  deps: Deps,
  feed: Feed,
  { run, snapshots }: RunPlan,
  jobs: readonly RanJob[],
  inspections: readonly Inspection[],
): Promise<Inspection[]> {
  if (snapshots.every(({ raw }) => raw === undefined)) return [...inspections]
  const ran = jobs.filter(({ stage }) => stage === 'load')
  const facts = await Promise.all(ran.map(job => deps.warehouse.readJob(job)))
  const loads = facts.filter(fact => fact !== undefined)
  return Promise.all(
    inspections.map(async inspection => {
      const snapshot = snapshots.find(({ id }) => id === inspection.snapshot)
      const unreadable = snapshot && collectUnreadable(loads, snapshot)
      if (!unreadable || unreadable.count === 0) return inspection
      const context = { feed, run, warehouse: deps.names }
      await runOnce(deps, planUnreadable(context, snapshot.id, describeUnreadable(unreadable)))
      const { count = 0, reasons = [] } = inspection.bad ?? {}
      const shown = unreadable.reasons.slice(0, 2)
      return {
        ...inspection,
        bad: { count: count + unreadable.count, reasons: [...reasons, ...shown] },
      }
    }),
  )
}
