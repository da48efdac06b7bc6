/** Plans a correction: rows of staging are changed in place, in one job, and the target follows as ever. */
import type { Correction } from '../feed/correction.ts'
import type { Feed } from '../feed/feed.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import { sqlCorrect, sqlCountCorrected } from './correction-sql.ts'
import { hashOf, runIdOf } from './ids.ts'
import { planQuery } from './job.ts'
import { besideOf } from './models/tombstones.ts'
import { previousOf } from './plan-run.ts'
import type { RunPlan, RunState } from './run-plan.ts'
import { countOf, type ResultRow } from './stages/inspect.ts'
import { planClone, planSave } from './stages/publish.ts'
import { planRestore } from './strategies/rewrite.ts'
import { rollbackPointOf, targetOf } from './tables.ts'
import type { Finding, Stopped, Verdict } from './verdict.ts'

/** What a person asked for; it lies in the state bucket until a run has done it. */
export interface CorrectionRequest {
  readonly correction: Correction
  /** Rows that it concerned when they were counted: if they are others when it runs, it does not. */
  readonly rows: number
  /** The snapshot that the table shows. */
  readonly newest: SnapshotId
  /** ISO 8601 */
  readonly askedAt: string
}

/** A statement of DML is one atomic job, and what ended well is not done again under its id. */
export function planCorrection(feed: Feed, request: CorrectionRequest, state: RunState): RunPlan {
  const { warehouse } = state
  const run = runIdOf({ feed: feed.name, request, last: state.last?.run, warehouse })
  const context = { feed, run, warehouse }
  const { correction } = request
  const rollbackPoint = rollbackPointOf(context)
  const previous = previousOf(feed, state)
  const timeoutSeconds = Math.max(3_600, feed.refresh.withinSeconds)
  const count = planQuery(context, 'inspect', sqlCountCorrected(feed, correction, warehouse))
  const correct = planQuery(context, 'deduplicate', sqlCorrect(feed, correction, warehouse))
  return {
    version: 1,
    kind: 'correction',
    run,
    feed: feed.name,
    table: targetOf(feed, warehouse),
    strategy: feed.refresh.strategy,
    why: `Somebody asked for a correction: ${correction.why}`,
    snapshots: [],
    superseded: [],
    rowsBefore: state.staging?.rows ?? 0,
    rollbackPoint,
    ...besideOf(feed, rollbackPoint),
    ...(state.target && { governance: state.target }),
    ...(previous && { previous }),
    feedHash: hashOf(feed),
    uriLists: [],
    stages: [
      { name: 'inspect', timeoutSeconds, jobs: [count] },
      { name: 'deduplicate', timeoutSeconds, jobs: [correct] },
      { name: 'restore', timeoutSeconds, jobs: planRestore(context, state) },
      { name: 'save', timeoutSeconds, jobs: planSave(context) },
      { name: 'clone', timeoutSeconds, jobs: planClone(context, rollbackPoint, state.target) },
    ],
  }
}

export interface Corrected {
  readonly tableRows: number
  readonly rows: number
  /** Keys with several rows in the table that brings the values. */
  readonly ambiguous: number
}

export function parseCorrected(rows: readonly ResultRow[]): Corrected {
  const [row = {}] = rows
  return {
    tableRows: countOf(row, 'table_rows'),
    rows: countOf(row, 'corrected_rows'),
    ambiguous: countOf(row, 'ambiguous'),
  }
}

/** `newestRows`: of the newest snapshot, by which the next one is measured. */
export function judgeCorrection(request: CorrectionRequest, found: Corrected, newestRows: number): Verdict {
  if (found.rows === request.rows && found.ambiguous === 0)
    return { kind: 'proceed', loaded: 0, keys: found.rows, outside: 0, newestRows }
  const finding: Finding = {
    snapshot: request.newest,
    kind: 'rejected',
    reason:
      found.ambiguous > 0
        ? `${found.ambiguous} keys stand in several rows of the table that brings the values`
        : `the correction concerns ${found.rows} rows now, and ${request.rows} when they were counted`,
    hint: 'Look at the rows, then ask for the correction again.',
  }
  return { kind: 'stopped', restore: false, findings: [finding] }
}

/** Once staging is changed: `undefined` when it has the rows that it should have, else why it is put back. */
export function judgeCorrected(
  { table }: Feed,
  { rowsBefore }: RunPlan,
  { correction, rows: corrected, newest }: CorrectionRequest,
  rows: number,
): Stopped | undefined {
  const expected = rowsBefore - (correction.kind === 'delete' ? corrected : 0)
  const expires = table.partition?.keepDays !== undefined
  if (rows === expected || (expires && rows < expected)) return undefined
  const finding: Finding = {
    snapshot: newest,
    kind: 'rejected',
    reason: `after the correction staging has ${rows} rows instead of ${expected}; it was put back`,
    hint: 'Does something else write the staging table? Look, then ask for the correction again.',
  }
  return { kind: 'stopped', restore: true, findings: [finding] }
}
