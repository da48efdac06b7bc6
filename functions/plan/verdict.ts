/** The gates: may what landed reach staging? Decided from counts, before anything is touched. */
import type { Feed } from '../feed/feed.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import type { PlannedSnapshot } from './run-plan.ts'
import type { Inspection } from './stages/inspect.ts'

export interface Finding {
  readonly snapshot: SnapshotId
  /** `rejected`: the source has to send something else. `held`: a person may say that it is right. */
  readonly kind: 'held' | 'rejected'
  /** What was found, with its figures. */
  readonly reason: string
  readonly hint: string
}

export type Verdict =
  | {
      readonly kind: 'proceed'
      /** Rows that landed, and how many keys they have, over all snapshots. */
      readonly loaded: number
      readonly keys: number
      /** Rows of the newest snapshot: what the next one is measured by. */
      readonly newestRows: number
    }
  | { readonly kind: 'stopped'; readonly findings: readonly Finding[] }

const APPROVE = 'If it is right as it is, approve it; if not, reject it and send a new one.'
const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
type Stop = 'hold' | 'reject' | 'allow' | 'newest'
type Judgement = readonly [stop: Stop, wrong: boolean, reason: string, hint: string]

function judge(
  feed: Feed,
  found: Inspection,
  snapshot: PlannedSnapshot,
  lastRows: number | undefined,
): Judgement[] {
  const { gates, model } = feed
  const least = Math.ceil((lastRows ?? 0) * gates.minRowsVsLast)
  const key = model.key.join(', ')
  const promised = snapshot.rows
  return [
    [
      'reject',
      promised !== undefined && promised !== found.row_count,
      `${count(found.row_count, 'row')} landed, and the manifest promises ${promised}`,
      'Write the files and the manifest anew.',
    ],
    [
      gates.nullKeys,
      found.null_key_rows > 0,
      `${count(found.null_key_rows, 'row')} with NULL in the key (${key})`,
      'Give every row its key; `gates.null_keys` says what else may be done.',
    ],
    [
      gates.zeroRows,
      found.row_count === 0,
      'no rows landed',
      `An empty snapshot is never published unasked. ${APPROVE}`,
    ],
    [
      'hold',
      found.row_count > 0 && found.row_count < least,
      `${count(found.row_count, 'row')} landed, the last snapshot had ${lastRows}; at least ${least} were expected`,
      APPROVE,
    ],
    [
      gates.duplicateKeys,
      found.duplicate_keys > 0,
      `${count(found.duplicate_keys, 'key')} in more than one row (${key})`,
      `Is the key complete? ${APPROVE} \`gates.duplicate_keys: newest\` lets the newest row win.`,
    ],
  ]
}

function findProblem(
  feed: Feed,
  found: Inspection,
  snapshot: PlannedSnapshot,
  lastRows: number | undefined,
): Finding | undefined {
  const wrong = judge(feed, found, snapshot, lastRows).filter(
    ([stop, is]) => is && (stop === 'hold' || stop === 'reject'),
  )
  const rejected = wrong.find(([stop]) => stop === 'reject')
  // A person can answer for what looks odd, not for what can't be used.
  const first = rejected ?? (snapshot.approved ? undefined : wrong[0])
  if (!first) return undefined
  const reasons = wrong.map(([, , reason]) => reason).join('; ')
  return { snapshot: snapshot.id, kind: rejected ? 'rejected' : 'held', reason: reasons, hint: first[3] }
}

/**
 * `inspections` holds one row a snapshot, and one with an empty `snapshot` over all of them where there are
 * several. `lastRows` are the rows of the last snapshot that was published.
 */
export function planVerdict(
  feed: Feed,
  snapshots: readonly PlannedSnapshot[],
  inspections: readonly Inspection[],
  lastRows?: number,
): Verdict {
  const rowOf = (id: string): Inspection => {
    const found = inspections.find(({ snapshot }) => snapshot === id)
    if (!found) throw new Error(`the inspection of ${id || 'all snapshots'} is missing`)
    return found
  }
  const findings = snapshots.flatMap(
    snapshot => findProblem(feed, rowOf(snapshot.id), snapshot, lastRows) ?? [],
  )
  if (findings.length > 0) return { kind: 'stopped', findings }
  const newest = rowOf(snapshots.at(-1)?.id ?? '')
  const all = snapshots.length > 1 ? rowOf('') : newest
  return { kind: 'proceed', loaded: all.row_count, keys: all.key_count, newestRows: newest.row_count }
}
