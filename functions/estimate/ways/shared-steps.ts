/** The steps that several ways have in common: load, inspect, save and clone. */
import type { Feed } from '../../feed/feed.ts'
import { SAMPLED_BYTES } from '../../feed/sampling.ts'
import type { Assumptions } from '../rates.ts'
import { GIB, makeStep, type Step } from '../step.ts'
import type { Workload } from '../workload.ts'

export interface Given {
  readonly feed: Feed
  readonly workload: Workload
  readonly assumptions: Assumptions
}

export type Work = keyof Assumptions['slotMsPerGiB']
export const slotMsOf = ({ assumptions }: Given, work: Work, bytes: number): number =>
  (bytes / GIB) * assumptions.slotMsPerGiB[work]

/** A load job takes 15 TB; the planner stays below that: https://docs.cloud.google.com/bigquery/quotas#load_jobs */
const LOAD_BYTES = 14e12

/** A snapshot's files are taken to hold as many bytes as the table; compressed they hold fewer. */
export function loadStep(given: Given): Step {
  const { bytes, partitions } = given.workload
  const operations = Math.max(1, Math.ceil(bytes / LOAD_BYTES))
  return makeStep({
    stage: 'load',
    what: 'files to the landing table',
    job: 'load',
    writtenBytes: bytes,
    slotMs: slotMsOf(given, 'load', bytes),
    touches: [{ table: 'landing', operations, partitions: operations * partitions }],
  })
}

export function inspectStep(given: Given): Step {
  const { feed, workload } = given
  const { width, bytes } = workload
  const keys = (bytes * width.keys) / width.row
  // A large snapshot is only sampled.
  const share = bytes > SAMPLED_BYTES ? 0.01 : 1
  const values = feed.gates.emptiedColumns === 'allow' ? 0 : (share * bytes * width.values) / width.row
  return makeStep({
    stage: 'inspect',
    what: values > 0 ? 'counts keys, and looks for emptied columns, in landing' : 'counts keys in landing',
    job: 'query',
    scannedBytes: keys + values,
    slotMs: slotMsOf(given, 'groupKeys', keys) + slotMsOf(given, 'scan', values),
  })
}

/** Whether a clone counts against the target's limits is not written down; it is taken to count as a copy does. */
export const publishSteps = ({ workload }: Given): Step[] => [
  makeStep({ stage: 'save', what: 'staging becomes a rollback point' }),
  makeStep({
    stage: 'clone',
    what: 'the target becomes a clone of it',
    touches: [{ table: 'target', operations: 1, partitions: workload.partitions }],
  }),
]
