/** What was seen in the inbox: when it was looked through last, and which objects were refused as they lay there. */
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import { pathsOf } from './records.ts'

export interface Sightings {
  /** Milliseconds since 1970; 0 when nobody has looked yet. */
  readLooked(feed: FeedName): Promise<number>
  writeLooked(feed: FeedName, at: number): Promise<void>
  /** The `run` of the message that was sent about a snapshot's objects last. */
  readRefused(feed: FeedName, snapshot: string): Promise<string | undefined>
  writeRefused(feed: FeedName, snapshot: string, run: string): Promise<void>
}

export function makeSightings(objects: Objects, bucket: string): Sightings {
  async function read<T>(name: string): Promise<T | undefined> {
    const found = await objects.readText(bucket, name)
    return found && (JSON.parse(found.text) as T)
  }
  const write = async (name: string, value: object) => {
    await objects.writeText(bucket, name, JSON.stringify(value))
  }
  return {
    readLooked: async feed => Date.parse((await read<{ at: string }>(pathsOf(feed).looked))?.at ?? '') || 0,
    writeLooked: (feed, at) => write(pathsOf(feed).looked, { at: new Date(at).toISOString() }),
    readRefused: async (feed, snapshot) =>
      (await read<{ run: string }>(pathsOf(feed).refusedOf(snapshot)))?.run,
    writeRefused: (feed, snapshot, run) => write(pathsOf(feed).refusedOf(snapshot), { run }),
  }
}
