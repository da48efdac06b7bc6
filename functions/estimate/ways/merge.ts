/** The way without Freshet: load, then one MERGE of the whole snapshot into the target; no gates, no rollback point. */
import { makeStep, type Step } from '../step.ts'
import type { Workload } from '../workload.ts'
import { type Given, loadStep, slotMsOf } from './shared-steps.ts'

/** Storage is replaced in blocks, not in rows: at most the partitions that hold the changes. */
export const rewrittenBytes = ({ bytes, partitions, changed, changedPartitions }: Workload): number =>
  partitions === 0 ? (changed > 0 ? bytes : 0) : (bytes * changedPartitions) / partitions

/**
 * With an UPDATE clause the statement reads its source and all columns of the target's partitions that it can't rule
 * out; a key alone rules none out: https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/dml-syntax
 */
export function stepsOfMerge(given: Given): Step[] {
  const { workload } = given
  const scannedBytes = 2 * workload.bytes
  return [
    loadStep(given),
    makeStep({
      stage: 'merge',
      what: 'joins landing and target by key, updates and inserts',
      job: 'query',
      scannedBytes,
      writtenBytes: rewrittenBytes(workload),
      slotMs: slotMsOf(given, 'merge', scannedBytes),
    }),
  ]
}
