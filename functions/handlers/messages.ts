/** Makes the messages of a run: one when the table was refreshed, else one for each snapshot that stopped. */
import type { Feed } from '../feed/feed.ts'
import { showTable } from '../feed/names.ts'
import { NO_ROWS, type RefreshMessage, type RowCounts } from '../message.ts'
import type { Applied } from '../plan/applied.ts'
import type { RunPlan, Warehouse } from '../plan/run-plan.ts'
import { targetOf } from '../plan/tables.ts'
import type { Finding, Verdict } from '../plan/verdict.ts'
import type { RunRecord } from '../state/records.ts'

/** A message about a feed of which nothing else is known yet. */
export function makeMessage(
  feed: Feed,
  names: Warehouse,
  now: number,
  given: Partial<RefreshMessage>,
): RefreshMessage {
  const finishedAt = new Date(now).toISOString()
  const arrivedAt = given.arrivedAt ?? finishedAt
  return {
    version: 1,
    status: 'failed',
    feed: feed.name,
    table: showTable(targetOf(feed, names)),
    snapshots: [],
    run: '',
    strategy: feed.refresh.strategy,
    rows: NO_ROWS,
    partitions: { total: 0, changed: 0 },
    arrivedAt,
    finishedAt,
    withinSeconds: Math.max(0, now - Date.parse(arrivedAt)) / 1_000,
    bytesProcessed: 0,
    slotMs: 0,
    rollbackPoint: '',
    reason: '',
    ...given,
  }
}

const arrivalOf = (plan: RunPlan): string =>
  plan.snapshots
    .map(({ arrivedAt }) => arrivedAt)
    .toSorted()
    .at(-1) ?? ''

export function makeStopped(
  feed: Feed,
  names: Warehouse,
  now: number,
  plan: RunPlan,
  findings: readonly Finding[],
): RefreshMessage[] {
  return findings.map(({ snapshot, kind, reason, hint }) =>
    makeMessage(feed, names, now, {
      status: kind,
      snapshots: [snapshot],
      run: plan.run,
      arrivedAt: plan.snapshots.find(({ id }) => id === snapshot)?.arrivedAt ?? arrivalOf(plan),
      rows: { ...NO_ROWS, before: plan.rowsBefore, after: plan.rowsBefore },
      reason: `${reason}. ${hint}`,
    }),
  )
}

/**
 * `after` are the rows of the rollback point. Under keep a key of the snapshots either was in the table (updated)
 * or not (inserted; where rows delete their key, those that came beyond those that went); what no snapshot names, or is in a partition that was left alone, is kept. Under delete it is gone, and the table holds the snapshot.
 */
export function countRows(
  feed: Feed,
  plan: RunPlan,
  verdict: Verdict & { kind: 'proceed' },
  after: number,
  applied?: Applied,
): RowCounts {
  const before = plan.rowsBefore
  const { loaded, quarantined = 0 } = verdict
  const keys = applied?.kind === 'unchanged' ? 0 : (applied?.written?.keys ?? verdict.keys)
  const grown = {
    ...NO_ROWS,
    before,
    loaded,
    quarantined,
    after,
    inserted: Math.max(0, after - before),
    deleted: Math.max(0, before - after),
  }
  if (plan.kind === 'correction') {
    const updated = after === before ? keys : 0
    return { ...grown, updated, kept: after - updated }
  }
  if (plan.kind === 'rollback' || feed.model.missingRows === 'delete') return grown
  const inserted = Math.max(0, after - before)
  const updated = Math.max(0, keys - inserted - (verdict.deletes ?? 0))
  return {
    before,
    loaded,
    quarantined,
    inserted,
    updated,
    kept: Math.max(0, after - updated - inserted),
    deleted: Math.max(0, before - after),
    after,
  }
}

export interface Cost {
  /** What went wrong beside the refresh; empty when nothing did. */
  readonly reason: string
  readonly bytesProcessed: number
  readonly slotMs: number
}

export function makeRefreshed(
  feed: Feed,
  names: Warehouse,
  now: number,
  record: RunRecord,
  rows: RowCounts,
  cost: Cost,
): RefreshMessage {
  const { plan, applied } = record
  const asked = record.rollback ?? record.correction
  const unchanged = applied?.kind === 'unchanged'
  const strategy = unchanged || !applied ? plan.strategy : applied.kind
  return makeMessage(feed, names, now, {
    status: unchanged ? 'unchanged' : 'refreshed',
    snapshots: asked ? [asked.newest] : plan.snapshots.map(({ id }) => id),
    run: plan.run,
    strategy: plan.kind === 'refresh' ? strategy : plan.kind,
    rows,
    ...(applied?.partitions && { partitions: applied.partitions }),
    arrivedAt: asked?.askedAt ?? arrivalOf(plan),
    rollbackPoint: unchanged ? '' : showTable(plan.rollbackPoint),
    ...cost,
  })
}
