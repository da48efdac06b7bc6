/** `complete`: writes the receipt of a run, and once it was announced closes the run and settles its snapshots. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { RunId } from '../feed/names.ts'
import { compareSnapshots, type SnapshotId } from '../feed/snapshot-id.ts'
import { type Envelope, encodeEnvelope, type RefreshMessage } from '../message.ts'
import { findLost } from '../plan/governance.ts'
import { keptModel } from '../plan/model-kept.ts'
import type { LastRefresh, RunRecord, Settled } from '../state/records.ts'
import { type Deps, findFeed } from './deps.ts'
import { type Cost, countRows, makeRefreshed } from './messages.ts'
import { completeRequest, parseRequest, type RanJob } from './request.ts'
import { readHeldRun } from './verify.ts'

export type CompleteAnswer =
  | { readonly kind: 'lost' | 'closed' }
  | { readonly kind: 'receipt'; readonly messages: readonly Envelope[] }

/** One line for each stage: the metric of stage times is made of them. */
function logStages(
  { log }: Deps,
  { plan }: RunRecord,
  jobs: readonly (RanJob & { seconds: number })[],
): void {
  for (const stage of new Set(jobs.map(job => job.stage))) {
    const ran = jobs.filter(job => job.stage === stage)
    const stageSeconds = ran.reduce((sum, { seconds }) => sum + seconds, 0)
    log.info({ feed: plan.feed, run: plan.run, stage, jobs: ran.length, stageSeconds }, `stage ${stage} ran`)
  }
}

async function readCost(
  deps: Deps,
  record: RunRecord,
  jobs: readonly RanJob[],
): Promise<Omit<Cost, 'reason'>> {
  const facts = await Promise.all(jobs.map(job => deps.warehouse.readJob(job)))
  logStages(
    deps,
    record,
    jobs.map((job, at) => ({ ...job, seconds: facts[at]?.seconds ?? 0 })),
  )
  const sum = (of: 'bytesProcessed' | 'slotMs') => facts.reduce((total, fact) => total + (fact?.[of] ?? 0), 0)
  return { bytesProcessed: sum('bytesProcessed'), slotMs: sum('slotMs') }
}

/** The clone has to be of this run's rollback point, row for row, or the run has not refreshed the table. */
async function readAfter(
  deps: Deps,
  { plan, applied }: RunRecord,
): Promise<{ rows: number; reason: string }> {
  if (applied?.kind === 'unchanged') return { rows: plan.rowsBefore, reason: applied.why }
  const [saved, target] = await Promise.all([
    deps.warehouse.readTable(plan.rollbackPoint),
    deps.warehouse.readGoverned(plan.table),
  ])
  if (saved && target?.rows === saved.rows && target.labels.freshet_run === plan.run) {
    // Looked at before the publish already; somebody may have changed the target since.
    const lost = plan.governance ? findLost(plan.governance, target.governance) : []
    return {
      rows: saved.rows,
      reason: lost.length > 0 ? `Refreshed, but the target lost ${lost.join(', ')}.` : '',
    }
  }
  throw new FreshetError({
    code: 'not-found',
    retry: 'later',
    message: `The target of ${plan.feed} does not show run ${plan.run}: ${target ? `${target.rows} rows of run ${target.labels.freshet_run}` : 'it is not there'}.`,
    hint: 'Does something else write the target? Only Freshet may.',
  })
}

async function writeReceipt(
  deps: Deps,
  feed: Feed,
  record: RunRecord,
  jobs: readonly RanJob[],
): Promise<readonly RefreshMessage[]> {
  if (record.messages) return record.messages
  const { plan, verdict, applied } = record
  if (verdict?.kind !== 'proceed')
    throw new FreshetError({
      code: 'bad-request',
      message: `Run ${plan.run} was not let pass.`,
      hint: 'Deploy workflow and functions of one version.',
    })
  const { rows: rowsAfter, reason } = await readAfter(deps, record)
  const rows = countRows(feed, plan, verdict, rowsAfter, applied)
  const cost = { ...(await readCost(deps, record, jobs)), reason }
  if (reason && applied?.kind !== 'unchanged') deps.log.error({ feed: feed.name, run: plan.run }, reason)
  const messages = [makeRefreshed(feed, deps.names, deps.now(), record, rows, cost)]
  await deps.state.updateRun(record, { messages })
  for (const message of messages)
    deps.log.info(
      {
        feed: feed.name,
        run: plan.run,
        snapshots: message.snapshots,
        status: message.status,
        receipt: message,
      },
      message.status,
    )
  return messages
}

interface End {
  readonly id: SnapshotId
  readonly settled: Settled
}

/** A snapshot that was good but shared its run with a bad one stays in `pending/` for the next run. */
function listEnds({ plan, verdict, applied }: RunRecord): End[] {
  const { run } = plan
  const stopped = verdict?.kind === 'stopped' ? verdict.findings : undefined
  const good = applied?.kind === 'unchanged' ? 'unchanged' : 'refreshed'
  const ends = plan.snapshots.flatMap(({ id, fingerprint, content }): End[] => {
    const outcome = stopped ? stopped.find(({ snapshot }) => snapshot === id)?.kind : good
    const applied = outcome === 'refreshed' && content !== undefined ? { run, content } : undefined
    return outcome ? [{ id, settled: { fingerprint, outcome, run, ...(applied && { applied }) } }] : []
  })
  if (stopped) return ends
  const superseded = plan.superseded.map(
    ({ id, fingerprint }): End => ({ id, settled: { fingerprint, outcome: 'superseded', run } }),
  )
  return [...ends, ...superseded]
}

/** Rows that did not change keep the id of the snapshot that brought them first. */
const leavesRows = (applied: RunRecord['applied']): boolean =>
  applied?.kind === 'changed-partitions' || applied?.kind === 'unchanged'

/** Under keep a snapshot may come late: the newest that the table has seen stays the newest, and the measure. */
function nextLast(
  feed: Feed,
  { plan, verdict, rollback, correction, applied, messages }: RunRecord,
  last: LastRefresh | undefined,
): LastRefresh | undefined {
  const newest = (rollback ?? correction)?.newest ?? plan.snapshots.at(-1)?.id
  if (verdict?.kind !== 'proceed' || newest === undefined) return last
  // Who published last, and what can be gone back to, stay where nothing was published.
  const { run, rollbackPoint, beside } = applied?.kind === 'unchanged' && last ? last : plan
  const published = messages?.[0]?.rows.after
  const skipped = last?.skipped || leavesRows(applied) || undefined
  const late = !rollback && last && compareSnapshots(newest, last.newest, feed.source.snapshot) < 0
  const model = keptModel(feed, plan, last?.model)
  if (last && (late || correction)) return { ...last, run, rollbackPoint, beside, published, model, skipped }
  const arrivedAt = plan.snapshots.at(-1)?.arrivedAt ?? rollback?.askedAt
  const { newestRows: rows, filled } = verdict
  return { run, newest, arrivedAt, rows, published, model, rollbackPoint, beside, filled, skipped }
}

/** The lease forgets the run last: a crash before that brings the run to its end once more, which changes nothing. */
async function close(deps: Deps, feed: Feed, holder: string, seen: RunRecord): Promise<CompleteAnswer> {
  const ends = await Promise.all(
    listEnds(seen).map(async end => ({ ...end, seen: await deps.state.seeSettled(feed.name, end.id) })),
  )
  // Renewed after that was seen: whoever takes the lease over from here on and settles first is not written over.
  const mine = await readHeldRun(deps, feed, holder, seen.plan.run)
  if (!mine) return { kind: 'lost' }
  const { held, record } = mine
  for (const { id, settled, seen } of ends) {
    // Rows that were added stay added, whatever becomes of a later delivery.
    const applied = settled.applied ?? seen.settled?.applied
    await deps.state.settle(feed.name, id, { ...settled, ...(applied && { applied }) }, seen.generation)
  }
  await deps.state.updateRun(record, { closedAt: new Date(deps.now()).toISOString() })
  if (record.rollback) await deps.state.requests.removeRollback(feed.name, record.rollback)
  if (record.correction) await deps.state.requests.removeCorrection(feed.name, record.correction)
  const last = nextLast(feed, record, held.lease.last)
  const written = await deps.state.leases.write(feed.name, held, { run: undefined, last })
  return { kind: written ? 'closed' : 'lost' }
}

/** An answer that was lost on its way is asked for again: then the run is closed, and its holder still goes on. */
async function isClosed(deps: Deps, feed: Feed, holder: string, run: RunId): Promise<boolean> {
  const held = await deps.state.leases.read(feed.name)
  if (held?.lease.holder !== holder || held.lease.run !== undefined) return false
  return (await deps.state.readRun(feed.name, run))?.closedAt !== undefined
}

export function makeComplete(deps: Deps) {
  return async (body: unknown): Promise<CompleteAnswer> => {
    const { feed: name, holder, run, jobs, announced } = parseRequest(completeRequest, body)
    const feed = findFeed(deps, name)
    const mine = await readHeldRun(deps, feed, holder, run)
    if (!mine) return { kind: announced && (await isClosed(deps, feed, holder, run)) ? 'closed' : 'lost' }
    if (announced) return close(deps, feed, holder, mine.record)
    const messages = await writeReceipt(deps, feed, mine.record, jobs)
    return { kind: 'receipt', messages: messages.map(encodeEnvelope) }
  }
}
