/** Strategy rewrite: the whole of staging is read with what landed, and written back deduplicated. */
import { makeStep, type Step } from '../step.ts'
import { type Given, inspectStep, loadStep, publishSteps, slotMsOf } from './shared-steps.ts'

/** Under `missing_rows: delete` staging becomes what landed, and is not read. */
export function deduplicateStep(given: Given): Step {
  const { feed, workload, assumptions } = given
  const { bytes, partitions } = workload
  const mirrors = feed.model.missingRows === 'delete'
  const scannedBytes = mirrors ? bytes : 2 * bytes
  return makeStep({
    stage: 'deduplicate',
    what: mirrors ? 'the newest row of each key in landing' : 'the newest row of each key, old and new',
    job: 'query',
    scannedBytes,
    writtenBytes: bytes,
    slotMs: slotMsOf(given, mirrors ? 'window' : assumptions.deduplicateBy, scannedBytes),
    touches: [{ table: 'staging', operations: 1, partitions }],
  })
}

export function stepsOfRewrite(given: Given): Step[] {
  return [loadStep(given), inspectStep(given), deduplicateStep(given), ...publishSteps(given)]
}
