/** The reference: what a table holds after snapshots of changes, worked out one row at a time without any SQL. */

export type Value = string | number | boolean | null
export type Row = Readonly<Record<string, Value>>

export interface Rules {
  readonly key: readonly string[]
  readonly sequence: readonly string[]
  /** Whether a row deletes its key. */
  readonly deletes: (row: Row) => boolean
  /** The columns that a row brings; the others keep the value that they have. */
  readonly sent: readonly string[]
  /** All columns, each with the value that it has in a new row that does not bring it. */
  readonly columns: Readonly<Record<string, Value>>
}

interface State {
  /** Absent: the key was deleted. */
  readonly row?: Row
  readonly sequence: readonly Value[]
}
/** By key. */
export type States = ReadonlyMap<string, State>
export const NOTHING: States = new Map()

/** NULL is less than everything. */
function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

function compareAll(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, value] of a.entries()) {
    const order = compare(value, b[at] ?? null)
    if (order !== 0) return order
  }
  return 0
}

const pick = (row: Row, names: readonly string[]) => names.map(name => row[name] ?? null)

/** In one snapshot rows have no time of arrival: a deletion is the last word, then the greater values are. */
function inOrder(rows: readonly Row[], { sequence, deletes, columns }: Rules): Row[] {
  const names = Object.keys(columns)
  return rows.toSorted(
    (a, b) =>
      compareAll(pick(a, sequence), pick(b, sequence)) ||
      Number(deletes(a)) - Number(deletes(b)) ||
      compareAll(pick(a, names), pick(b, names)),
  )
}

function applyRow(state: State | undefined, row: Row, { sequence, deletes, sent, columns }: Rules): State {
  const given = pick(row, sequence)
  if (state && compareAll(given, state.sequence) < 0) return state
  if (deletes(row)) return { sequence: given }
  const brought = Object.fromEntries(sent.map(name => [name, row[name] ?? null]))
  return { row: { ...columns, ...state?.row, ...brought }, sequence: given }
}

/** What arrives later wins where the sequence is the same; what is older than the key's newest changes nothing. */
export function applySnapshot(states: States, rows: readonly Row[], rules: Rules): States {
  const next = new Map(states)
  for (const row of inOrder(rows, rules)) {
    const key = JSON.stringify(pick(row, rules.key))
    next.set(key, applyRow(next.get(key), row, rules))
  }
  return next
}

export const rowsOf = (states: States): Row[] => [...states.values()].flatMap(({ row }) => (row ? [row] : []))
