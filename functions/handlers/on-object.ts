/** `on-object`: an object was finalized; when it makes a snapshot whole, the snapshot waits and the workflow starts. */
import { z } from 'zod'
import { FreshetError } from '../errors.ts'
import { type Arrival, findArrival } from '../feed/arrival.ts'
import type { Feed } from '../feed/feed.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import { parseSnapshotId, type SnapshotId } from '../feed/snapshot-id.ts'
import { coversDelivery, hashOf } from '../plan/ids.ts'
import type { SeenPending } from '../state/state.ts'
import { collectSnapshot } from './collect.ts'
import type { Deps } from './deps.ts'
import { readHeads } from './inspect-heads.ts'
import { makeMessage } from './messages.ts'

/** The part of a StorageObjectData that counts here; numbers come as text. */
const finalized = z.object({
  bucket: z.string(),
  name: z.string(),
  generation: z.union([z.string(), z.number().transform(String)]),
})
type Finalized = z.infer<typeof finalized>

interface Rejection {
  readonly reason: string
  readonly hint: string
  readonly seen: readonly Pick<SourceFile, 'name' | 'generation'>[]
  /** ISO 8601: of the last object, where the snapshot is whole. */
  readonly arrivedAt?: string
}

/** Several events may find the same objects wrong: `run` is the same in each of their messages. */
async function reject(
  deps: Deps,
  feed: Feed,
  snapshot: string,
  object: Finalized,
  { reason, hint, seen, arrivedAt }: Rejection,
): Promise<void> {
  const objects = seen.map(({ name, generation }) => [name, generation]).toSorted()
  const run = hashOf({ feed: feed.name, snapshot, objects, arrivedAt })
  await deps.topic.publish(
    makeMessage(feed, deps.names, deps.now(), {
      status: 'rejected',
      snapshots: [snapshot],
      run,
      ...(arrivedAt !== undefined && { arrivedAt }),
      reason: `${reason}. ${hint}`,
    }),
  )
  deps.log.warn({ feed: feed.name, snapshot, object: object.name, status: 'rejected' }, `rejected: ${reason}`)
}

async function enqueue(deps: Deps, feed: Feed, snapshot: Snapshot, seen: SeenPending): Promise<void> {
  const settled = await deps.state.readSettled(feed.name, snapshot.id)
  const fields = { feed: feed.name, snapshot: snapshot.id }
  if (settled && coversDelivery(settled.fingerprint, snapshot)) {
    deps.log.info({ ...fields, run: settled.run }, `the same files again: ${settled.outcome} before`)
    return
  }
  const added = await deps.state.addPending(feed, snapshot, seen)
  deps.log.info({ ...fields, files: snapshot.files.length }, `snapshot is whole: ${added}`)
  await deps.workflows.startRefresh(feed.name)
}

async function takeSnapshot(
  deps: Deps,
  { feed, role }: Arrival,
  id: SnapshotId,
  object: Finalized,
): Promise<void> {
  // Before the bucket is looked at: another event that sees newer objects and writes first is not written over.
  const seen = await deps.state.seePending(feed, id)
  const collected = await collectSnapshot(deps.objects, object.bucket, feed, id)
  const fields = { feed: feed.name, snapshot: id, object: object.name }
  if (collected.kind === 'waiting')
    return deps.log.info(fields, `not whole yet: waits for ${collected.missing}`)
  if (collected.kind === 'wrong') return reject(deps, feed, id, object, collected)
  const heads = await readHeads(deps.objects, feed, collected.snapshot)
  if (heads.kind === 'problem') {
    const { files, arrivedAt } = collected.snapshot
    return reject(deps, feed, id, object, { ...heads, seen: files, arrivedAt })
  }
  if (role === 'data') deps.log.info(fields, 'the last missing object')
  const { added } = heads
  return enqueue(deps, feed, { ...collected.snapshot, ...(added.length > 0 && { added }) }, seen)
}

async function take(deps: Deps, arrival: Arrival, object: Finalized): Promise<void> {
  const { feed, role, snapshot } = arrival
  const id = parseSnapshotId(snapshot, feed.source.snapshot)
  if (id !== undefined) return takeSnapshot(deps, arrival, id, object)
  if (role === 'data')
    return deps.log.warn({ feed: feed.name, object: object.name }, `${snapshot} is no snapshot id`)
  return reject(deps, feed, snapshot, object, {
    reason: `${object.name}: ${snapshot} is no ${feed.source.snapshot}`,
    hint: 'Name the snapshot as `source.snapshot` of the feed says.',
    seen: [object],
  })
}

/** `data` is the CloudEvent's. Throws `FreshetError`; an event that is thrown back comes again. */
export function makeOnObject(deps: Deps) {
  return async (data: unknown): Promise<void> => {
    const checked = finalized.safeParse(data)
    if (!checked.success)
      throw new FreshetError({
        code: 'bad-request',
        message: 'The event does not describe an object.',
        hint: 'Trigger on google.cloud.storage.object.v1.finalized.',
      })
    const object = checked.data
    if (object.bucket !== deps.names.inbox || object.name.startsWith('_freshet/')) return
    const arrivals = [...deps.feeds.values()].flatMap(feed => findArrival(feed, object.name) ?? [])
    if (arrivals.length === 0) deps.log.info({ object: object.name }, 'no feed takes this object')
    for (const arrival of arrivals) await take(deps, arrival, object)
  }
}
