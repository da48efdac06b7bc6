/** Plans a rollback: staging and target go back to what an earlier run published. */
import type { Feed } from '../feed/feed.ts'
import type { RunId, TableRef } from '../feed/names.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import { hashOf, runIdOf } from './ids.ts'
import { planQuery } from './job.ts'
import type { RunPlan, RunState } from './run-plan.ts'
import { sql, sqlJoin } from './sql.ts'
import { planClone } from './stages/publish.ts'
import { stagingOf, targetOf } from './tables.ts'

/** What a person asked for; it lies in the state bucket until a run has done it. */
export interface RollbackRequest {
  /** The run to go back to. */
  readonly to: RunId
  /** The newest snapshot that it had applied, and that one's rows: what the next snapshot is measured by. */
  readonly newest: SnapshotId
  readonly rows: number
  readonly rollbackPoint: TableRef
  /** ISO 8601 */
  readonly askedAt: string
}

/**
 * Staging is written anew from the rollback point rather than cloned from it: clones of clones may be three deep at
 * most (docs.cloud.google.com/bigquery/docs/table-clones-intro#limitations), and WRITE_TRUNCATE_DATA keeps what
 * governs the table. The target is cloned, as ever, in one step.
 */
export function planRollback(feed: Feed, request: RollbackRequest, state: RunState): RunPlan {
  const run = runIdOf({ feed: feed.name, request, last: state.last?.run, warehouse: state.warehouse })
  const context = { feed, run, warehouse: state.warehouse }
  const staging = stagingOf(feed, state.warehouse)
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const restore = planQuery(context, 'deduplicate', sql`SELECT ${columns}\nFROM ${request.rollbackPoint}`, {
    destinationTable: staging,
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  })
  const timeoutSeconds = Math.max(3_600, feed.refresh.withinSeconds)
  return {
    version: 1,
    kind: 'rollback',
    run,
    feed: feed.name,
    table: targetOf(feed, state.warehouse),
    strategy: feed.refresh.strategy,
    why: `Somebody asked to go back to run ${request.to}.`,
    snapshots: [],
    superseded: [],
    rowsBefore: state.staging?.rows ?? 0,
    rollbackPoint: request.rollbackPoint,
    ...(state.target && { governance: state.target }),
    feedHash: hashOf(feed),
    uriLists: [],
    stages: [
      { name: 'deduplicate', timeoutSeconds, jobs: [restore] },
      { name: 'clone', timeoutSeconds, jobs: planClone(context, request.rollbackPoint, state.target) },
    ],
  }
}
