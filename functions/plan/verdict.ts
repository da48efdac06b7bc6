/** The verdicts on a run: may what landed reach staging, and is staging what it should be afterwards? */
import type { Feed } from '../feed/feed.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import type { Applied } from './applied.ts'
import { judge, type LastSnapshot } from './gates.ts'
import type { PlannedSnapshot, RunPlan } from './run-plan.ts'
import type { Inspection } from './stages/inspect.ts'

export interface Finding {
  readonly snapshot: SnapshotId
  /** `rejected`: the source has to send something else. `held`: a person may say that it is right. */
  readonly kind: 'held' | 'rejected'
  /** What was found, with its figures. */
  readonly reason: string
  readonly hint: string
}

export interface Proceed {
  readonly kind: 'proceed'
  /** Rows that landed, and how many keys they have, over all snapshots. */
  readonly loaded: number
  readonly keys: number
  /** Set where `keys` is the most there can be: the least. */
  readonly leastKeys?: number | undefined
  /** Rows that expire as they are written. */
  readonly outside: number
  /** Rows that delete their key, over all snapshots, where the feed has such. */
  readonly deletes?: number | undefined
  /** Of the newest snapshot: what the next one is measured by. */
  readonly newestRows: number
  /** Bad rows over all snapshots, where a feed lets some pass. */
  readonly quarantined?: number | undefined
  readonly filled?: readonly string[] | undefined
}
export interface Stopped {
  readonly kind: 'stopped'
  /** Staging was written already and has to be put back. */
  readonly restore: boolean
  readonly findings: readonly Finding[]
}
export type Verdict = Proceed | Stopped

interface Before {
  /** Rows of staging. */
  readonly rows: number
  readonly last?: LastSnapshot | undefined
}

function findProblem(
  feed: Feed,
  snapshot: PlannedSnapshot,
  found: Inspection,
  before: Before,
): Finding | undefined {
  const wrong = judge(feed, snapshot, found, before).filter(
    ({ stop, wrong: is }) => is && (stop === 'hold' || stop === 'reject'),
  )
  const rejected = wrong.find(({ stop }) => stop === 'reject')
  // A person can answer for what looks odd, not for what can't be used.
  const first = rejected ?? (snapshot.approved ? undefined : wrong[0])
  if (!first) return undefined
  const reason = wrong.map(judgement => judgement.reason).join('; ')
  return { snapshot: snapshot.id, kind: rejected ? 'rejected' : 'held', reason, hint: first.hint }
}

/**
 * `inspections` holds one entry a snapshot, and one with an empty `snapshot` over all of them where there are
 * several.
 */
export function planVerdict(
  feed: Feed,
  snapshots: readonly PlannedSnapshot[],
  inspections: readonly Inspection[],
  before: Before,
): Verdict {
  const inspectionOf = (id: string): Inspection => {
    const found = inspections.find(({ snapshot }) => snapshot === id)
    if (!found) throw new Error(`the inspection of ${id || 'all snapshots'} is missing`)
    return found
  }
  const findings = snapshots.flatMap(
    snapshot => findProblem(feed, snapshot, inspectionOf(snapshot.id), before) ?? [],
  )
  if (findings.length > 0) return { kind: 'stopped', restore: false, findings }
  const newest = inspectionOf(snapshots.at(-1)?.id ?? '')
  const all = snapshots.length > 1 ? inspectionOf('') : newest
  const looked = feed.gates.emptiedColumns !== 'allow'
  const filled = feed.table.columns
    .map(({ name }) => name)
    .filter(name => !newest.empty_columns.includes(name))
  return {
    kind: 'proceed',
    loaded: all.row_count,
    keys: all.key_count,
    ...(all.least_keys !== undefined && { leastKeys: all.least_keys }),
    outside: all.outside_rows,
    ...(all.deleted_rows !== undefined && { deletes: all.deleted_rows }),
    newestRows: newest.row_count,
    ...(feed.source.badRows !== undefined && {
      quarantined: snapshots.reduce((sum, { id }) => sum + (inspectionOf(id).bad?.count ?? 0), 0),
    }),
    ...(looked && newest.row_count > 0 && { filled }),
  }
}

const describeKeys = (most: number, least: number) =>
  least < most ? `${least} to ${most} keys` : `${most} keys`

/** Where rows are appended, or partitions replaced by those that landed: how many there may be. */
function findMiscount(
  { table }: Feed,
  { rowsBefore }: RunPlan,
  { loaded, outside }: Proceed,
  rows: number,
  { kind, written }: Applied,
): string | undefined {
  const added = written?.keys ?? loaded
  const fresh = added - (written?.outside ?? outside)
  const expires = table.partition?.keepDays !== undefined
  const least = kind === 'append' && !expires ? rowsBefore + fresh : fresh
  if (rows > rowsBefore + added)
    return `${rows} rows, more than the ${rowsBefore} of before and ${added} that landed`
  return rows < least ? `${rows} rows, and should have at least ${least}` : undefined
}

/** What must hold of staging's row count once it is deduplicated; free metadata is enough to see it. */
function findBreach(
  { model, table }: Feed,
  { rowsBefore }: RunPlan,
  { keys, leastKeys = keys, outside, deletes }: Proceed,
  rows: number,
  applied: Applied | undefined,
) {
  // Where only some partitions were written, no more is known of the others than that they stay.
  const { written } = applied ?? {}
  const gone = deletes ?? 0
  const least = (written?.keys ?? leastKeys) - (written?.outside ?? outside) - gone
  if (model.missingRows === 'delete') {
    return rows > keys || rows < least
      ? `${rows} rows, and the snapshot has ${describeKeys(keys, leastKeys)}`
      : undefined
  }
  const added = written?.keys ?? keys
  if (rows > rowsBefore + added)
    return `${rows} rows, more than the ${rowsBefore} of before and ${added} keys`
  // A row that landed may have come too late for a key that is gone.
  if (rows < least && deletes === undefined) return `${rows} rows, fewer than the ${least} keys that landed`
  // Partitions may expire while a run goes on; without an expiry nothing may go.
  const expires = table.partition?.keepDays !== undefined
  const said = gone > 0 ? ` of before, less ${gone} that were deleted` : ' of before'
  return rows < rowsBefore - gone && !expires
    ? `${rows} rows, fewer than the ${rowsBefore}${said}`
    : undefined
}

/** After deduplication: `undefined` when staging may be published, else why it is put back. */
export function planAftermath(
  feed: Feed,
  plan: RunPlan,
  verdict: Proceed,
  rows: number,
  applied?: Applied,
): Stopped | undefined {
  const untouched = plan.kind === 'rollback' || applied?.kind === 'unchanged'
  const counts = applied?.kind === 'append' || applied?.kind === 'replace-partitions'
  const breach = untouched
    ? undefined
    : counts
      ? findMiscount(feed, plan, verdict, rows, applied)
      : findBreach(feed, plan, verdict, rows, applied)
  if (breach === undefined) return undefined
  const findings = plan.snapshots.map(
    ({ id }): Finding => ({
      snapshot: id,
      kind: 'held',
      reason: `after deduplication staging has ${breach}; it was put back`,
      hint: 'Does something else write the staging table? Look, then approve the snapshot to try again.',
    }),
  )
  return { kind: 'stopped', restore: true, findings }
}
