/** Rollbacks that somebody asked for and no run has done yet: one object a feed. */
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import type { RollbackRequest } from '../plan/plan-rollback.ts'
import { pathsOf } from './records.ts'

export interface Requests {
  readRollback(feed: FeedName): Promise<RollbackRequest | undefined>
  /** The last one asked for counts. */
  askRollback(feed: FeedName, request: RollbackRequest): Promise<void>
  /** Removes the request unless another was asked for since. */
  removeRollback(feed: FeedName, request: RollbackRequest): Promise<void>
}

export function makeRequests(objects: Objects, bucket: string): Requests {
  async function read(feed: FeedName) {
    const found = await objects.readText(bucket, pathsOf(feed).rollback)
    return found && { request: JSON.parse(found.text) as RollbackRequest, generation: found.generation }
  }
  return {
    readRollback: async feed => (await read(feed))?.request,
    async askRollback(feed, request) {
      await objects.writeText(bucket, pathsOf(feed).rollback, JSON.stringify(request))
    },
    async removeRollback(feed, { to, askedAt }) {
      const found = await read(feed)
      if (found?.request.to === to && found.request.askedAt === askedAt)
        await objects.remove(bucket, pathsOf(feed).rollback, found.generation)
    },
  }
}
