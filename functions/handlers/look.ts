/** Looks through the inbox for snapshots that no event told of: an event may be lost, or given up after a day of trouble. */
import type { Feed } from '../feed/feed.ts'
import { compareSnapshots, parseSnapshotId, type SnapshotId } from '../feed/snapshot-id.ts'
import type { Deps } from './deps.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** The sweep comes by every minute; the inbox is listed less often. */
export const LOOK_EVERY_MS = 10 * 60_000
/** As long as a landing table lives. What lay there before the feed did, or was left alone since, is nobody's loss. */
export const LOOK_BACK_MS = 3 * 86_400_000
/** Snapshots that are looked at, the newest first: each takes a few calls. */
export const MOST_SNAPSHOTS = 20

async function listNewest(deps: Deps, feed: Feed): Promise<SnapshotId[]> {
  const { path, snapshot: kind } = feed.source
  const { prefix, match } = path.level()
  const { names, more } = await deps.objects.listLevel(deps.names.inbox, prefix)
  if (more)
    deps.log.warn(
      { feed: feed.name, prefix, names: names.length },
      'too many names in one folder of the inbox: a lost event is noticed among the first only. Give each snapshot a folder, or let old objects expire.',
    )
  const ids = names.flatMap(name => parseSnapshotId(match(name) ?? '', kind) ?? [])
  const sorted = [...new Set(ids)].toSorted((a, b) => compareSnapshots(b, a, kind))
  return sorted.slice(0, MOST_SNAPSHOTS)
}

/** By the object that completes it, so that one that is old or not there costs one call. */
async function isRecent(deps: Deps, { source }: Feed, id: SnapshotId): Promise<boolean> {
  const { complete, path } = source
  const { objects, names } = deps
  const completing =
    complete.kind === 'single-file'
      ? await objects.list(names.inbox, path.prefix(id))
      : [await objects.stat(names.inbox, complete.object.name(id))]
  const after = deps.now() - LOOK_BACK_MS
  return completing.some(object => object && Date.parse(object.createdAt) > after)
}

/**
 * Snapshots that lie in the inbox as a whole, and that are neither waiting nor settled nor refused as they lie there,
 * are taken as their events would have had it. Answers their ids.
 */
export async function lookForLost(deps: Deps, feed: Feed): Promise<SnapshotId[]> {
  const { sightings } = deps.state
  const now = deps.now()
  if (now < (await sightings.readLooked(feed.name)) + LOOK_EVERY_MS) return []
  const found: SnapshotId[] = []
  for (const id of await listNewest(deps, feed)) {
    if (!(await isRecent(deps, feed, id))) continue
    const fields = { why: 'no event told of it' }
    if (await takeSnapshot(deps, feed, id, { fields, event: false })) found.push(id)
  }
  // Last: what failed on the way is looked for again at once.
  await sightings.writeLooked(feed.name, now)
  return found
}
