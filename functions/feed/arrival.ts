/** What an object's name says: which feed it belongs to, as what, and of which snapshot. */
import type { Feed } from './feed.ts'

export interface Arrival {
  readonly feed: Feed
  /** `completes`: the manifest, the marker or the single file. */
  readonly role: 'data' | 'completes'
  /** The text at {snapshot}; whether it is a snapshot id has still to be seen. */
  readonly snapshot: string
}

export function findArrival(feed: Feed, name: string): Arrival | undefined {
  const { complete, path } = feed.source
  const completing = complete.kind === 'single-file' ? undefined : complete.object.match(name)
  if (completing !== undefined) return { feed, role: 'completes', snapshot: completing }
  const snapshot = path.match(name)
  if (snapshot === undefined) return undefined
  return { feed, role: complete.kind === 'single-file' ? 'completes' : 'data', snapshot }
}
