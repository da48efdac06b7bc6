/** A change file has arrived: it is noted, once, and the workflow `apply-changes` starts. */
import { NO_CHANGES } from '../cdc/count-file.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { hashOf } from '../plan/ids.ts'
import type { ChangeDeps } from './change-deps.ts'

interface Arrived {
  readonly bucket: string
  readonly name: string
  readonly generation: string
}

async function take(deps: ChangeDeps, feed: ChangeFeed, arrived: Arrived): Promise<void> {
  const { bucket, name, generation } = arrived
  const found = await deps.objects.stat(bucket, name)
  const fields = { feed: feed.name, object: name }
  if (found?.generation !== generation) {
    deps.log.info(fields, 'replaced or removed since: its newer generation has an event of its own')
    return
  }
  const id = hashOf({ object: name, generation })
  const added = await deps.deliveries.add({
    id,
    feed: feed.name,
    bucket,
    object: name,
    generation,
    size: found.size,
    arrivedAt: found.createdAt,
    phase: 'check',
    line: 0,
    counts: NO_CHANGES,
  })
  deps.log.info({ ...fields, delivery: id }, `change file: ${added}`)
  // Also when it waits already: the event may come again because the start failed.
  if (added !== 'done before') await deps.applies.startApply(feed.name, id)
}

/** Takes a finalized object for every change feed that it belongs to; answers how many those are. */
export function makeTakeChangeFile(deps: ChangeDeps) {
  return async (arrived: Arrived): Promise<number> => {
    const feeds = [...deps.changeFeeds.values()].filter(feed => feed.source.path.matches(arrived.name))
    for (const feed of feeds) await take(deps, feed, arrived)
    return feeds.length
  }
}
