/** `fail`: tells bad input from passing trouble, and says so; a run that may yet succeed stays open. */
import { z } from 'zod'
import type { Feed } from '../feed/feed.ts'
import type { RunId } from '../feed/names.ts'
import type { JobFacts } from '../gcp/ports.ts'
import { type Envelope, encodeEnvelope, type RefreshMessage } from '../message.ts'
import type { RunPlan } from '../plan/run-plan.ts'
import type { Finding } from '../plan/verdict.ts'
import type { RunRecord } from '../state/records.ts'
import { type Deps, findFeed } from './deps.ts'
import { describeError } from './describe-error.ts'
import { explainFailure } from './explain-failure.ts'
import { makeMessage, makeStopped } from './messages.ts'
import { failRequest, parseRequest } from './request.ts'
import { readHeldRun } from './verify.ts'

/** `stopped`: the run ends, its snapshots are rejected. `failed`: it stays open for the next wake-up. */
export type FailAnswer =
  | { readonly kind: 'lost' }
  | { readonly kind: 'stopped' | 'failed'; readonly messages: readonly Envelope[] }

/** What workflows/refresh.yaml raises for a job that ended with an error. */
const failedJob = z.object({
  job: z.object({ projectId: z.string(), jobId: z.string(), location: z.string() }),
})
/**
 * How a load job says that the files are wrong: docs.cloud.google.com/bigquery/docs/error-messages. What it does not
 * find may also be a table or a dataset, and then sending the files again would not help.
 */
const isBadInput = ({ reason, message }: { reason: string; message: string }): boolean =>
  reason === 'invalid' || (reason === 'notFound' && message.includes('gs://'))

/** The snapshot whose landing table a load job was to fill, when it is the files that were wrong. */
function findBadSnapshot(plan: RunPlan, stage: string, facts: JobFacts | undefined): Finding | undefined {
  const table = facts?.destination?.tableId
  const snapshot = plan.snapshots.find(
    ({ landing, raw }) => table !== undefined && (landing.tableId === table || raw?.tableId === table),
  )
  if (stage !== 'load' || !facts?.error || !snapshot || !isBadInput(facts.error)) return undefined
  // The job's own message counts the errors; the entries after it name object, row and value.
  const details = facts.errors
    .map(({ message }) => message)
    .filter((message, at, all) => all.indexOf(message) === at)
  const reason = details.slice(0, 5).join('; ')
  const wide = /too many partitions/i.test(reason)
  return {
    snapshot: snapshot.id,
    kind: 'rejected',
    reason,
    hint: wide
      ? 'A whole snapshot is loaded by one job, which writes at most 4,000 partitions: partition by a longer time, or send fewer of them.'
      : 'Mend the file and send the snapshot again; the table was not touched.',
  }
}

async function stop(deps: Deps, feed: Feed, record: RunRecord, finding: Finding): Promise<FailAnswer> {
  const { plan } = record
  const findings = [finding]
  const messages = makeStopped(feed, deps.names, deps.now(), plan, findings)
  await deps.state.updateRun(record, {
    verdict: { kind: 'stopped', restore: false, findings },
    messages,
  })
  deps.log.warn(
    { feed: feed.name, run: plan.run, snapshots: [finding.snapshot], status: 'rejected' },
    `rejected: ${finding.reason}`,
  )
  return { kind: 'stopped', messages: messages.map(encodeEnvelope) }
}

/** A run that was stopped says so again, with the same messages: this question came before, its answer was lost. */
function stoppedBefore({ verdict, messages }: RunRecord): readonly RefreshMessage[] | undefined {
  return verdict?.kind === 'stopped' && !verdict.restore ? messages : undefined
}

/** The holder lets go, so that the next wake-up need not wait for the lease to run out. */
async function report(
  deps: Deps,
  feed: Feed,
  holder: string,
  plan: RunPlan | undefined,
  stage: string,
  reason: string,
): Promise<FailAnswer> {
  const held = await deps.state.leases.renew(feed.name, holder)
  if (held) await deps.state.leases.write(feed.name, held, { holder: undefined })
  // Where no plan could be made, it is all that waits.
  const affected = plan?.snapshots ?? (await deps.state.listPending(feed))
  const snapshots = affected.map(({ id }) => id)
  const arrivedAt = affected[0]?.arrivedAt
  const where = stage ? `Stage ${stage}: ` : ''
  deps.log.error(
    { feed: feed.name, run: plan?.run, snapshots, stage, status: 'failed' },
    `failed: ${where}${reason}`,
  )
  const failure = { run: plan?.run ?? '', reason: `${where}${reason}` }
  await deps.state.failures.write(feed.name, { at: new Date(deps.now()).toISOString(), ...failure })
  const message = makeMessage(feed, deps.names, deps.now(), {
    status: 'failed',
    snapshots,
    ...(arrivedAt && { arrivedAt }),
    ...failure,
  })
  return { kind: 'failed', messages: [encodeEnvelope(message)] }
}

/** An answer that was lost on its way is asked for again: by then the lease was let go, and the run is still open. */
async function readReleasedRun(deps: Deps, feed: Feed, run: RunId): Promise<RunRecord | undefined> {
  const held = await deps.state.leases.read(feed.name)
  if (held?.lease.run !== run || held.lease.holder !== undefined) return undefined
  return deps.state.readRun(feed.name, run)
}

export function makeFail(deps: Deps) {
  return async (body: unknown): Promise<FailAnswer> => {
    const request = parseRequest(failRequest, body)
    const feed = findFeed(deps, request.feed)
    const stage = request.stage ?? ''
    const mine = request.run ? await readHeldRun(deps, feed, request.holder, request.run) : undefined
    const record = mine?.record ?? (request.run ? await readReleasedRun(deps, feed, request.run) : undefined)
    if (request.run && !record) return { kind: 'lost' }
    const stopped = mine && stoppedBefore(mine.record)
    if (stopped) return { kind: 'stopped', messages: stopped.map(encodeEnvelope) }
    const job = failedJob.safeParse(request.error)
    const facts = job.success ? await deps.warehouse.readJob(job.data.job) : undefined
    // What was let pass is not stopped any more: another holder has seen the files load well.
    const finding = mine && !mine.record.verdict && findBadSnapshot(mine.record.plan, stage, facts)
    if (mine && finding) return stop(deps, feed, mine.record, finding)
    const told = facts?.error ? `${facts.error.reason}: ${facts.error.message}` : describeError(request.error)
    const reason = `${told} ${explainFailure(told, deps.names)}`.trim()
    return report(deps, feed, request.holder, record?.plan, stage, reason)
  }
}
