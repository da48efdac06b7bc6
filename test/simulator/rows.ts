/** Rows of the simulator's tables: their order, and the pieces of SQL that name it. */
import { SimulatorError } from './world.ts'

export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

export const names = (list: string): string[] => {
  const parts = list.split(', ')
  return parts.map(part => /^`(\w+)`$/.exec(part)?.[1] ?? refuse(part))
}
export function refuse(text: string): never {
  throw new SimulatorError(`the simulator does not read this SQL: ${text}`)
}

/** NULL is less than everything; texts order by their code points. */
function compare(a: Cell, b: Cell): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

export const keyOf = (row: Row, key: readonly string[]) => JSON.stringify(key.map(name => row[name] ?? null))

/** The first row of each key by ORDER BY terms. */
export function firstRows(rows: readonly Row[], key: readonly string[], order: string): Row[] {
  const terms = order.split(', ').map(term => {
    const [, name, direction] = /^`(\w+)`(?: (ASC|DESC))?$/.exec(term) ?? refuse(term)
    return { name: name ?? '', sign: direction === 'DESC' ? -1 : 1 }
  })
  const before = (a: Row, b: Row): boolean => {
    for (const { name, sign } of terms) {
      const result = compare(a[name] ?? null, b[name] ?? null) * sign
      if (result !== 0) return result < 0
    }
    return false
  }
  const first = new Map<string, Row>()
  for (const row of rows) {
    const id = keyOf(row, key)
    const known = first.get(id)
    if (!known || before(row, known)) first.set(id, row)
  }
  return [...first.values()]
}
