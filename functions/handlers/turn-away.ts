/** Snapshots that are not applied: told, and settled, before anything of them is loaded. */
import type { Feed } from '../feed/feed.ts'
import type { RunId } from '../feed/names.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import { fingerprintOf } from '../plan/ids.ts'
import type { PendingSnapshot } from '../plan/run-plan.ts'
import type { HeldLease } from '../state/lease.ts'
import type { Deps } from './deps.ts'
import { makeMessage } from './messages.ts'

export interface TurnedAway {
  readonly snapshot: PendingSnapshot
  /** `unchanged`: its rows are in the table. */
  readonly status: 'rejected' | 'unchanged'
  readonly code: string
  readonly reason: string
}

/** Answers the lease as it is then, or `undefined` when it was lost. */
export async function turnAway(
  deps: Deps,
  feed: Feed,
  held: HeldLease,
  all: readonly TurnedAway[],
): Promise<HeldLease | undefined> {
  let mine: HeldLease | undefined = held
  for (const { snapshot, status, code, reason } of all) {
    const fingerprint = fingerprintOf(snapshot)
    const { arrivedAt } = snapshot
    const seen = await deps.state.seeSettled(feed.name, snapshot.id)
    mine = await deps.state.leases.write(feed.name, mine, {})
    if (!mine) return undefined
    await deps.topic.publish(
      makeMessage(feed, deps.names, deps.now(), {
        status,
        snapshots: [snapshot.id],
        run: fingerprint,
        arrivedAt,
        reason,
      }),
    )
    const applied = seen.settled?.applied
    const settled = { fingerprint, outcome: status, run: '', ...(applied && { applied }) }
    await deps.state.settle(feed.name, snapshot.id, settled, seen.generation)
    // `status` is what the metric of outcomes counts.
    deps.log.warn({ feed: feed.name, snapshot: snapshot.id, status, code }, reason)
  }
  return mine
}

/** Whether what `run` did is part of what `last` left: a rollback behind it takes it out again. */
async function isPartOf(deps: Deps, feed: Feed, run: RunId, last: RunId | undefined): Promise<boolean> {
  const wanted = await deps.state.readRun(feed.name, run)
  for (let at = last; at !== undefined; ) {
    if (at === run) return true
    const record = await deps.state.readRun(feed.name, at)
    // Where the chain of runs was cut by hand, what was added once counts as added.
    if (!record || !wanted) return true
    if (record.plannedAt < wanted.plannedAt) return false
    at = record.rollback?.to ?? record.plan.previous?.run
  }
  return false
}

/** Of the snapshots that wait, those whose rows were added before and still are there: what their files held then. */
export async function readApplied(
  deps: Deps,
  feed: Feed,
  { lease }: HeldLease,
  pending: readonly PendingSnapshot[],
): Promise<ReadonlyMap<SnapshotId, string>> {
  const known = new Map<SnapshotId, string>()
  for (const { id } of pending) {
    const { applied } = (await deps.state.readSettled(feed.name, id)) ?? {}
    if (applied && (await isPartOf(deps, feed, applied.run, lease.last?.run))) known.set(id, applied.content)
  }
  return known
}
