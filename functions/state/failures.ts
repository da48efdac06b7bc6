/** The last failure of a feed's run: why nothing moves, for whoever asks. */
import { z } from 'zod'
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import { pathsOf } from './records.ts'

const failureSchema = z.object({
  at: z.iso.datetime(),
  /** Empty where no plan could be made. */
  run: z.string(),
  reason: z.string(),
})
export type Failure = z.infer<typeof failureSchema>

export interface Failures {
  read(feed: FeedName): Promise<Failure | undefined>
  /** The newest replaces what was told before. */
  write(feed: FeedName, failure: Failure): Promise<void>
}

export function makeFailures(objects: Objects, bucket: string): Failures {
  return {
    async read(feed) {
      const found = await objects.readText(bucket, pathsOf(feed).failed)
      return found && failureSchema.parse(JSON.parse(found.text))
    },
    async write(feed, failure) {
      await objects.writeText(bucket, pathsOf(feed).failed, JSON.stringify(failure))
    },
  }
}
