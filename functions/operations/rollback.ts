/** `rollback`: asks for staging and target to go back to what an earlier run published. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import { type Deps, findFeed } from '../handlers/deps.ts'
import { findLosses } from '../plan/governance.ts'
import type { RollbackRequest } from '../plan/plan-rollback.ts'
import { stagingOf, targetOf } from '../plan/tables.ts'
import type { RunRecord } from '../state/records.ts'

/** What a run published, when it published anything. */
function publishedBy(record: RunRecord): Omit<RollbackRequest, 'askedAt' | 'columns'> | undefined {
  const { plan, verdict, messages, correction } = record
  if (verdict?.kind !== 'proceed' || !messages?.some(({ status }) => status === 'refreshed')) return undefined
  const newest = correction?.newest ?? plan.snapshots.at(-1)?.id
  const { run: to, rollbackPoint, beside } = plan
  return newest && { to, newest, rows: verdict.newestRows, rollbackPoint, ...(beside && { beside }) }
}

/** The refresh whose rows the table holds now: a rollback only points at one. */
async function findCurrent(deps: Deps, feed: Feed): Promise<string | undefined> {
  let run = (await deps.state.leases.read(feed.name))?.lease.last?.run
  for (let record = run && (await deps.state.readRun(feed.name, run)); record?.rollback; ) {
    run = record.rollback.to
    record = await deps.state.readRun(feed.name, run)
  }
  return run
}

/** Without `snapshot`: the refresh before the one that shows now. With it: the last time that it was the newest. */
async function findPoint(
  deps: Deps,
  feed: Feed,
  snapshot: string | undefined,
): Promise<Omit<RollbackRequest, 'askedAt'>> {
  const current = await findCurrent(deps, feed)
  let passed = snapshot !== undefined
  for await (const record of deps.state.listRuns(feed.name)) {
    const point = record.rollback ? undefined : publishedBy(record)
    const wanted = passed && (snapshot === undefined || point?.newest === snapshot)
    passed ||= record.plan.run === current
    if (!point || !wanted) continue
    const table = await deps.warehouse.readTable(point.rollbackPoint)
    if (table) return { ...point, columns: table.columns.map(({ name }) => name) }
    break
  }
  const what = snapshot === undefined ? 'before the last refresh' : `of snapshot ${snapshot}`
  throw new FreshetError({
    code: 'not-found',
    message: `${feed.name} has no rollback point ${what}.`,
    hint: `Rollback points are kept for ${feed.refresh.rollbackDays} days; freshet status lists them.`,
  })
}

/** A rollback publishes as every run does, and nobody could approve it: what it would lose is said beforehand. */
async function checkGoverned(deps: Deps, feed: Feed): Promise<void> {
  const [staging, target] = await Promise.all([
    deps.warehouse.readGoverned(stagingOf(feed, deps.names)),
    deps.warehouse.readGoverned(targetOf(feed, deps.names)),
  ])
  const losses = staging && target ? findLosses(target.governance, staging.governance) : []
  if (losses.length === 0) return
  throw new FreshetError({
    code: 'would-lose',
    message: `A rollback of ${feed.name} would lose ${losses.join(', ')}.`,
    hint: 'Put it on the staging table as well, then ask again.',
  })
}

/** Throws `FreshetError` `not-found` when there is nothing to go back to, `would-lose` when it would take something away. */
export function makeRollback(deps: Deps) {
  return async (name: string, snapshot?: string): Promise<RollbackRequest> => {
    const feed = findFeed(deps, name)
    await checkGoverned(deps, feed)
    const request = {
      ...(await findPoint(deps, feed, snapshot)),
      askedAt: new Date(deps.now()).toISOString(),
    }
    await deps.state.requests.askRollback(feed.name, request)
    await deps.workflows.startRefresh(feed.name)
    deps.log.info({ feed: feed.name, snapshot: request.newest, run: request.to }, 'rollback asked for')
    return request
  }
}
