/** Changes instead of snapshots: a stream of changed rows, applied by BigQuery in the background. */
import { baseType } from '../../feed/column-type.ts'
import type { Feed } from '../../feed/feed.ts'
import { makeStep, type Step } from '../step.ts'
import { rewrittenBytes } from './merge.ts'
import { type Given, slotMsOf } from './shared-steps.ts'

/** Each apply reads the whole table; partitions and clustering do not help: https://docs.cloud.google.com/bigquery/docs/change-data-capture */
export function stepsOfCdc(given: Given): Step[] {
  const { workload, assumptions } = given
  const { bytes, changed } = workload
  if (changed === 0) return []
  const streamedBytes = bytes * changed
  const scannedBytes = bytes * assumptions.appliesARun
  return [
    makeStep({ stage: 'stream', what: 'changed rows through the Storage Write API', streamedBytes }),
    makeStep({
      stage: 'apply',
      what: 'BigQuery applies them to the target',
      job: 'background',
      scannedBytes,
      writtenBytes: rewrittenBytes(workload) * assumptions.appliesARun,
      slotMs: slotMsOf(given, 'merge', scannedBytes),
    }),
  ]
}

const KEY_COLUMNS = 16
const KEY_TYPES = new Set([
  'BIGNUMERIC',
  'BOOL',
  'BYTES',
  'DATE',
  'DATETIME',
  'INT64',
  'NUMERIC',
  'STRING',
  'TIMESTAMP',
])

/** Why changes can't be applied to this table, if so: https://docs.cloud.google.com/bigquery/docs/primary-foreign-keys */
export function findCdcProblem({ model, table }: Feed): string | undefined {
  if (model.key.length > KEY_COLUMNS)
    return `a key has at most ${KEY_COLUMNS} columns there; this one has ${model.key.length}`
  const unfit = table.columns.find(
    ({ name, type }) => model.key.includes(name) && !KEY_TYPES.has(baseType(type)),
  )
  return unfit && `${unfit.name} is ${unfit.type}, which a key can't have there`
}
