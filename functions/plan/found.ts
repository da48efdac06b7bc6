/** What the jobs of stage inspect answered, read as the run's way needs it. */
import type { Feed } from '../feed/feed.ts'
import type { LastSnapshot } from './gates.ts'
import { type Coverage, parseCoverage } from './models/apply-replacement.ts'
import type { RunPlan } from './run-plan.ts'
import { type Inspection, parseInspections, type ResultRow } from './stages/inspect.ts'
import { type ChangesFound, parseChanges } from './strategies/changed-partitions/changes.ts'

/** What `verify` knows when it lets a run pass. */
export interface Found {
  readonly inspections: readonly Inspection[]
  /** Where the plan compares partitions. */
  readonly changes?: ChangesFound
  /** Where the plan replaces them. */
  readonly coverage?: readonly Coverage[]
}

/** Columns that were never looked at are taken to be as they were: of what is not loaded nobody knows more. */
function assumeFilled(feed: Feed, found: Inspection, last: LastSnapshot | undefined): Inspection {
  const empty = feed.table.columns.map(({ name }) => name).filter(name => !last?.filled?.includes(name))
  return { ...found, empty_columns: last?.filled ? empty : [] }
}

/** Throws for an answer that can't be read: it must not pass for one that is in order. */
export function parseFound(
  feed: Feed,
  plan: RunPlan,
  rows: readonly ResultRow[],
  last?: LastSnapshot,
): Found {
  const { strategy, snapshots } = plan
  if (strategy === 'changed-partitions') {
    const changes = parseChanges(rows, plan)
    const { inspections } = changes
    if (!snapshots.some(({ skipped }) => skipped)) return { inspections, changes }
    return { inspections: inspections.map(found => assumeFilled(feed, found, last)), changes }
  }
  const inspections = parseInspections(rows)
  if (strategy !== 'replace-partitions') return { inspections }
  const ids = snapshots.map(({ id }) => id)
  return { inspections, coverage: parseCoverage(rows, ids) }
}
