/** The gates of one snapshot: each looks at the counts of inspect and says whether they are as they should be. */
import type { Feed } from '../feed/feed.ts'
import type { PlannedSnapshot } from './run-plan.ts'
import type { Inspection } from './stages/inspect.ts'

/** What the last snapshot that was published looked like. */
export interface LastSnapshot {
  readonly rows: number
  /** Columns that had a value; absent when nobody looked. */
  readonly filled?: readonly string[] | undefined
}

export interface Judgement {
  /** `allow` and `newest` let pass. */
  readonly stop: 'hold' | 'reject' | 'allow' | 'newest'
  readonly wrong: boolean
  readonly reason: string
  readonly hint: string
}

const APPROVE = 'If it is right as it is, approve it; if not, reject it and send a new one.'
const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`

function judgeBadRows({ source }: Feed, found: Inspection): Judgement {
  const { count: bad, reasons } = found.bad ?? { count: 0, reasons: [] }
  const { badRows: share = 0 } = source
  const total = found.row_count + bad
  // A share such as 0.3% has no exact binary form; a millionth of a row is no row.
  const atMost = Math.floor(total * share + 1e-6)
  return {
    stop: 'reject',
    wrong: bad > atMost,
    reason: `${bad.toLocaleString('en-US')} of ${count(total, 'row')} ${bad === 1 ? 'is' : 'are'} bad, and at most ${atMost} may be: ${reasons.join('; ')}`,
    hint: "Mend them and send the snapshot again; the feed's quarantine table lists them with this run.",
  }
}

function judgeRows(
  { gates }: Feed,
  found: Inspection,
  { rows }: PlannedSnapshot,
  last?: LastSnapshot,
): Judgement[] {
  const least = Math.ceil((last?.rows ?? 0) * gates.minRowsVsLast)
  const landed = count(found.row_count, 'row')
  const bad = found.bad?.count ?? 0
  return [
    {
      stop: 'reject',
      wrong: rows !== undefined && rows !== found.row_count + bad,
      reason: `${landed} landed${bad > 0 ? ` and ${bad} ${bad === 1 ? 'was' : 'were'} bad` : ''}, and the manifest promises ${rows}`,
      hint: 'Write the files and the manifest anew.',
    },
    {
      stop: gates.zeroRows,
      wrong: found.row_count === 0,
      reason: 'no rows landed',
      hint: `An empty snapshot is never published unasked. ${APPROVE}`,
    },
    {
      stop: 'hold',
      wrong: found.row_count > 0 && found.row_count < least,
      reason: `${landed} landed, the last snapshot had ${last?.rows}; at least ${least} were expected`,
      hint: APPROVE,
    },
  ]
}

function describeDuplicates({ duplicates }: Inspection): string {
  if (!duplicates) return ''
  const { differing, sample } = duplicates
  const how =
    differing > 0 ? `${differing} of them with rows that differ` : 'the rows are copies of each other'
  return `, ${how}; such as ${sample}`
}

function judgeKeys({ gates, model }: Feed, found: Inspection): Judgement[] {
  if (model.key.length === 0) return []
  const key = model.key.join(', ')
  return [
    {
      stop: gates.nullKeys,
      wrong: found.null_key_rows > 0,
      reason: `${count(found.null_key_rows, 'row')} with NULL in the key (${key})`,
      hint: 'Give every row its key; `gates.null_keys` says what else may be done.',
    },
    {
      stop: gates.duplicateKeys,
      wrong: found.duplicate_keys > 0,
      reason: `${count(found.duplicate_keys, 'key')} in more than one row (${key})${describeDuplicates(found)}`,
      hint: `Is the key complete? ${APPROVE} \`gates.duplicate_keys: newest\` lets the newest row win.`,
    },
  ]
}

function judgeValues({ gates, table }: Feed, found: Inspection, last?: LastSnapshot): Judgement[] {
  const emptied = found.empty_columns.filter(name => last?.filled?.includes(name))
  const column = table.partition?.by ?? ''
  return [
    {
      stop: gates.nullPartitions,
      wrong: found.null_partition_rows > 0,
      reason: `${count(found.null_partition_rows, 'row')} without a ${column}, by which the table is partitioned`,
      hint: `They would never expire. ${APPROVE}`,
    },
    {
      stop: gates.outsideWindow,
      wrong: found.outside_rows > 0,
      reason: `${count(found.outside_rows, 'row')} with a ${column} outside the partitions that are kept, or over a year ahead`,
      hint: `Rows that are too old vanish as they are written. ${APPROVE}`,
    },
    {
      stop: gates.emptiedColumns,
      wrong: emptied.length > 0 && found.row_count > 0,
      reason: `only NULL in ${emptied.join(', ')}, which had values in the last snapshot`,
      hint: `Was the column renamed at the source? ${APPROVE}`,
    },
  ]
}

function judgeDeletes({ gates, model }: Feed, found: Inspection, rowsBefore: number): Judgement[] {
  const hint = APPROVE
  const most = rowsBefore * gates.maxDeleted
  if (model.missingRows === 'delete') {
    const deleted = rowsBefore - found.key_count + (found.deleted_rows ?? 0)
    const reason = `at least ${count(deleted, 'row')} of ${rowsBefore} would be deleted`
    return [{ stop: 'hold', wrong: deleted > most, reason, hint }]
  }
  const deletes = found.deleted_rows ?? 0
  const reason = `${count(deletes, 'row')} delete their key, and the table has ${count(rowsBefore, 'row')}`
  return [{ stop: 'hold', wrong: Math.min(deletes, rowsBefore) > most, reason, hint }]
}

/** Every gate's judgement, in the order in which they are told. */
export function judge(
  feed: Feed,
  snapshot: PlannedSnapshot,
  found: Inspection,
  before: { readonly rows: number; readonly last?: LastSnapshot | undefined },
): Judgement[] {
  return [
    judgeBadRows(feed, found),
    ...judgeRows(feed, found, snapshot, before.last),
    ...judgeKeys(feed, found),
    ...judgeValues(feed, found, before.last),
    ...judgeDeletes(feed, found, before.rows),
  ]
}
