/** `verify`: reads what inspect counted and decides whether the snapshots may reach staging. */

import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import { type Envelope, encodeEnvelope, type RefreshMessage } from '../message.ts'
import type { Applied } from '../plan/applied.ts'
import { type Found, parseFound } from '../plan/found.ts'
import type { LastSnapshot } from '../plan/gates.ts'
import { planApply } from '../plan/plan-apply.ts'
import {
  type CorrectionRequest,
  judgeCorrected,
  judgeCorrection,
  parseCorrected,
} from '../plan/plan-correction.ts'
import type { RunPlan, Stage } from '../plan/run-plan.ts'
import { parseDuplicates, planDuplicates } from '../plan/stages/duplicates.ts'
import type { Inspection } from '../plan/stages/inspect.ts'
import { findStrays } from '../plan/strategies/changed-partitions/unchanged-objects.ts'
import { stagingOf } from '../plan/tables.ts'
import { type Finding, planAftermath, planVerdict, type Stopped, type Verdict } from '../plan/verdict.ts'
import type { HeldLease } from '../state/lease.ts'
import type { RunRecord } from '../state/records.ts'
import { type Deps, findFeed } from './deps.ts'
import { makeStopped } from './messages.ts'
import { parseRequest, type RanJob, verifyRequest } from './request.ts'
import { findStops } from './stops.ts'
import { countUnreadable } from './unreadable.ts'

export interface StoppedAnswer {
  readonly kind: 'stopped'
  readonly restore: boolean
  readonly messages: readonly Envelope[]
}
export type VerifyAnswer =
  | { readonly kind: 'lost' }
  /** The stages that are still to be run: what was planned is made certain by what was found. */
  | { readonly kind: 'proceed'; readonly stages: readonly Stage[] }
  | StoppedAnswer

export const encodeStopped = ({ restore }: Stopped, messages: readonly RefreshMessage[]): StoppedAnswer => ({
  kind: 'stopped',
  restore,
  messages: messages.map(encodeEnvelope),
})

export interface HeldRun {
  readonly held: HeldLease
  readonly record: RunRecord
}

/** The record of a run for the holder of its lease; `undefined` for everybody else. */
export async function readHeldRun(
  deps: Deps,
  feed: Feed,
  holder: string,
  run: RunPlan['run'],
): Promise<HeldRun | undefined> {
  const held = await deps.state.leases.renew(feed.name, holder)
  if (held?.lease.run !== run) return undefined
  const record = await deps.state.readRun(feed.name, run)
  if (record) return { held, record }
  throw new FreshetError({
    code: 'not-found',
    message: `Run ${run} of ${feed.name} is not in the state bucket.`,
    hint: 'Was it removed by hand? Send the snapshot again.',
  })
}

async function readFound(
  deps: Deps,
  feed: Feed,
  plan: RunPlan,
  jobs: readonly RanJob[],
  last: LastSnapshot | undefined,
): Promise<Found> {
  const inspect = jobs.filter(({ stage }) => stage === 'inspect')
  const rows = (await Promise.all(inspect.map(job => deps.warehouse.readRows(job)))).flat()
  return parseFound(feed, plan, rows, last)
}

/** Only where duplicates stop a run is it worth a second pass over landing to say what they are. */
async function lookCloser(
  deps: Deps,
  feed: Feed,
  plan: RunPlan,
  inspections: readonly Inspection[],
): Promise<readonly Inspection[]> {
  if (feed.gates.duplicateKeys === 'newest') return inspections
  const context = { feed, run: plan.run, warehouse: deps.names }
  return Promise.all(
    inspections.map(async inspection => {
      const snapshot = plan.snapshots.find(({ id }) => id === inspection.snapshot)
      if (!snapshot || snapshot.approved || inspection.duplicate_keys === 0) return inspection
      const { jobReference, configuration } = planDuplicates(context, snapshot)
      // It only reads: each time it is asked it is a new job, so that a failed one spends no id.
      const jobId = `${jobReference.jobId}_${deps.now()}`
      const rows = await deps.warehouse.runQuery({
        configuration,
        jobReference: { ...jobReference, jobId },
      })
      return { ...inspection, duplicates: parseDuplicates(rows) }
    }),
  )
}

interface Judged {
  readonly verdict: Verdict
  readonly applied?: Applied | undefined
}

async function judgeCounted(
  deps: Deps,
  request: CorrectionRequest,
  jobs: readonly RanJob[],
  newestRows: number,
): Promise<Verdict> {
  const [count] = jobs.filter(({ stage }) => stage === 'inspect')
  const rows = count ? await deps.warehouse.readRows(count) : []
  return judgeCorrection(request, parseCorrected(rows), newestRows)
}

async function judgeLanding(
  deps: Deps,
  feed: Feed,
  { held, record }: HeldRun,
  jobs: readonly RanJob[],
): Promise<Judged> {
  const { plan, rollback } = record
  // What was published once is not judged again.
  if (rollback)
    return { verdict: { kind: 'proceed', loaded: 0, keys: 0, outside: 0, newestRows: rollback.rows } }
  if (record.correction)
    return { verdict: await judgeCounted(deps, record.correction, jobs, held.lease.last?.rows ?? 0) }
  const stops = await findStops(deps, feed, plan, held.lease.last)
  if (stops.length > 0) return { verdict: { kind: 'stopped', restore: false, findings: stops } }
  const before = { rows: plan.rowsBefore, last: held.lease.last }
  const found = await readFound(deps, feed, plan, jobs, before.last)
  const strays = findStrays(plan, found.changes?.changes ?? [])
  if (strays.length > 0) return { verdict: { kind: 'stopped', restore: false, findings: strays } }
  const counted = await countUnreadable(deps, feed, plan, jobs, found.inspections)
  const looked = await lookCloser(deps, feed, plan, counted)
  const verdict = planVerdict(feed, plan.snapshots, looked, before)
  if (verdict.kind === 'stopped') return { verdict }
  return { verdict, applied: planApply(feed, plan, found, deps.names) }
}

/** Staging as deduplication left it; `undefined` when it is right. */
async function judgeStaging(deps: Deps, feed: Feed, { record }: HeldRun): Promise<Verdict | undefined> {
  const { plan, verdict, applied, correction } = record
  if (verdict?.kind !== 'proceed') return verdict
  const staging = await deps.warehouse.readTable(stagingOf(feed, deps.names))
  const rows = staging?.rows ?? 0
  if (correction) return judgeCorrected(feed, plan, correction, rows) ?? verdict
  return planAftermath(feed, plan, verdict, rows, applied) ?? verdict
}

/** Once for each run, and a line for each snapshot: the metric of outcomes counts them. */
function logStopped({ log }: Deps, { feed, run }: RunPlan, findings: readonly Finding[]): void {
  for (const { snapshot, kind, reason } of findings)
    log.warn({ feed, run, snapshots: [snapshot], status: kind }, `${kind}: ${reason}`)
}

async function writeVerdict(
  deps: Deps,
  feed: Feed,
  record: RunRecord,
  { verdict, applied }: Judged,
): Promise<VerifyAnswer> {
  const { plan, messages } = record
  const why = applied?.why
  const snapshots = plan.snapshots.map(({ id }) => id)
  deps.log.info({ feed: feed.name, run: plan.run, snapshots, verdict, why }, `verdict: ${verdict.kind}`)
  if (verdict.kind === 'proceed') {
    await deps.state.updateRun(record, { verdict, ...(applied && { applied }) })
    return { kind: 'proceed', stages: applied?.stages ?? plan.stages }
  }
  if (!messages) logStopped(deps, plan, verdict.findings)
  const told = messages ?? makeStopped(feed, deps.names, deps.now(), plan, verdict.findings)
  await deps.state.updateRun(record, { verdict, messages: told })
  return encodeStopped(verdict, told)
}

/** Asked twice in a run: of landing before staging is touched, and of staging before it is saved. */
export function makeVerify(deps: Deps) {
  return async (body: unknown): Promise<VerifyAnswer> => {
    const { feed: name, holder, run, jobs, what } = parseRequest(verifyRequest, body)
    const feed = findFeed(deps, name)
    const mine = await readHeldRun(deps, feed, holder, run)
    if (!mine) return { kind: 'lost' }
    const { verdict: given, applied } = mine.record
    // A verdict stays, and the way with it: who resumes the run meets the one that it was told to follow.
    if (what === 'staging' && given?.kind === 'proceed') {
      const verdict = (await judgeStaging(deps, feed, mine)) ?? given
      return writeVerdict(deps, feed, mine.record, { verdict, applied })
    }
    const judged = given ? { verdict: given, applied } : await judgeLanding(deps, feed, mine, jobs)
    return writeVerdict(deps, feed, mine.record, judged)
  }
}
