/** `plan`: takes the lease and says what to do next: finish the open run, start another, or nothing. */
import { FreshetError } from '../errors.ts'
import { accumulates, type Feed } from '../feed/feed.ts'
import { coversDelivery, fingerprintOf } from '../plan/ids.ts'
import { planCorrection } from '../plan/plan-correction.ts'
import { planRollback } from '../plan/plan-rollback.ts'
import { findStale, planRun } from '../plan/plan-run.ts'
import { findApplied } from '../plan/repeated.ts'
import type { PendingSnapshot, RunPlan } from '../plan/run-plan.ts'
import { encodeUriList } from '../plan/stages/load.ts'
import type { HeldLease } from '../state/lease.ts'
import type { RunRecord } from '../state/records.ts'
import { collectSnapshot } from './collect.ts'
import { type Deps, findFeed } from './deps.ts'
import { parseRequest, planRequest } from './request.ts'
import { readRunState } from './run-state.ts'
import { readApplied, type TurnedAway, turnAway } from './turn-away.ts'
import { encodeStopped, type StoppedAnswer } from './verify.ts'

/** What the workflow does next. `lost`: another execution took the lease over, and goes on. */
export type Turn =
  | {
      readonly kind: 'run'
      readonly run: string
      readonly resumed: boolean
      readonly stages: RunPlan['stages']
      /** Of a run that was stopped already: nothing is loaded again, it is told, cleaned up and closed. */
      readonly verdict?: StoppedAnswer
    }
  | { readonly kind: 'idle' | 'busy' | 'lost' }

function runTurn({ plan, verdict, messages }: RunRecord, resumed: boolean): Turn {
  const stopped = verdict?.kind === 'stopped' && messages && encodeStopped(verdict, messages)
  return {
    kind: 'run',
    run: plan.run,
    resumed,
    stages: plan.stages,
    ...(stopped && { verdict: stopped }),
  }
}

/**
 * Writes the record of a run that nobody has begun. Another may be there: of a holder that planned the same and crashed,
 * or was held up so long that its figures are of another day. Jobs begin only once the lease names the run, so that what
 * is there was never begun either, and gives way. Whoever still writes on that one meets another text. Answers the lease, or
 * `undefined` when it was lost.
 */
async function claimRun(
  deps: Deps,
  feed: Feed,
  held: HeldLease,
  record: RunRecord,
): Promise<HeldLease | undefined> {
  if (await deps.state.createRun(record)) return held
  const known = await deps.state.readRun(feed.name, record.plan.run)
  // Seen first, then the lease: who takes it over from here on replaces the record before this one can.
  const mine = await deps.state.leases.write(feed.name, held, {})
  if (mine && known) await deps.state.replaceRun(known, record)
  return mine
}

/** What a run needs lies there before the run is known, and the run is known before its first job. */
async function startRun(
  deps: Deps,
  feed: Feed,
  held: HeldLease,
  plan: RunPlan,
  asked: Pick<RunRecord, 'rollback' | 'correction'> = {},
): Promise<Turn> {
  for (const list of plan.uriLists)
    await deps.objects.writeText(deps.names.inbox, list.object, encodeUriList(list))
  const record: RunRecord = {
    plan,
    plannedAt: new Date(deps.now()).toISOString(),
    ...asked,
  }
  const mine = await claimRun(deps, feed, held, record)
  const written = mine && (await deps.state.leases.write(feed.name, mine, { run: plan.run }))
  if (!written) return { kind: 'lost' }
  const { run, snapshots, why } = plan
  deps.log.info({ feed: feed.name, run, snapshots: snapshots.map(({ id }) => id), why }, 'run planned')
  return runTurn(record, false)
}

/** The rows of a snapshot are added once: the same files again change nothing, others can't take their place. */
function describeApplied(feed: Feed, { snapshot, same }: ReturnType<typeof findApplied>[number]): TurnedAway {
  const { id } = snapshot
  if (same)
    return {
      snapshot,
      status: 'unchanged',
      code: 'applied',
      reason: `The rows of snapshot ${id} were added before.`,
    }
  const reason = `The rows of snapshot ${id} of ${feed.name} were added before, from other files: they would count twice. Send what is new as a snapshot of its own, or roll the table back first.`
  return { snapshot, status: 'rejected', code: 'applied-otherwise', reason }
}

async function planNext(
  deps: Deps,
  feed: Feed,
  held: HeldLease,
  pending: readonly PendingSnapshot[],
): Promise<Turn> {
  const applied = accumulates(feed) ? await readApplied(deps, feed, held, pending) : undefined
  const state = { ...(await readRunState(deps, feed, held)), ...(applied && { applied }) }
  const next = async (all: readonly TurnedAway[]): Promise<Turn> => {
    const mine = await turnAway(deps, feed, held, all)
    return mine ? turnOf(deps, feed, mine) : { kind: 'lost' }
  }
  const again = findApplied(pending, state)
  if (again.length > 0) return next(again.map(one => describeApplied(feed, one)))
  try {
    return await startRun(deps, feed, held, planRun(feed, pending, state))
  } catch (error) {
    if (!(error instanceof FreshetError) || error.code !== 'stale-snapshot') throw error
    const { code, message, hint } = error
    const reason = `${message} ${hint}`
    return next(
      findStale(feed, pending, state).map(snapshot => ({ snapshot, status: 'rejected', code, reason })),
    )
  }
}

/** An open run is brought to its end before another is planned. */
async function readOpenRun(deps: Deps, feed: Feed, held: HeldLease): Promise<RunRecord | undefined> {
  const { run } = held.lease
  return run && (await deps.state.readRun(feed.name, run))
}

/** A delivery that waits although a newer one of the same snapshot has come and ended. */
async function isOutdated(deps: Deps, feed: Feed, pending: PendingSnapshot): Promise<boolean> {
  const settled = await deps.state.readSettled(feed.name, pending.id)
  if (!settled) return false
  const live = await collectSnapshot(deps.objects, deps.names.inbox, feed, pending.id)
  if (live.kind !== 'whole' || !coversDelivery(settled.fingerprint, live.snapshot)) return false
  return fingerprintOf({ files: pending.files }) !== fingerprintOf({ files: live.snapshot.files })
}

/** An event that was held up for long may write what it saw, after all that came since has ended already. */
async function listWaiting(deps: Deps, feed: Feed): Promise<PendingSnapshot[]> {
  const waiting: PendingSnapshot[] = []
  for (const pending of await deps.state.listPending(feed)) {
    if (await isOutdated(deps, feed, pending)) await deps.state.dropPending(feed, pending)
    else waiting.push(pending)
  }
  return waiting
}

async function turnOf(deps: Deps, feed: Feed, held: HeldLease): Promise<Turn> {
  const open = await readOpenRun(deps, feed, held)
  if (open) return runTurn(open, true)
  const request = await deps.state.requests.readRollback(feed.name)
  if (request)
    return startRun(deps, feed, held, planRollback(feed, request, await readRunState(deps, feed, held)), {
      rollback: request,
    })
  const correction = await deps.state.requests.readCorrection(feed.name)
  if (correction) {
    const plan = planCorrection(feed, correction, await readRunState(deps, feed, held))
    return startRun(deps, feed, held, plan, { correction })
  }
  const pending = await listWaiting(deps, feed)
  if (pending.length > 0) return planNext(deps, feed, held, pending)
  const released = await deps.state.leases.write(feed.name, held, { holder: undefined, run: undefined })
  if (!released) return { kind: 'lost' }
  // Whoever came while the lease was held has gone away: look once more, so that no wake-up is lost.
  if (!(await deps.state.hasWork(feed))) return { kind: 'idle' }
  return takeTurn(deps, feed, held.lease.holder ?? '')
}

async function takeTurn(deps: Deps, feed: Feed, holder: string): Promise<Turn> {
  const held = await deps.state.leases.take(feed.name, holder)
  return held ? turnOf(deps, feed, held) : { kind: 'busy' }
}

export function makePlan(deps: Deps) {
  return async (body: unknown): Promise<Turn> => {
    const { feed, holder } = parseRequest(planRequest, body)
    const turn = await takeTurn(deps, findFeed(deps, feed), holder)
    deps.log.info(
      { feed, holder, turn: turn.kind, ...('run' in turn && { run: turn.run }) },
      `turn: ${turn.kind}`,
    )
    return turn
  }
}
