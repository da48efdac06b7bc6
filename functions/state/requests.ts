/** Rollbacks and corrections that somebody asked for and no run has done yet: one object of each a feed. */
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import type { CorrectionRequest } from '../plan/plan-correction.ts'
import type { RollbackRequest } from '../plan/plan-rollback.ts'
import { pathsOf } from './records.ts'

export interface Requests {
  readRollback(feed: FeedName): Promise<RollbackRequest | undefined>
  /** The last one asked for counts. */
  askRollback(feed: FeedName, request: RollbackRequest): Promise<void>
  /** Removes the request unless another was asked for since. */
  removeRollback(feed: FeedName, request: RollbackRequest): Promise<void>
  readCorrection(feed: FeedName): Promise<CorrectionRequest | undefined>
  /** Answers false, and asks for nothing, where another one waits. */
  askCorrection(feed: FeedName, request: CorrectionRequest): Promise<boolean>
  removeCorrection(feed: FeedName, request: CorrectionRequest): Promise<void>
}

export function makeRequests(objects: Objects, bucket: string): Requests {
  async function read(feed: FeedName) {
    const found = await objects.readText(bucket, pathsOf(feed).rollback)
    return found && { request: JSON.parse(found.text) as RollbackRequest, generation: found.generation }
  }
  async function readCorrection(feed: FeedName) {
    const found = await objects.readText(bucket, pathsOf(feed).correction)
    return found && { request: JSON.parse(found.text) as CorrectionRequest, generation: found.generation }
  }
  return {
    readCorrection: async feed => (await readCorrection(feed))?.request,
    askCorrection: async (feed, request) =>
      (await objects.writeText(bucket, pathsOf(feed).correction, JSON.stringify(request), '0')) !== undefined,
    async removeCorrection(feed, { askedAt }) {
      const found = await readCorrection(feed)
      if (found?.request.askedAt === askedAt)
        await objects.remove(bucket, pathsOf(feed).correction, found.generation)
    },
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
