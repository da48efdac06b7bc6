/** Takes a snapshot as it lies in the inbox: it waits to be refreshed, or is wrong and that is told, or is not whole yet. */
import type { Feed } from '../feed/feed.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import { coversDelivery, fingerprintOf, hashOf } from '../plan/ids.ts'
import { collectSnapshot } from './collect.ts'
import type { Deps } from './deps.ts'
import { readHeads } from './inspect-heads.ts'
import { makeMessage } from './messages.ts'

export interface Rejection {
  readonly reason: string
  readonly hint: string
  readonly seen: readonly Pick<SourceFile, 'name' | 'generation'>[]
  /** ISO 8601: of the last object, where the snapshot is whole. */
  readonly arrivedAt?: string
}

/** The same for everybody who finds these objects wrong. */
const runOf = ({ name: feed }: Feed, snapshot: string, { seen, arrivedAt }: Rejection): string =>
  hashOf({
    feed,
    snapshot,
    objects: seen.map(({ name, generation }) => [name, generation]).toSorted(),
    arrivedAt,
  })

export async function tellRejected(
  deps: Deps,
  feed: Feed,
  snapshot: string,
  rejection: Rejection,
  fields: object,
): Promise<void> {
  const { reason, hint, arrivedAt } = rejection
  await deps.topic.publish(
    makeMessage(feed, deps.names, deps.now(), {
      status: 'rejected',
      snapshots: [snapshot],
      run: runOf(feed, snapshot, rejection),
      ...(arrivedAt !== undefined && { arrivedAt }),
      reason: `${reason}. ${hint}`,
    }),
  )
  deps.log.warn({ feed: feed.name, snapshot, ...fields, status: 'rejected' }, `rejected: ${reason}`)
}

/** Several events find the same objects wrong, and so does the sweep. Told before it is noted, so never not at all. */
async function refuse(
  deps: Deps,
  feed: Feed,
  id: SnapshotId,
  rejection: Rejection,
  fields: object,
): Promise<void> {
  const { sightings } = deps.state
  const run = runOf(feed, id, rejection)
  if ((await sightings.readRefused(feed.name, id)) === run)
    return deps.log.info({ feed: feed.name, snapshot: id, ...fields }, 'the same objects were refused before')
  await tellRejected(deps, feed, id, rejection, fields)
  await sightings.writeRefused(feed.name, id, run)
}

async function settledAs(deps: Deps, feed: Feed, snapshot: Snapshot): Promise<string | undefined> {
  const settled = await deps.state.readSettled(feed.name, snapshot.id)
  return settled && coversDelivery(settled.fingerprint, snapshot) ? settled.outcome : undefined
}

/** What is known of a snapshot: the object that was told of, say. */
export interface Sighting {
  readonly fields: object
  /** An event tells of it: then the workflow is woken for what waits already, too. */
  readonly event: boolean
}

/** Answers whether the workflow was woken. Throws `FreshetError`; whoever asked has to ask again. */
export async function takeSnapshot(
  deps: Deps,
  feed: Feed,
  id: SnapshotId,
  { fields, event }: Sighting,
): Promise<boolean> {
  const say = (message: string) => deps.log.info({ feed: feed.name, snapshot: id, ...fields }, message)
  const wake = async (message: string) => {
    say(message)
    await deps.workflows.startRefresh(feed.name)
    return true
  }
  // Before the bucket is looked at: whoever sees newer objects and writes first is not written over.
  const seen = await deps.state.seePending(feed, id)
  const collected = await collectSnapshot(deps.objects, deps.names.inbox, feed, id)
  if (collected.kind === 'waiting') {
    say(`not whole yet: waits for ${collected.missing}`)
    return false
  }
  if (collected.kind === 'wrong') {
    await refuse(deps, feed, id, collected, fields)
    return false
  }
  const { snapshot } = collected
  const outcome = await settledAs(deps, feed, snapshot)
  if (outcome !== undefined) {
    say(`the same files again: ${outcome} before`)
    return false
  }
  if (seen.snapshot && coversDelivery(fingerprintOf(seen.snapshot), snapshot))
    return event ? wake('snapshot is whole: waits already') : false
  const heads = await readHeads(deps.objects, feed, snapshot)
  if (heads.kind === 'problem') {
    const { files, arrivedAt } = snapshot
    await refuse(deps, feed, id, { ...heads, seen: files, arrivedAt }, fields)
    return false
  }
  const { added } = heads
  const waits = { ...snapshot, ...(added.length > 0 && { added }) }
  const written = await deps.state.addPending(feed, waits, seen)
  return wake(`snapshot is whole, with ${snapshot.files.length} files: ${written}`)
}
