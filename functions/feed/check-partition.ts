/** What must hold of a table's partitions: the column's type, and how many there may be. */

import { abilityOf, type Granularity } from './column-type.ts'
import { typeOf, type WithTable } from './declared.ts'
import { parseDuration } from './duration.ts'
import { type Finding, noColumn } from './finding.ts'

/**
 * Of one job, and a whole snapshot is loaded by one: docs.cloud.google.com/bigquery/quotas#partitioned_tables. A table
 * may have 10,000, which no job could write.
 */
export const MAX_PARTITIONS = 4_000
const PARTITIONS_A_DAY: Readonly<Record<Granularity, number>> = {
  hour: 24,
  day: 1,
  month: 1 / 28,
  year: 1 / 365,
}

/** How many partitions a table has at most, the current one included; `undefined` where none ever goes. */
export function countKept({ table: { partition } }: WithTable): number | undefined {
  const seconds = partition?.keep === undefined ? undefined : parseDuration(partition.keep)
  if (!partition || seconds === undefined) return undefined
  return Math.ceil((seconds / 86_400) * PARTITIONS_A_DAY[partition.every])
}

function* checkKept(file: WithTable): Generator<Finding> {
  const { partition } = file.table
  if (partition?.keep === undefined) return
  const path = ['table', 'partition', 'keep']
  if (!Number.isInteger((parseDuration(partition.keep) ?? 0) / 86_400))
    yield { path, message: 'is not a number of days', hint: 'Write it as "730 days".' }
  const kept = countKept(file) ?? 0
  if (kept > MAX_PARTITIONS)
    yield {
      path,
      message: `makes ${kept} partitions by ${partition.every}, and a job of BigQuery writes at most ${MAX_PARTITIONS}`,
      hint: 'Keep less, or partition by a longer time.',
    }
}

export function* checkPartition(file: WithTable): Generator<Finding> {
  const { partition } = file.table
  if (!partition) return
  const type = typeOf(file, partition.by)
  const path = ['table', 'partition', 'by']
  if (type === undefined) {
    yield noColumn(path, partition.by)
  } else if (!abilityOf(type)?.partition?.includes(partition.every)) {
    yield {
      path,
      message: `is of type ${type}, which can't be partitioned by ${partition.every}`,
      hint: 'Partition by a DATE, DATETIME or TIMESTAMP column.',
    }
  }
  yield* checkKept(file)
}
