/** Change files on their way into their tables: one object for each, under a holder, until it is done. */
import type { FileCounts } from '../cdc/count-file.ts'
import { FreshetError } from '../errors.ts'
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import type { RefreshMessage } from '../message.ts'

/** Longer than a call of `apply` takes: a holder that is gone for that long is gone for good. */
export const HOLD_MS = 15 * 60_000

/** `<feed>/changes/open/<id>.json`, and `…/done/<id>.json` when it is over. */
export interface Delivery {
  /** A hash of object and generation. */
  readonly id: string
  readonly feed: FeedName
  readonly bucket: string
  readonly object: string
  readonly generation: string
  /** Bytes as stored. */
  readonly size: number
  /** ISO 8601 */
  readonly arrivedAt: string
  /** Read to its end first; then sent; then waited for until BigQuery has applied it. */
  readonly phase: 'check' | 'send' | 'wait' | 'over'
  /** Lines that the phase is done with. */
  readonly line: number
  readonly counts: FileCounts
  /** ISO 8601: when BigQuery confirmed the last append. */
  readonly sentAt?: string
  /** The workflow execution that works on it, and until when nobody else does. */
  readonly holder?: string | undefined
  readonly until?: string | undefined
  /** What is told in the end; there before it is published. */
  readonly messages?: readonly RefreshMessage[]
}

export interface HeldDelivery {
  readonly delivery: Delivery
  /** Of its object: a write by anybody else in between is noticed. */
  readonly generation: string
}

export interface Deliveries {
  /** Create-only: a second event changes nothing. */
  add(delivery: Delivery): Promise<'added' | 'waits already' | 'done before'>
  /** `over`: it is done, or never was; `busy`: another execution has it. */
  take(feed: FeedName, id: string, holder: string): Promise<HeldDelivery | 'over' | 'busy'>
  /** Throws `state-conflict` when somebody else wrote it meanwhile. */
  save(held: HeldDelivery, change: Partial<Delivery>): Promise<HeldDelivery>
  /** First the record of the end, then its place among the open ones, so that a crash between loses nothing. */
  finish(held: HeldDelivery): Promise<void>
  listOpen(feed: FeedName): Promise<readonly Delivery[]>
  /** The ones that ended last, newest first. */
  listDone(feed: FeedName, most: number): Promise<readonly Delivery[]>
}

const pathsOf = (feed: FeedName) => ({
  open: `${feed}/changes/open/`,
  done: `${feed}/changes/done/`,
  openOf: (id: string) => `${feed}/changes/open/${id}.json`,
  doneOf: (id: string) => `${feed}/changes/done/${id}.json`,
})

const lost = (what: string) =>
  new FreshetError({
    code: 'state-conflict',
    retry: 'later',
    message: `${what} is worked on by somebody else.`,
    hint: 'Nothing: one of the two goes on.',
  })

export function makeDeliveries(objects: Objects, bucket: string, now: () => number): Deliveries {
  async function read(name: string): Promise<HeldDelivery | undefined> {
    const found = await objects.readText(bucket, name)
    return found && { delivery: JSON.parse(found.text) as Delivery, generation: found.generation }
  }
  async function save(held: HeldDelivery, change: Partial<Delivery>): Promise<HeldDelivery> {
    const until = new Date(now() + HOLD_MS).toISOString()
    const delivery = { ...held.delivery, until, ...change }
    const name = pathsOf(delivery.feed).openOf(delivery.id)
    const generation = await objects.writeText(bucket, name, JSON.stringify(delivery), held.generation)
    if (generation === undefined) throw lost(delivery.object)
    return { delivery, generation }
  }
  const readAll = async (names: readonly string[]) =>
    (await Promise.all(names.map(read))).flatMap(found => found?.delivery ?? [])
  return {
    async add(delivery) {
      const { openOf, doneOf } = pathsOf(delivery.feed)
      if (await objects.stat(bucket, doneOf(delivery.id))) return 'done before'
      const written = await objects.writeText(bucket, openOf(delivery.id), JSON.stringify(delivery), '0')
      return written === undefined ? 'waits already' : 'added'
    },
    async take(feed, id, holder) {
      const found = await read(pathsOf(feed).openOf(id))
      if (!found) return 'over'
      const { holder: has, until = '' } = found.delivery
      if (has !== undefined && has !== holder && Date.parse(until) > now()) return 'busy'
      return save(found, { holder })
    },
    save,
    async finish({ delivery, generation }) {
      const { openOf, doneOf } = pathsOf(delivery.feed)
      const over = { ...delivery, phase: 'over', holder: undefined, until: undefined }
      await objects.writeText(bucket, doneOf(delivery.id), JSON.stringify(over))
      await objects.remove(bucket, openOf(delivery.id), generation)
    },
    listOpen: async feed => {
      const found = await objects.list(bucket, pathsOf(feed).open)
      return readAll(found.map(({ name }) => name))
    },
    listDone: async (feed, most) => {
      const found = await objects.list(bucket, pathsOf(feed).done)
      const newest = found.toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1)).slice(0, most)
      return readAll(newest.map(({ name }) => name))
    },
  }
}
