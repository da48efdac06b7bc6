/** What is to be estimated: how large the table is, how much of it changes, how often it is refreshed. */
import type { Feed } from '../feed/feed.ts'
import type { RowWidth } from './row-width.ts'

export interface Workload {
  readonly rows: number
  /** Logical bytes of the table, and so of a whole snapshot of it. */
  readonly bytes: number
  /** Share of the rows that a run changes, 0 to 1. */
  readonly changed: number
  /** 0 for a table without partitions. */
  readonly partitions: number
  /** Partitions that hold the changes of one run. */
  readonly changedPartitions: number
  readonly runsADay: number
  /** The promise. */
  readonly withinSeconds: number
  readonly width: RowWidth
}

const DAYS = { hour: 1 / 24, day: 1, month: 365 / 12, year: 365 } as const

/** A window of 730 days lies in 731 day partitions: the oldest is still leaving while today's fills. `undefined`: the feed does not say. */
export function countPartitions({ table: { partition } }: Feed): number | undefined {
  if (!partition) return 0
  if (partition.keepDays === undefined) return undefined
  return Math.ceil(partition.keepDays / DAYS[partition.every]) + 1
}

/** What a test that saw `measured` partitions has to be multiplied by: 730 days over 13 are a factor of 56. */
export function scaleByPartitions(partitions: number, measured: number): number {
  if (!(measured > 0)) throw new Error('nothing was measured to scale from')
  return partitions / measured
}
