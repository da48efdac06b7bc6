/** What the handlers of change feeds are given beside what all handlers are. */
import { FreshetError } from '../errors.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import type { ApplyStarter, ChangeStreams, ChangeTables, ObjectStreams } from '../gcp/change-ports.ts'
import type { Objects } from '../gcp/ports.ts'
import type { Deliveries } from '../state/deliveries.ts'
import type { Deps } from './deps.ts'

export interface ChangeDeps extends Omit<Deps, 'feeds' | 'state'> {
  readonly changeFeeds: ReadonlyMap<string, ChangeFeed>
  readonly objects: Objects & ObjectStreams
  readonly warehouse: Deps['warehouse'] & ChangeTables
  readonly streams: ChangeStreams
  readonly applies: ApplyStarter
  readonly deliveries: Deliveries
  /** A text that was never used before. */
  nonce(): string
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>
}

export function findChangeFeed({ changeFeeds }: ChangeDeps, name: string): ChangeFeed {
  const feed = changeFeeds.get(name)
  if (feed) return feed
  throw new FreshetError({
    code: 'unknown-feed',
    message: `There is no change feed ${name}.`,
    hint: `The change feeds are: ${[...changeFeeds.keys()].join(', ') || 'none'}.`,
  })
}
