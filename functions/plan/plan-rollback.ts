/** Plans a rollback: staging and target go back to what an earlier run published. */
import type { AddedColumn, Feed } from '../feed/feed.ts'
import { parseIdentifier, type RunId, type TableRef } from '../feed/names.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import { hashOf, runIdOf } from './ids.ts'
import { planQuery, type RunContext } from './job.ts'
import { besideOf, planCreateTombstones, planRestoreTombstones } from './models/tombstones.ts'
import type { JobBody, RunPlan, RunState, SavedTable } from './run-plan.ts'
import { sql, sqlJoin, sqlType } from './sql.ts'
import { planClone, planSave } from './stages/publish.ts'
import { rollbackPointOf, sqlCreateStaging, stagingOf, targetOf } from './tables.ts'

/** What a person asked for; it lies in the state bucket until a run has done it. */
export interface RollbackRequest {
  /** The run to go back to. */
  readonly to: RunId
  /** The newest snapshot that it had applied, and that one's rows: what the next snapshot is measured by. */
  readonly newest: SnapshotId
  readonly rows: number
  readonly rollbackPoint: TableRef
  /** What was saved with it. */
  readonly beside?: readonly SavedTable[] | undefined
  /** The columns that it has: some may have been added to the table since. */
  readonly columns: readonly string[]
  /** ISO 8601 */
  readonly askedAt: string
}

/** Staging's columns as they are; the feed's where staging is not known. */
function columnsNow(feed: Feed, { staging }: RunState): readonly AddedColumn[] {
  const columns = staging?.columns.flatMap(({ name, type }) => {
    const identifier = parseIdentifier(name)
    return identifier ? [{ name: identifier, type }] : []
  })
  return columns ?? feed.table.columns
}

function planBack(context: RunContext, request: RollbackRequest, state: RunState): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const had = new Set(request.columns.map(name => name.toLowerCase()))
  const columns = sqlJoin(
    columnsNow(feed, state).map(({ name, type }) =>
      had.has(name.toLowerCase()) ? sql`${name}` : sql`CAST(NULL AS ${sqlType(type)}) AS ${name}`,
    ),
  )
  const restore = planQuery(context, 'deduplicate', sql`SELECT ${columns}\nFROM ${request.rollbackPoint}`, {
    destinationTable: staging,
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  })
  // Somebody may have dropped it: a rollback is what brings it back.
  const create = state.staging ? [] : [planQuery(context, 'deduplicate', sqlCreateStaging(feed, staging))]
  return [
    ...create,
    restore,
    ...planCreateTombstones(context, 'deduplicate'),
    ...planRestoreTombstones(context, 'deduplicate', request.beside),
  ]
}

/**
 * Staging is written anew from the rollback point rather than cloned from it: clones of clones may be three deep at
 * most (docs.cloud.google.com/bigquery/docs/table-clones-intro#limitations), and WRITE_TRUNCATE_DATA keeps what
 * governs the table. The target is cloned, as ever, in one step, and from a rollback point of its own: an old one has
 * the policy tags and descriptions of its day, and nobody may read a column because of a rollback.
 */
export function planRollback(feed: Feed, request: RollbackRequest, state: RunState): RunPlan {
  const run = runIdOf({ feed: feed.name, request, last: state.last?.run, warehouse: state.warehouse })
  const context = { feed, run, warehouse: state.warehouse }
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
    rollbackPoint: rollbackPointOf(context),
    ...besideOf(feed, rollbackPointOf(context)),
    ...(state.target && { governance: state.target }),
    feedHash: hashOf(feed),
    uriLists: [],
    stages: [
      { name: 'deduplicate', timeoutSeconds, jobs: planBack(context, request, state) },
      { name: 'save', timeoutSeconds, jobs: planSave(context) },
      { name: 'clone', timeoutSeconds, jobs: planClone(context, rollbackPointOf(context), state.target) },
    ],
  }
}
