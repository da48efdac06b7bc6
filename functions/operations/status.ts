/** `status`: how each feed stands, read from the state bucket alone. */
import type { Feed } from '../feed/feed.ts'
import type { Deps } from '../handlers/deps.ts'
import type { RefreshMessage } from '../message.ts'
import type { Failure } from '../state/failures.ts'
import type { RunRecord } from '../state/records.ts'

export interface FeedStatus {
  readonly feed: string
  readonly table: string
  /** The run that is under way or has to be resumed; empty when there is none. */
  readonly run: string
  readonly pending: readonly string[]
  readonly held: readonly { readonly snapshot: string; readonly reason: string }[]
  /** The receipt of the last run that refreshed the table. */
  readonly last?: RefreshMessage
  /** Runs that a rollback can reach, the latest first. */
  readonly rollbackPoints: readonly { readonly snapshot: string; readonly run: string }[]
  /** Why nothing moves: the last failure, while what failed is not over. */
  readonly failure?: Failure
  /** Seconds by which the oldest waiting snapshot is over its promise; 0 when none is. */
  readonly lateSeconds: number
}

/** Runs older than their rollback points say nothing new. */
async function readRecentRuns({ state, now }: Deps, feed: Feed): Promise<RunRecord[]> {
  const since = now() - feed.refresh.rollbackDays * 86_400_000
  const records: RunRecord[] = []
  for await (const record of state.listRuns(feed.name)) {
    records.push(record)
    if (Date.parse(record.plannedAt) < since) break
  }
  return records
}

async function findHeld(
  { state }: Deps,
  feed: Feed,
  records: readonly RunRecord[],
): Promise<FeedStatus['held']> {
  const findings = records.flatMap(({ plan, verdict }) =>
    verdict?.kind === 'stopped' ? verdict.findings.map(finding => ({ ...finding, run: plan.run })) : [],
  )
  const held = await Promise.all(
    findings.map(async ({ snapshot, reason, run }) => {
      const settled = await state.readSettled(feed.name, snapshot)
      return settled?.outcome === 'held' && settled.run === run ? { snapshot, reason } : undefined
    }),
  )
  return held.filter(found => found !== undefined)
}

/** A failure is over once a run has come to its end since. */
async function findFailure(
  { state }: Deps,
  feed: Feed,
  records: readonly RunRecord[],
): Promise<Failure | undefined> {
  const failure = await state.failures.read(feed.name)
  const over = failure && records.some(({ closedAt }) => closedAt !== undefined && closedAt > failure.at)
  return over ? undefined : failure
}

async function readFeedStatus(deps: Deps, feed: Feed): Promise<FeedStatus> {
  const [held, pending, records] = await Promise.all([
    deps.state.leases.read(feed.name),
    deps.state.listPending(feed),
    readRecentRuns(deps, feed),
  ])
  const receipts = records.flatMap(
    ({ messages }) => messages?.filter(({ status }) => status === 'refreshed') ?? [],
  )
  const due = pending.map(({ arrivedAt }) => Date.parse(arrivedAt) + feed.refresh.withinSeconds * 1_000)
  const [last] = receipts
  const stuck = held?.lease.run !== undefined || pending.length > 0
  const failure = stuck ? await findFailure(deps, feed, records) : undefined
  return {
    feed: feed.name,
    table: `${feed.table.datasetId}.${feed.table.tableId}`,
    run: held?.lease.run ?? '',
    pending: pending.map(({ id }) => id),
    held: await findHeld(deps, feed, records),
    ...(last && { last }),
    ...(failure && { failure }),
    rollbackPoints: receipts.map(({ snapshots, run }) => ({ snapshot: snapshots.at(-1) ?? '', run })),
    lateSeconds: Math.max(0, ...due.map(at => Math.floor((deps.now() - at) / 1_000))),
  }
}

export function makeStatus(deps: Deps) {
  return async (): Promise<FeedStatus[]> =>
    Promise.all([...deps.feeds.values()].map(feed => readFeedStatus(deps, feed)))
}
