/** Feeds, snapshots and inspections for tests of verdicts. */
import type { Feed } from '../../functions/feed/feed.ts'
import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import type { PlannedSnapshot } from '../../functions/plan/run-plan.ts'
import type { Inspection } from '../../functions/plan/stages/inspect.ts'
import { readFeedText } from '../support/plan-case.ts'

/** A feed with gates of its own, and with a share of bad rows where one is given. */
export const feedOf = (gates: string, missing = 'keep', badRows?: string): Feed =>
  readFeedText(`name: items
source:
  path: items/{snapshot}/*
  complete: single-file
  format: ndjson
${badRows === undefined ? '' : `  bad_rows: { at_most: ${badRows} }`}
table:
  name: shop.items
  columns: { id: INT64, day: DATE, seq: INT64, v: STRING }
  partition: { by: day, every: day }
model: { kind: unique, key: [id], sequence: seq, missing_rows: ${missing} }
gates: { ${gates} }
`)

export function snapshot(id: string, given: Partial<PlannedSnapshot> = {}): PlannedSnapshot {
  const parsed = parseSnapshotId(id, 'integer')
  if (parsed === undefined) throw new Error(`${id} is no integer`)
  const landing = { projectId: 'p', datasetId: 'landing', tableId: id }
  const arrivedAt = '2026-11-30T06:00:00.000Z'
  return { id: parsed, arrivedAt, files: 1, bytes: 1, approved: false, fingerprint: id, landing, ...given }
}
/** What inspect finds of a snapshot in order. */
export const inspected = (given: Partial<Inspection> = {}): Inspection => ({
  snapshot: '1',
  row_count: 100,
  key_count: 100,
  duplicate_keys: 0,
  null_key_rows: 0,
  null_partition_rows: 0,
  outside_rows: 0,
  empty_columns: [],
  ...given,
})
