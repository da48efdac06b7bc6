/** The lease of a feed: one holder at a time, taken over when it has run out. */
import { FreshetError } from '../errors.ts'
import type { FeedName } from '../feed/names.ts'
import type { Objects } from '../gcp/ports.ts'
import { type Lease, leaseSchema, pathsOf } from './records.ts'

/**
 * Short, so that a crashed run is soon taken over. A holder that outlives it does no harm: its jobs have ids that
 * the next holder meets and adopts, and every handler turns it away.
 */
export const LEASE_MS = 10 * 60_000
const TRIES = 8

/** The lease as this holder has it; `generation` is the fencing token. */
export interface HeldLease {
  readonly lease: Lease
  readonly generation: string
}

export interface Leases {
  read(feed: FeedName): Promise<HeldLease | undefined>
  /** Takes the lease when it is free, run out or held by the same holder already; `undefined` when it is not. */
  take(feed: FeedName, holder: string): Promise<HeldLease | undefined>
  /** Renews a lease that this holder still has; `undefined` when somebody took it over. */
  renew(feed: FeedName, holder: string): Promise<HeldLease | undefined>
  /** Changes it under its fencing token; `undefined` when somebody else wrote first. */
  write(feed: FeedName, held: HeldLease, change: Partial<Lease>): Promise<HeldLease | undefined>
}

export function makeLeases(objects: Objects, bucket: string, now: () => number): Leases {
  const pathOf = (feed: FeedName) => pathsOf(feed).lease
  const until = () => new Date(now() + LEASE_MS).toISOString()

  async function read(feed: FeedName): Promise<HeldLease | undefined> {
    const found = await objects.readText(bucket, pathOf(feed))
    return found && { lease: leaseSchema.parse(JSON.parse(found.text)), generation: found.generation }
  }

  async function write(
    feed: FeedName,
    held: HeldLease | undefined,
    change: Partial<Lease>,
  ): Promise<HeldLease | undefined> {
    const lease: Lease = { ...held?.lease, until: until(), ...change }
    const generation = await objects.writeText(
      bucket,
      pathOf(feed),
      JSON.stringify(lease),
      held?.generation ?? '0',
    )
    return generation === undefined ? undefined : { lease, generation }
  }

  /** Tries again when another write came between: then who holds it has to be looked at anew. */
  async function claim(feed: FeedName, holder: string, may: (lease: Lease | undefined) => boolean) {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const held = await read(feed)
      if (!may(held?.lease)) return undefined
      const claimed = await write(feed, held, { holder })
      if (claimed) return claimed
    }
    throw new FreshetError({
      code: 'state-conflict',
      retry: 'later',
      message: `The lease of ${feed} is being written by others.`,
      hint: 'Try again.',
    })
  }

  return {
    read,
    write,
    take: (feed, holder) =>
      claim(
        feed,
        holder,
        lease => !lease?.holder || lease.holder === holder || Date.parse(lease.until) <= now(),
      ),
    renew: (feed, holder) => claim(feed, holder, lease => lease?.holder === holder),
  }
}
