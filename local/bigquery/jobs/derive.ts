/** Tables made from tables without moving rows: clone, copy, snapshot, like. The new one shares the old one's segments. */

import type { SegmentRef, TableEntry, TableId } from '../catalogue/entry.ts'
import { sqlRelation, sqlUnexpired } from '../catalogue/relation.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import { checkCopyable } from '../changes/refusals.ts'
import { invalid } from '../errors.ts'
import { getTable, spell } from '../names.ts'
import type { Run } from './run.ts'

export type Derivation = 'copy' | 'clone' | 'snapshot' | 'like'

/**
 * The segments that hold what readers of `entry` see. Where partitions have expired they are written anew, since the
 * other table may keep its partitions for longer.
 */
export async function shareSegments(run: Run, entry: TableEntry): Promise<readonly SegmentRef[]> {
  const draft = run.catalogue.view()
  checkCopyable(run.project, entry, draft)
  run.defer(run.catalogue.pin(entry.segments.map(ref => ref.segment)))
  const segments = entry.segments.map(ref => draft.segment(ref.segment))
  if (!sqlUnexpired(entry, segments, draft.now)) return entry.segments
  const fill = fillFrom(`SELECT * FROM ${sqlRelation(entry, draft)}`)
  const made = await writeNewSegment(run.catalogue, run.connection, entry.schema, fill, entry.partitioning)
  run.defer(made.release)
  return [{ segment: made.segment.id }]
}

export function getSource(run: Run, id: TableId): TableEntry {
  const entry = getTable(run.project, run.catalogue.view(), id)
  if (entry.kind === 'VIEW') throw invalid(`${spell(run.project, id)} is a view, which can't be copied.`)
  return entry
}

/**
 * The new table's entry. Schema, layout and constraints are the source's; a snapshot doesn't keep partition expiration
 * (https://cloud.google.com/bigquery/docs/table-snapshots-intro#limitations), so that a clone of it has none either.
 */
export function deriveEntry(
  kind: Derivation,
  id: TableId,
  source: TableEntry,
  segments: readonly SegmentRef[],
  now: number,
): Omit<TableEntry, 'modified' | 'version' | 'created'> {
  const { schema, clustering, primaryKey, description, labels, friendlyName, requirePartitionFilter } = source
  const { partitioning, rowPolicies } = source
  const { expirationMs, ...layout } = partitioning ?? { kind: 'time', column: '' }
  const kept = kind === 'snapshot' || expirationMs === undefined ? layout : { ...layout, expirationMs }
  const origin = { of: { dataset: source.dataset, table: source.table }, at: now }
  return {
    kind: kind === 'snapshot' ? 'SNAPSHOT' : 'TABLE',
    ...id,
    schema,
    segments,
    ...(partitioning ? { partitioning: kept } : {}),
    ...(clustering ? { clustering } : {}),
    ...(primaryKey ? { primaryKey } : {}),
    ...(rowPolicies && kind !== 'like' ? { rowPolicies } : {}),
    ...(description === undefined ? {} : { description }),
    ...(labels ? { labels } : {}),
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(requirePartitionFilter ? { requirePartitionFilter } : {}),
    ...(kind === 'clone' || kind === 'snapshot' ? { origin: { kind, ...origin } } : {}),
  }
}
