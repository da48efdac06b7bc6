/** Strategy changed-partitions: one pass finds the partitions that differ, and only those are rewritten. */
import { makeStep, type Step } from '../step.ts'
import { stepsOfRewrite } from './rewrite.ts'
import { type Given, inspectStep, loadStep, publishSteps, slotMsOf } from './shared-steps.ts'

const fingerprintBytes = ({ workload: { bytes, width } }: Given) => (bytes * width.fingerprinted) / width.row

function fingerprintStep(given: Given): Step {
  const scannedBytes = fingerprintBytes(given)
  return makeStep({
    stage: 'fingerprint',
    what: 'hashes landing, partition by partition',
    job: 'query',
    scannedBytes,
    slotMs: slotMsOf(given, 'scan', scannedBytes),
  })
}

/**
 * A DELETE of whole partitions reads nothing, and DML counts against no daily limit:
 * https://docs.cloud.google.com/bigquery/docs/using-dml-with-partitioned-tables
 */
function replaceStep(given: Given): Step {
  const { feed, workload, assumptions } = given
  const { bytes, changedPartitions, partitions } = workload
  const part = (bytes * changedPartitions) / partitions
  const mirrors = feed.model.missingRows === 'delete'
  const scannedBytes = mirrors ? part : 2 * part
  return makeStep({
    stage: 'deduplicate',
    what: `replaces ${changedPartitions} of ${partitions} partitions in one transaction`,
    job: 'query',
    scannedBytes,
    writtenBytes: part,
    slotMs: slotMsOf(given, mirrors ? 'window' : assumptions.deduplicateBy, scannedBytes),
  })
}

export function fallsBack({ workload, assumptions }: Given): boolean {
  const { changedPartitions, partitions } = workload
  return changedPartitions > partitions * assumptions.fallBackAbove
}

/** Where too much has changed, the fingerprints are paid on top of a rewrite. Nothing changed: nothing is published. */
export function stepsOfChangedPartitions(given: Given): Step[] {
  if (fallsBack(given)) return stepsOfRewrite(given).toSpliced(2, 0, fingerprintStep(given))
  const found = [loadStep(given), inspectStep(given), fingerprintStep(given)]
  return given.workload.changedPartitions === 0
    ? found
    : [...found, replaceStep(given), ...publishSteps(given)]
}

/** Partitions from which on it reads as much as `rewrite` does. */
export function breakEvenPartitions(given: Given): number {
  const { bytes, partitions } = given.workload
  const rewritten = given.feed.model.missingRows === 'delete' ? bytes : 2 * bytes
  return Math.max(0, Math.floor(partitions * (1 - fingerprintBytes(given) / rewritten)))
}
