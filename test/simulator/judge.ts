/** The reference for the gates: which verdict the rows of a run's snapshots deserve. */
import { isReplaced, type Run, snapshotRows } from './records.ts'
import { type Last, newestRows } from './reference.ts'
import type { Setting } from './sources.ts'
import type { Store } from './store.ts'
import type { Row } from './tables.ts'

/** A run that was closed, and how the table stood before it. */
export interface Closed {
  readonly record: Run
  readonly last: Last | undefined
  readonly before: number
  /** Its deduplication left rows that nobody sent. */
  readonly junk: boolean
  /** A snapshot with a key in several rows was published. */
  readonly passedDuplicates: boolean
  /** Its publish would have taken away what people gave the target; `undefined`: that changed while it ran. */
  readonly wouldLose: boolean | undefined
}

type Ruling = 'good' | 'held' | 'rejected'

interface Landed {
  readonly rows: readonly Row[]
  readonly promised: number | undefined
  readonly approved: boolean
}

/** Days that are as they were are not looked at again: duplicates in them that were let pass once are no news. */
const mayBeKnown = (rows: readonly Row[], { passedDuplicates }: Closed, { strategy }: Setting) =>
  strategy === 'changed-partitions' && passedDuplicates && newestRows(rows).length < rows.length

function ruleOn({ rows, promised, approved }: Landed, { last, before }: Closed, setting: Setting): Ruling {
  if (promised !== undefined && promised !== rows.length) return 'rejected'
  if (rows.some(({ k, g }) => k === null || g === null)) return 'rejected'
  if (approved) return 'good'
  const keys = new Set(rows.map(({ k, g }) => `${k}/${g}`)).size
  const emptied = (name: string) => rows.every(row => (row[name] ?? null) === null)
  const odd = [
    rows.length === 0,
    rows.length * 2 < (last?.rows ?? 0),
    setting.duplicateKeys === 'hold' && keys < rows.length,
    last?.filled?.some(emptied) === true,
    setting.missingRows === 'delete' && (before - keys) * 2 > before,
  ]
  return odd.some(Boolean) ? 'held' : 'good'
}

/** Throws when the run's verdict is not the one that its snapshots deserve. */
export function judgeRun(store: Store, setting: Setting, closed: Closed): void {
  const { plan, verdict, rollback } = closed.record
  const ended = verdict?.kind
  if (plan.rowsBefore !== closed.before)
    throw new Error(
      `run ${plan.run} says that the table had ${plan.rowsBefore} rows; it had ${closed.before}`,
    )
  if (rollback) {
    if (ended !== 'proceed') throw new Error(`rollback ${plan.run} ended with ${ended}`)
    return
  }
  const spoilt = ended === 'stopped' && verdict?.kind === 'stopped' && verdict.restore
  if (spoilt && !closed.junk) throw new Error(`run ${plan.run} put staging back without need`)
  if (spoilt) return
  if (closed.wouldLose === undefined) return
  // Whether it was replaced before or after its landing was looked at, the simulator does not ask.
  if (plan.snapshots.some(({ id }) => isReplaced(store, plan, id))) return
  const landed = plan.snapshots.map(({ id }) => snapshotRows(store, plan, id, setting))
  if (landed.some(rows => rows && mayBeKnown(rows, closed, setting))) return
  const rulings = plan.snapshots.map(({ id, rows: promised, approved }) => {
    const rows = snapshotRows(store, plan, id, setting)
    return {
      id,
      ruling: rows
        ? closed.wouldLose
          ? 'held'
          : ruleOn({ rows, promised, approved }, closed, setting)
        : ('unreadable' as const),
    }
  })
  const found =
    verdict?.kind === 'stopped' ? verdict.findings.map(({ snapshot, kind }) => `${snapshot} ${kind}`) : []
  const unreadable = rulings.filter(({ ruling }) => ruling === 'unreadable')
  // A load job that fails ends the run at once: it speaks of its own snapshot only.
  const deserved =
    unreadable.length > 0 ? unreadable.slice(0, 1) : rulings.filter(({ ruling }) => ruling !== 'good')
  const expected = deserved.map(({ id, ruling }) => `${id} ${ruling === 'unreadable' ? 'rejected' : ruling}`)
  if (`${found.toSorted()}` === `${expected.toSorted()}` && (ended === 'proceed') === (expected.length === 0))
    return
  const reasons = verdict?.kind === 'stopped' ? verdict.findings.map(({ reason }) => reason).join('; ') : ''
  throw new Error(`run ${plan.run} ended with ${ended} [${found}], and deserved [${expected}]. ${reasons}`)
}
