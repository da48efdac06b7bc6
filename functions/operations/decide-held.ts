/** `approve` and `reject`: what a person says about a snapshot that stopped at a gate. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { parseSnapshotId, type SnapshotId } from '../feed/snapshot-id.ts'
import { collectSnapshot } from '../handlers/collect.ts'
import { type Deps, findFeed } from '../handlers/deps.ts'
import { readHeads } from '../handlers/inspect-heads.ts'
import { fingerprintOf } from '../plan/ids.ts'
import type { Settled } from '../state/records.ts'

const wrong = (message: string, hint: string) => new FreshetError({ code: 'bad-snapshot', message, hint })

async function findHeld(
  deps: Deps,
  feed: Feed,
  snapshot: string,
): Promise<{ id: SnapshotId; settled: Settled; generation: string }> {
  const id = parseSnapshotId(snapshot, feed.source.snapshot)
  if (id === undefined)
    throw wrong(`${snapshot} is no ${feed.source.snapshot}.`, 'freshet status lists what is held.')
  const { settled, generation } = await deps.state.seeSettled(feed.name, id)
  if (settled?.outcome === 'held') return { id, settled, generation }
  const is = settled ? `was ${settled.outcome}` : 'is not known'
  throw wrong(`Snapshot ${id} of ${feed.name} is not held: it ${is}.`, 'freshet status lists what is held.')
}

/** The files that were held, still as they were: nobody approves what they have not seen. */
async function readHeldFiles(deps: Deps, feed: Feed, id: SnapshotId, settled: Settled): Promise<Snapshot> {
  const collected = await collectSnapshot(deps.objects, deps.names.inbox, feed, id)
  if (collected.kind !== 'whole') {
    const why = collected.kind === 'waiting' ? `it waits for ${collected.missing}` : collected.reason
    throw wrong(`Snapshot ${id} of ${feed.name} is not whole any more: ${why}.`, 'Send it again.')
  }
  if (fingerprintOf(collected.snapshot) === settled.fingerprint) return collected.snapshot
  throw wrong(
    `The files of snapshot ${id} of ${feed.name} are not those that were held.`,
    'The newer files are judged by themselves; see freshet status.',
  )
}

export interface Decision {
  readonly feed: string
  readonly snapshot: string
  readonly decision: 'approved' | 'rejected'
}

/** Lets a held snapshot pass every gate that holds; what is rejected stays so. Throws `FreshetError`. */
export function makeApprove(deps: Deps) {
  return async (name: string, snapshot: string): Promise<Decision> => {
    const feed = findFeed(deps, name)
    const { id, settled } = await findHeld(deps, feed, snapshot)
    const seen = await deps.state.seePending(feed, id)
    const files = await readHeldFiles(deps, feed, id, settled)
    const heads = await readHeads(deps.objects, feed, files)
    if (heads.kind === 'problem') throw wrong(`Snapshot ${id} of ${feed.name}: ${heads.reason}.`, heads.hint)
    const { added } = heads
    await deps.state.addPending(feed, { ...files, approved: true, ...(added.length > 0 && { added }) }, seen)
    await deps.workflows.startRefresh(feed.name)
    deps.log.info({ feed: feed.name, snapshot: id, run: settled.run }, 'approved')
    return { feed: feed.name, snapshot: id, decision: 'approved' }
  }
}

/** Who has approved it already is not overruled: it is on its way into the table, and a rollback brings it out. */
async function checkNotApproved(deps: Deps, feed: Feed, id: SnapshotId): Promise<void> {
  const { snapshot } = await deps.state.seePending(feed, id)
  const run = (await deps.state.leases.read(feed.name))?.lease.run
  const open = run && (await deps.state.readRun(feed.name, run))
  if (!snapshot?.approved && !open?.plan.snapshots.some(planned => planned.id === id)) return
  throw wrong(
    `Snapshot ${id} of ${feed.name} was approved already, or is being refreshed right now.`,
    'Wait for its message; freshet rollback takes it back.',
  )
}

export function makeReject(deps: Deps) {
  return async (name: string, snapshot: string): Promise<Decision> => {
    const feed = findFeed(deps, name)
    const { id, settled, generation } = await findHeld(deps, feed, snapshot)
    await checkNotApproved(deps, feed, id)
    await deps.state.settle(feed.name, id, { ...settled, outcome: 'rejected' }, generation)
    deps.log.info({ feed: feed.name, snapshot: id, run: settled.run }, 'rejected by a person')
    return { feed: feed.name, snapshot: id, decision: 'rejected' }
  }
}
