/** `on-object`: an object was finalized; when it makes a snapshot whole, the snapshot waits and the workflow starts. */
import { z } from 'zod'
import { FreshetError } from '../errors.ts'
import { type Arrival, findArrival } from '../feed/arrival.ts'
import { parseSnapshotId } from '../feed/snapshot-id.ts'
import type { Deps } from './deps.ts'
import { takeSnapshot, tellRejected } from './take-snapshot.ts'

/** The part of a StorageObjectData that counts here; numbers come as text. */
const finalized = z.object({
  bucket: z.string(),
  name: z.string(),
  generation: z.union([z.string(), z.number().transform(String)]),
})
type Finalized = z.infer<typeof finalized>

async function take(deps: Deps, arrival: Arrival, object: Finalized): Promise<void> {
  const { feed, role, snapshot } = arrival
  const fields = { object: object.name }
  const id = parseSnapshotId(snapshot, feed.source.snapshot)
  if (id !== undefined) {
    await takeSnapshot(deps, feed, id, { fields, event: true })
    return
  }
  if (role === 'data')
    return deps.log.warn({ feed: feed.name, object: object.name }, `${snapshot} is no snapshot id`)
  const rejection = {
    reason: `${object.name}: ${snapshot} is no ${feed.source.snapshot}`,
    hint: 'Name the snapshot as `source.snapshot` of the feed says.',
    seen: [object],
  }
  return tellRejected(deps, feed, snapshot, rejection, fields)
}

/** `data` is the CloudEvent's. Throws `FreshetError`; an event that is thrown back comes again. */
export function makeOnObject(
  deps: Deps,
  /** Takes it for the change feeds that it belongs to; answers how many those are. */
  takeChangeFile?: (object: Finalized) => Promise<number>,
) {
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
    const changes = takeChangeFile ? await takeChangeFile(object) : 0
    if (arrivals.length + changes === 0) deps.log.info({ object: object.name }, 'no feed takes this object')
    for (const arrival of arrivals) await take(deps, arrival, object)
  }
}
