/** Gathers what an estimate is made from: options first, then receipts and the feed, then assumptions; and says which. */

import type { Assumptions } from '../functions/estimate/rates.ts'
import type { Measured } from '../functions/estimate/receipts.ts'
import { measureRow } from '../functions/estimate/row-width.ts'
import { countPartitions, scaleByPartitions, type Workload } from '../functions/estimate/workload.ts'
import type { Feed } from '../functions/feed/feed.ts'
import { misuse } from './exit.ts'

export interface EstimateOptions {
  readonly rows?: number | undefined
  readonly bytes?: number | undefined
  readonly changed?: number | undefined
  readonly partitions?: number | undefined
  readonly changedPartitions?: number | undefined
  readonly perDay?: number | undefined
}

type From = 'given' | 'receipts' | 'feed' | 'assumed' | 'column types'
/** What each figure of the workload rests on. */
export type Sources = Readonly<
  Record<'rows' | 'bytes' | 'changed' | 'partitions' | 'changedPartitions' | 'runsADay', From>
>

interface Figure {
  readonly value: number
  readonly from: From
}
const first = (...choices: readonly (readonly [number | undefined, From])[]): Figure | undefined => {
  const found = choices.find(([value]) => value !== undefined)
  return found?.[0] === undefined ? undefined : { value: found[0], from: found[1] }
}

function choosePartitions(feed: Feed, options: EstimateOptions, measured: Measured | undefined): Figure {
  if (!feed.table.partition) {
    if (options.partitions)
      throw misuse(`the table of ${feed.name} has no partitions`, 'Leave --partitions out.')
    return { value: 0, from: 'feed' }
  }
  const { every } = feed.table.partition
  const found = first(
    [options.partitions, 'given'],
    [countPartitions(feed), 'feed'],
    [measured?.partitions, 'receipts'],
  )
  if (found && found.value > 0) return found
  throw misuse(
    `how many ${every} partitions has the table of ${feed.name}?`,
    'Give --partitions N, or say in the feed how long partitions are kept.',
  )
}

/** A test on fewer partitions than the table will have is scaled up. */
function chooseRows(
  options: EstimateOptions,
  measured: Measured | undefined,
  partitions: number,
): Figure | undefined {
  const seen = measured?.partitions
  const factor = seen ? scaleByPartitions(partitions, seen) : 1
  return first([options.rows, 'given'], [measured && Math.round(measured.rows * factor), 'receipts'])
}

function chooseSize(rows: Figure | undefined, bytes: number | undefined, rowBytes: number) {
  if (bytes !== undefined) {
    const counted = rows?.from === 'given' ? rows : undefined
    return {
      rows: counted ?? { value: Math.round(bytes / rowBytes), from: 'column types' as const },
      bytes: { value: bytes, from: 'given' as const },
    }
  }
  if (rows) return { rows, bytes: { value: rows.value * rowBytes, from: 'column types' as const } }
  throw misuse(
    'how large is the table?',
    'Give --rows N or --bytes SIZE, or --dir DIR with a table that was refreshed.',
  )
}

function chooseChanged(
  options: EstimateOptions,
  measured: Measured | undefined,
  partitions: number,
  assumed: Assumptions,
) {
  const share = (of: number | undefined) => (of === undefined ? undefined : Math.ceil(of * partitions))
  const changed = first([options.changed, 'given']) ?? {
    value: assumed.changedShare,
    from: 'assumed' as const,
  }
  const nothing = changed.value === 0 ? 0 : undefined
  const lies = first(
    [options.changedPartitions, 'given'],
    [nothing, changed.from],
    [share(measured?.changedPartitionShare), 'receipts'],
  ) ?? { value: share(assumed.changedPartitionShare) ?? 0, from: 'assumed' as const }
  if (lies.value > partitions && partitions > 0)
    throw misuse(
      `${lies.value} partitions change, and the table has ${partitions}`,
      'Give a smaller --changed-partitions.',
    )
  return { changed, changedPartitions: { ...lies, value: partitions === 0 ? 0 : lies.value } }
}

export function makeWorkload(
  feed: Feed,
  options: EstimateOptions,
  measured: Measured | undefined,
  assumed: Assumptions,
): { readonly workload: Workload; readonly sources: Sources } {
  const width = measureRow(feed, assumed.variableBytes)
  const partitions = choosePartitions(feed, options, measured)
  const { rows, bytes } = chooseSize(
    chooseRows(options, measured, partitions.value),
    options.bytes,
    width.row,
  )
  const { changed, changedPartitions } = chooseChanged(options, measured, partitions.value, assumed)
  const runsADay = first([options.perDay, 'given'], [measured?.runsADay, 'receipts']) ?? {
    value: assumed.runsADay,
    from: 'assumed' as const,
  }
  const values = {
    rows: rows.value,
    bytes: bytes.value,
    changed: changed.value,
    partitions: partitions.value,
    changedPartitions: changedPartitions.value,
    runsADay: runsADay.value,
  }
  const sources = {
    rows: rows.from,
    bytes: bytes.from,
    changed: changed.from,
    partitions: partitions.from,
    changedPartitions: changedPartitions.from,
    runsADay: runsADay.from,
  }
  return { workload: { ...values, withinSeconds: feed.refresh.withinSeconds, width }, sources }
}
