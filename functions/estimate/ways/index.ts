/** The four ways to refresh a table, side by side. */
import type { Step } from '../step.ts'
import { findCdcProblem, stepsOfCdc } from './cdc.ts'
import { breakEvenPartitions, fallsBack, stepsOfChangedPartitions } from './changed-partitions.ts'
import { stepsOfMerge } from './merge.ts'
import { stepsOfRewrite } from './rewrite.ts'
import type { Given } from './shared-steps.ts'

export const WAYS = ['merge', 'rewrite', 'changed-partitions', 'cdc'] as const
export type WayName = (typeof WAYS)[number]

export interface Way {
  readonly name: WayName
  readonly steps: readonly Step[]
  readonly notes: readonly string[]
  /** Why it is not possible for this feed. */
  readonly impossible?: string
}

function notesOnChangedPartitions(given: Given): string[] {
  const { changedPartitions, partitions } = given.workload
  if (fallsBack(given))
    return [
      `${changedPartitions} of ${partitions} partitions changed: it does what rewrite does, and says so.`,
    ]
  return [
    `Reads less than rewrite while changes lie in fewer than ${breakEvenPartitions(given)} of ${partitions} partitions.`,
  ]
}

function makeChangedPartitions(given: Given): Way {
  const name = 'changed-partitions'
  if (given.workload.partitions === 0)
    return { name, steps: [], notes: [], impossible: 'the table has no partitions' }
  return { name, steps: stepsOfChangedPartitions(given), notes: notesOnChangedPartitions(given) }
}

function makeCdc(given: Given): Way {
  const impossible = findCdcProblem(given.feed)
  if (impossible !== undefined) return { name: 'cdc', steps: [], notes: [], impossible }
  const notes = ['Needs a source that sends changes, deletes included; a snapshot would be streamed whole.']
  return { name: 'cdc', steps: stepsOfCdc(given), notes }
}

export function makeWays(given: Given): Way[] {
  const merge = [
    'The way without Freshet: one statement after the load, with no gates and no rollback point.',
  ]
  return [
    { name: 'merge', steps: stepsOfMerge(given), notes: merge },
    { name: 'rewrite', steps: stepsOfRewrite(given), notes: [] },
    makeChangedPartitions(given),
    makeCdc(given),
  ]
}
