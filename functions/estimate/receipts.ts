/** What the receipts of past runs say that would otherwise be assumed. */
import type { RefreshMessage } from '../message.ts'
import { GIB } from './step.ts'

export interface Measured {
  readonly runs: number
  /** Rows of the table after the last run. */
  readonly rows: number
  /** Of the last run; absent where receipts do not count partitions. */
  readonly partitions?: number
  /** Median share of partitions that a run changed, where a strategy looked. */
  readonly changedPartitionShare?: number
  readonly runsADay?: number
  /** Strategy → median of slot-milliseconds for a GiB that its queries read, the loads' slots included. */
  readonly slotMsPerGiB: Readonly<Record<string, number>>
  /** Seconds from arrival to refresh. */
  readonly within: { readonly median: number; readonly worst: number }
}

export function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low, high] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

const DAY = 86_400_000

/** From a day on, the receipts say how often the source delivers. */
function countRunsADay(receipts: readonly RefreshMessage[]): number | undefined {
  const times = receipts.map(({ finishedAt }) => Date.parse(finishedAt))
  const span = Math.max(...times) - Math.min(...times)
  return span >= DAY ? ((times.length - 1) * DAY) / span : undefined
}

function measureSlots(receipts: readonly RefreshMessage[]): Record<string, number> {
  const used = receipts.filter(({ bytesProcessed, slotMs }) => bytesProcessed > 0 && slotMs > 0)
  return Object.fromEntries(
    [...new Set(used.map(({ strategy }) => strategy))].flatMap(strategy => {
      const ratios = used
        .filter(receipt => receipt.strategy === strategy)
        .map(({ slotMs, bytesProcessed }) => (slotMs * GIB) / bytesProcessed)
      const median = medianOf(ratios)
      return median === undefined ? [] : [[strategy, median]]
    }),
  )
}

/**
 * `receipts`: messages of one feed, the latest first. `slots`: whether their slot-milliseconds are BigQuery's own;
 * the embedded cloud has none, and its sizes are as good as any. `undefined` when no run refreshed the table yet.
 */
export function measureReceipts(
  receipts: readonly RefreshMessage[],
  { slots }: { readonly slots: boolean },
): Measured | undefined {
  const ran = receipts.filter(({ status }) => status === 'refreshed' || status === 'unchanged')
  const last = ran.find(({ status }) => status === 'refreshed')
  if (!last) return undefined
  const counted = ran.filter(({ partitions }) => partitions.total > 0)
  const compared = counted.filter(({ strategy }) => strategy === 'changed-partitions')
  const share = medianOf(compared.map(({ partitions }) => partitions.changed / partitions.total))
  const runsADay = countRunsADay(ran)
  const total = counted[0]?.partitions.total
  const seconds = ran.map(({ withinSeconds }) => withinSeconds)
  return {
    runs: ran.length,
    rows: last.rows.after,
    ...(total !== undefined && { partitions: total }),
    ...(share !== undefined && { changedPartitionShare: share }),
    ...(runsADay !== undefined && { runsADay }),
    slotMsPerGiB: slots ? measureSlots(ran) : {},
    within: { median: medianOf(seconds) ?? 0, worst: Math.max(...seconds) },
  }
}
