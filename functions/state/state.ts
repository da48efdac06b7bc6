/** The state bucket as typed reads and writes; every write that matters has a generation precondition. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { FeedName, RunId } from '../feed/names.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { parseSnapshotId } from '../feed/snapshot-id.ts'
import type { Objects, StoredObject } from '../gcp/ports.ts'
import { coversDelivery, fingerprintOf } from '../plan/ids.ts'
import type { PendingSnapshot } from '../plan/run-plan.ts'
import { type Failures, makeFailures } from './failures.ts'
import { type Leases, makeLeases } from './lease.ts'
import { pathsOf, type RunRecord, type Settled } from './records.ts'
import { makeRequests, type Requests } from './requests.ts'
import { makeSightings, type Sightings } from './sightings.ts'

export interface SeenPending {
  readonly snapshot?: Snapshot
  /** `'0'` when nothing waits. */
  readonly generation: string
}

export interface SeenSettled {
  readonly settled?: Settled
  readonly generation: string
}

export interface State {
  readonly leases: Leases
  readonly requests: Requests
  readonly sightings: Sightings
  readonly failures: Failures
  /** The key of the lateness that was told last. */
  readTold(feed: FeedName): Promise<string | undefined>
  writeTold(feed: FeedName, key: string): Promise<void>
  /** What waits under an id. Seen before the bucket is looked at, it tells whether somebody looked later and wrote first. */
  seePending(feed: Feed, snapshot: string): Promise<SeenPending>
  /**
   * The same delivery twice changes nothing; other objects under the same id are a revision, and wait instead.
   * Throws when what waits is not what was `seen` any more.
   */
  addPending(
    feed: Feed,
    snapshot: Snapshot,
    seen?: SeenPending,
  ): Promise<'added' | 'revised' | 'waits already'>
  /** Snapshots that wait and are not settled; those that are settled are swept away. */
  listPending(feed: Feed): Promise<PendingSnapshot[]>
  /** Removes what waits unless it was revised since. */
  dropPending(feed: Feed, pending: PendingSnapshot): Promise<void>
  /** Whether a run would find something to do: a snapshot that waits, or a rollback that was asked for. */
  hasWork(feed: Feed): Promise<boolean>
  readSettled(feed: FeedName, snapshot: string): Promise<Settled | undefined>
  /** The record of a settled snapshot with its generation, `'0'` when there is none. */
  seeSettled(feed: FeedName, snapshot: string): Promise<SeenSettled>
  /**
   * Ends a snapshot: first the record, then its place in `pending/`, so that a crash between loses nothing. Throws
   * when the record is not of the generation `seen` any more: whoever holds the lease now has settled it since.
   */
  settle(feed: FeedName, snapshot: string, settled: Settled, seen: string): Promise<void>
  /** Create-only: `false` when the run is there already. */
  createRun(record: RunRecord): Promise<boolean>
  /**
   * Puts another record in the place of one that was written and never begun. Throws when that is not as it was `seen`
   * any more.
   */
  replaceRun(seen: RunRecord, record: RunRecord): Promise<void>
  readRun(feed: FeedName, run: RunId): Promise<RunRecord | undefined>
  /** The records of runs, the latest planned first. */
  listRuns(feed: FeedName): AsyncIterable<RunRecord>
  /**
   * Adds to a record as it was `seen`; the plan in it stays. Throws when somebody wrote it since: what was decided
   * on an older record, by a holder that has lost the lease meanwhile, must not replace what was decided after it.
   */
  updateRun(seen: RunRecord, change: Partial<Omit<RunRecord, 'plan' | 'plannedAt'>>): Promise<RunRecord>
}

const conflict = (what: string) =>
  new FreshetError({
    code: 'state-conflict',
    retry: 'later',
    message: `${what} was written by somebody else first.`,
    hint: 'Try again.',
  })
const missing = (what: string) =>
  new FreshetError({
    code: 'not-found',
    message: `${what} is not in the state bucket.`,
    hint: 'Was it removed by hand? Send the snapshot again.',
  })

/** Of what was written in one millisecond the generation tells: it counts microseconds. */
const latestFirst = (a: StoredObject, b: StoredObject): number =>
  b.createdAt.localeCompare(a.createdAt) || Number(BigInt(b.generation) - BigInt(a.generation))

export function makeState(objects: Objects, bucket: string, now: () => number): State {
  async function readJson<T>(name: string): Promise<{ value: T; generation: string } | undefined> {
    const found = await objects.readText(bucket, name)
    return found && { value: JSON.parse(found.text) as T, generation: found.generation }
  }

  const readSettled = async (feed: FeedName, snapshot: string) =>
    (await readJson<Settled>(pathsOf(feed).settledOf(snapshot)))?.value

  async function readPending(feed: Feed, name: string): Promise<PendingSnapshot | undefined> {
    const found = await readJson<Snapshot>(name)
    if (!found || parseSnapshotId(found.value.id, feed.source.snapshot) === undefined) return undefined
    const pending = { ...found.value, generation: found.generation }
    const settled = await readSettled(feed.name, pending.id)
    if (!coversDelivery(settled?.fingerprint, pending)) return pending
    await objects.remove(bucket, name, found.generation)
    return undefined
  }

  async function seePending(feed: Feed, snapshot: string): Promise<SeenPending> {
    const found = await readJson<Snapshot>(pathsOf(feed.name).pendingOf(snapshot))
    return found ? { snapshot: found.value, generation: found.generation } : { generation: '0' }
  }

  async function listPending(feed: Feed): Promise<PendingSnapshot[]> {
    const found = await objects.list(bucket, pathsOf(feed.name).pending)
    const pending = await Promise.all(found.map(({ name }) => readPending(feed, name)))
    return pending.filter(snapshot => snapshot !== undefined)
  }

  async function replaceRun(seen: RunRecord, record: RunRecord): Promise<void> {
    const { feed, run } = seen.plan
    const name = pathsOf(feed).runOf(run)
    const found = await objects.readText(bucket, name)
    if (!found) throw missing(`Run ${run} of ${feed}`)
    if (found.text !== JSON.stringify(seen)) throw conflict(`Run ${run} of ${feed}`)
    const written = await objects.writeText(bucket, name, JSON.stringify(record), found.generation)
    if (written === undefined) throw conflict(`Run ${run} of ${feed}`)
  }

  const requests = makeRequests(objects, bucket)
  return {
    leases: makeLeases(objects, bucket, now),
    requests,
    sightings: makeSightings(objects, bucket),
    failures: makeFailures(objects, bucket),
    readTold: async feed => (await readJson<{ key: string }>(pathsOf(feed).late))?.value.key,
    async writeTold(feed, key) {
      await objects.writeText(bucket, pathsOf(feed).late, JSON.stringify({ key }))
    },
    readSettled,
    seePending,
    async addPending(feed, snapshot, seen) {
      const name = pathsOf(feed.name).pendingOf(snapshot.id)
      const waiting = seen ?? (await seePending(feed, snapshot.id))
      if (waiting.snapshot && coversDelivery(fingerprintOf(waiting.snapshot), snapshot))
        return 'waits already'
      const written = await objects.writeText(bucket, name, JSON.stringify(snapshot), waiting.generation)
      if (written === undefined) {
        // The last two objects' events come together, and both find the snapshot complete.
        const winner = (await seePending(feed, snapshot.id)).snapshot
        if (winner && coversDelivery(fingerprintOf(winner), snapshot)) return 'waits already'
        throw conflict(`Snapshot ${snapshot.id} of ${feed.name}`)
      }
      return waiting.snapshot ? 'revised' : 'added'
    },
    listPending,
    dropPending: (feed, { id, generation }) =>
      objects.remove(bucket, pathsOf(feed.name).pendingOf(id), generation),
    hasWork: async feed =>
      (await requests.readRollback(feed.name)) !== undefined ||
      (await requests.readCorrection(feed.name)) !== undefined ||
      (await listPending(feed)).length > 0,
    async seeSettled(feed, snapshot) {
      const found = await readJson<Settled>(pathsOf(feed).settledOf(snapshot))
      return found ? { settled: found.value, generation: found.generation } : { generation: '0' }
    },
    async settle(feed, snapshot, settled, seen) {
      const name = pathsOf(feed).settledOf(snapshot)
      const written = await objects.writeText(bucket, name, JSON.stringify(settled), seen)
      if (written === undefined) throw conflict(`The end of snapshot ${snapshot} of ${feed}`)
      const pending = await readJson<Snapshot>(pathsOf(feed).pendingOf(snapshot))
      if (pending && coversDelivery(settled.fingerprint, pending.value))
        await objects.remove(bucket, pathsOf(feed).pendingOf(snapshot), pending.generation)
    },
    async createRun(record) {
      const name = pathsOf(record.plan.feed).runOf(record.plan.run)
      return (await objects.writeText(bucket, name, JSON.stringify(record), '0')) !== undefined
    },
    async *listRuns(feed) {
      const found = await objects.list(bucket, pathsOf(feed).runs)
      // A record is written again as its run goes on, and runs of one feed do not overlap.
      for (const { name } of found.toSorted(latestFirst)) {
        const record = await readJson<RunRecord>(name)
        if (record) yield record.value
      }
    },
    readRun: async (feed, run) => (await readJson<RunRecord>(pathsOf(feed).runOf(run)))?.value,
    replaceRun,
    async updateRun(seen, change) {
      const record: RunRecord = { ...seen, ...change }
      await replaceRun(seen, record)
      return record
    },
  }
}
