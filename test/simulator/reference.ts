/** The reference: what the target must hold and how each run must end, worked out without the planner. */
import { type Closed, judgeRun } from './judge.ts'
import { type Run, readRun, snapshotRows } from './records.ts'
import type { Setting } from './sources.ts'
import type { Store } from './store.ts'
import type { Cell, Row, Table } from './tables.ts'

export interface Last {
  readonly newest: string
  readonly rows: number
  /** Columns that had a value; absent when nobody looked. */
  readonly filled?: readonly string[]
}

interface Published {
  readonly rows: readonly Row[]
  /** Rows that the table had before. */
  readonly before: number
}

const rank = (cell: Cell | undefined): readonly [number, Cell] => [
  cell === null || cell === undefined ? 0 : 1,
  cell ?? 0,
]

/** Of one snapshot, whether `a` is to win over `b`: the greater sequence, then the greater values, NULL the least. */
function wins(a: Row, b: Row, by = ['seq', 'v', 'w']): boolean {
  for (const name of by) {
    const [[presentA, valueA], [presentB, valueB]] = [rank(a[name]), rank(b[name])]
    if (presentA !== presentB) return presentA > presentB
    if (valueA !== valueB && valueA !== null && valueB !== null) return valueA > valueB
  }
  return false
}

export function newestRows(rows: readonly Row[]): Row[] {
  const best = new Map<string, Row>()
  for (const row of rows) {
    const key = keyOf(row)
    const known = best.get(key)
    if (!known || wins(row, known)) best.set(key, row)
  }
  return [...best.values()]
}

const keyOf = (row: Row) => `${row.k}/${row.g}`

/** Over the rows of before: the greater sequence, and what arrives later where it is the same. */
export function applyRows(before: readonly Row[], landed: readonly Row[]): Row[] {
  const rows = new Map(before.map(row => [keyOf(row), row]))
  for (const row of newestRows(landed)) {
    const known = rows.get(keyOf(row))
    if (!known || !wins(known, row, ['seq'])) rows.set(keyOf(row), row)
  }
  return [...rows.values()]
}

export const showRows = (rows: readonly Row[], withSequence = true): string =>
  rows
    .map(({ k, g, v, w, seq }) => `${k}${g}: ${v} ${w}${withSequence ? ` #${seq}` : ''}`)
    .toSorted()
    .join('\n')

/** What else happened to the tables. */
export interface Meanwhile {
  /** Whether the deduplication of a run left rows that nobody sent. */
  leftJunk(run: string): boolean
  /** Whether a publish would have taken away what people gave the target; `undefined`: then and again not. */
  wouldLose(run: Run): boolean | undefined
}

export class Reference {
  readonly published = new Map<string, Published>()
  /** Deliveries that were applied, each with its run and rows. */
  readonly applied = new Map<string, { readonly run: string; readonly rows: readonly Row[] }>()
  readonly closed = new Map<string, Run>()
  rows: readonly Row[] = []
  last: Last | undefined
  readonly #meanwhile: Meanwhile
  #passedDuplicates = false
  readonly #store: Store
  readonly #setting: Setting

  constructor(store: Store, setting: Setting, meanwhile: Meanwhile) {
    this.#meanwhile = meanwhile
    this.#store = store
    this.#setting = setting
  }

  /** Rows that a snapshot did not change may keep the id of the one before. */
  show(rows: readonly Row[]): string {
    const { strategy, sequence } = this.#setting
    return showRows(rows, strategy === 'rewrite' || sequence === 'column')
  }

  /** The target shows other rows: are they those that it must show after this run? Throws when they are not. */
  onTarget({ rows, labels }: Table): void {
    const run = labels.freshet_run ?? ''
    if (this.published.has(run)) throw new Error(`run ${run} was published twice`)
    const record = readRun(this.#store, run)
    const expected = this.#expected(record)
    if (this.show(rows) !== this.show(expected)) {
      const shown = `the target shows\n${this.show(rows)}\ninstead of\n${this.show(expected)}`
      throw new Error(`after run ${run} ${shown}`)
    }
    if (record.plan.kind === 'refresh') this.#checkAge(record, rows)
    this.published.set(run, { rows, before: this.rows.length })
    this.rows = rows
  }

  #expected({ plan, rollback }: Run): readonly Row[] {
    if (rollback) {
      const point = this.published.get(rollback.to)
      if (!point) throw new Error(`run ${plan.run} goes back to ${rollback.to}, which was never published`)
      return point.rows
    }
    const landed = plan.snapshots.map(({ id }) => snapshotRows(this.#store, plan, id, this.#setting) ?? [])
    if (this.#setting.missingRows === 'delete') return newestRows(landed.at(-1) ?? [])
    return landed.reduce(applyRows, this.rows)
  }

  /** Nothing that readers saw may become older but by a rollback. */
  #checkAge({ plan }: Run, rows: readonly Row[]): void {
    if (this.#setting.missingRows === 'delete') {
      const newest = Number(plan.snapshots.at(-1)?.id)
      if (this.last && newest < Number(this.last.newest))
        throw new Error(`snapshot ${newest} after ${this.last.newest}`)
      return
    }
    for (const old of this.rows) {
      const now = rows.find(({ k, g }) => k === old.k && g === old.g)
      if (!now || Number(now.seq) < Number(old.seq)) throw new Error(`the row ${old.k}${old.g} became older`)
    }
  }

  /** The lease has let go of a run: is its end the one that it must have? Throws when it is not. */
  onClose(run: string): void {
    const record = readRun(this.#store, run)
    const { plan, verdict, rollback } = record
    if (this.closed.has(run)) throw new Error(`run ${run} was closed twice`)
    if (record.closedAt === undefined) throw new Error(`run ${run} was let go of before it was closed`)
    this.closed.set(run, record)
    const shown = this.published.get(run)
    const closed: Closed = {
      record,
      last: this.last,
      before: shown?.before ?? this.rows.length,
      passedDuplicates: this.#passedDuplicates,
      junk: this.#meanwhile.leftJunk(run),
      wouldLose: verdict?.kind === 'stopped' ? this.#meanwhile.wouldLose(record) : false,
    }
    judgeRun(this.#store, this.#setting, closed)
    const unchanged = record.applied?.kind === 'unchanged' && verdict?.kind === 'proceed'
    if (unchanged && this.show(this.rows) !== this.show(this.#expected(record)))
      throw new Error(`run ${run} found nothing changed, and the table is not what it should be`)
    if ((verdict?.kind === 'proceed' && !unchanged) !== (shown !== undefined))
      throw new Error(`run ${run} ended with ${verdict?.kind}, and was ${shown ? '' : 'never '}published`)
    if (!shown && !unchanged) return
    for (const { id } of rollback ? [] : plan.snapshots) this.#apply(record, id)
    this.last = rollback ? { newest: rollback.newest, rows: rollback.rows } : this.#nextLast(record)
  }

  #apply({ plan }: Run, id: string): void {
    const files = plan.uriLists.filter(({ snapshot }) => snapshot === id).flatMap(list => list.files)
    const delivery = `${id}: ${files.map(({ name, generation }) => `${name}#${generation}`).toSorted()}`
    const before = this.applied.get(delivery)
    if (before) throw new Error(`runs ${before.run} and ${plan.run} both applied ${delivery}`)
    const rows = snapshotRows(this.#store, plan, id, this.#setting) ?? []
    this.applied.set(delivery, { run: plan.run, rows })
    this.#passedDuplicates ||= newestRows(rows).length < rows.length
  }

  #nextLast({ plan }: Run): Last | undefined {
    const newest = plan.snapshots.at(-1)?.id ?? ''
    if (this.last && Number(newest) < Number(this.last.newest)) return this.last
    const rows = snapshotRows(this.#store, plan, newest, this.#setting) ?? []
    const filled = ['v', 'w', 'seq'].filter(name => rows.some(row => (row[name] ?? null) !== null))
    return { newest, rows: rows.length, ...(rows.length > 0 && { filled }) }
  }
}
