/** Queries of whole rows in the simulator: rows of tables, put together, with the newest of each key or what another lacks. */
import { firstRows, keyOf, names, type Row, refuse } from './rows.ts'
import { type Column, find, type Prepared, type Tables } from './tables.ts'

export interface Found {
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
}

/** True for the rows of whole days; only the forms that the planner writes. */
export function readCondition(text: string): (row: Row) => boolean {
  if (text === 'FALSE') return () => false
  const [, by = '', list] = /^`(\w+)` IN \(((?:DATE '[\d-]+'(?:, )?)+)\)$/.exec(text) ?? []
  if (list !== undefined) {
    const days = new Set([...list.matchAll(/'([\d-]+)'/g)].map(([, day]) => day))
    return row => days.has(String(row[by]))
  }
  const [, spans = refuse(text), column = ''] = /^\(NOT \((.+)\) OR `(\w+)` IS NULL\)$/.exec(text) ?? []
  const all = spans.split(' OR ').map(span => {
    const [, from = '', to = ''] =
      /^\(`\w+` >= DATE '([\d-]+)' AND `\w+` < DATE '([\d-]+)'\)$/.exec(span) ?? refuse(span)
    return [from, to] as const
  })
  return row => !all.some(([from, to]) => String(row[column]) >= from && String(row[column]) < to)
}

function readPlain(text: string, tables: Tables): Found {
  const [, list = '', arrival, from = '', where] =
    /^SELECT ((?:`\w+`(?:, )?)+?)(?:, (\d+)(?: AS `arrival`)?)?\nFROM `([^`]+)`(?:\nWHERE (.+))?$/.exec(
      text,
    ) ?? refuse(text)
  const table = find(tables, from)
  const selected = names(list)
  const columns = selected.map(name => table.columns.find(column => column.name === name) ?? refuse(name))
  const kept = where === undefined ? table.rows : table.rows.filter(readCondition(where))
  const pick = (row: Row): Row => Object.fromEntries(selected.map(name => [name, row[name] ?? null]))
  if (arrival === undefined) return { columns, rows: kept.map(pick) }
  return { columns, rows: kept.map(row => ({ ...pick(row), arrival: Number(arrival) })) }
}

const LEFT_OVER =
  /^SELECT [`\w,. ]+\nFROM \(\n(.+)\n\) AS `older`\nLEFT JOIN \(\n(SELECT ([`\w, ]+)\n.+)\n\) AS `newer`\nON [`\w.= ]+\nWHERE `newer`\.`\w+` IS NULL$/s

/** The rows of one query whose key another lacks. */
function readLeftOver(text: string, tables: Tables): Found {
  const [, older = '', newer = '', keys = ''] = LEFT_OVER.exec(text) ?? refuse(text)
  const key = names(keys)
  const known = new Set(readPlain(newer, tables).rows.map(row => keyOf(row, key)))
  const { rows, columns } = readPlain(older, tables)
  return { columns, rows: rows.filter(row => !known.has(keyOf(row, key))) }
}

function readTogether(text: string, tables: Tables): Found {
  const parts = text
    .split('\nUNION ALL\n')
    .map(part => (part.includes('LEFT JOIN') ? readLeftOver(part, tables) : readPlain(part, tables)))
  const [first = refuse(text)] = parts
  return { columns: first.columns, rows: parts.flatMap(({ rows }) => rows) }
}

const NEWEST =
  /^(SELECT [`\w, ]+)\nFROM (?:(`[^`]+`)|\(\n(.+)\n\))\nQUALIFY ROW_NUMBER\(\) OVER \(PARTITION BY ([`\w, ]+) ORDER BY ([`\w, ]+)\) = 1$/s

export function readRows(text: string, tables: Tables): Found {
  const [, list, table, inner, key = '', order = ''] = NEWEST.exec(text) ?? []
  if (list === undefined) return readTogether(text, tables)
  const { rows, columns } = readTogether(inner ?? `${list}\nFROM ${table}`, tables)
  const newest = firstRows(rows, names(key), order)
  return { columns, rows: newest.map(({ arrival: _, ...row }) => row) }
}

export const isOfRows = (text: string): boolean => /^SELECT `\w+`(?:\.`\w+`)?[,\n]/.test(text)

export const prepareRows = (text: string, tables: Tables): Prepared => ({
  ...readRows(text, tables),
  apply() {},
})
