/** BigQuery tables in the simulator: rows as JavaScript values, and the SQL that the planner writes, read strictly. */

import { PARTITION_STATEMENTS, readCounted } from './partition-queries.ts'
import { isOfRows, prepareRows } from './row-queries.ts'
import { type Cell, keyOf, names, type Row, refuse } from './rows.ts'

export type { Cell, Row } from './rows.ts'

export interface Column {
  readonly name: string
  readonly type: string
  readonly fallback?: Cell
}
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly labels: Readonly<Record<string, string>>
  /** Policy tags, by column. */
  readonly tags?: Readonly<Record<string, string>>
  /** What a clone took the place of. */
  readonly replaced?: Table | undefined
  /** A table snapshot: it can't be written. */
  readonly frozen: boolean
}
/** By `project.dataset.table`. */
export type Tables = Map<string, Table>

/** What a job ends with. */
export class JobError extends Error {
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A job that has read what it reads: `rows` are its result, `apply` is its effect, in one instant. */
export interface Prepared {
  readonly rows?: readonly Row[]
  /** Names and types of a query's result. */
  readonly columns?: readonly Column[]
  readonly apply: () => void
}

export function find(tables: Tables, name: string): Table {
  const table = tables.get(name)
  if (!table) throw new JobError('notFound', `Not found: Table ${name}`)
  return table
}

export type Reader = (match: RegExpExecArray, tables: Tables) => Prepared

const createTable: Reader = ([, name = '', columns = ''], tables) => ({
  apply() {
    if (tables.has(name)) return
    const parsed = columns.split(',\n').map(line => {
      const [, column, type, value] = /^ {2}`(\w+)` (\w+)(?: DEFAULT (\d+))?$/.exec(line) ?? refuse(line)
      return {
        name: column ?? '',
        type: type ?? '',
        ...(value !== undefined && { fallback: Number(value) }),
      }
    })
    tables.set(name, { columns: parsed, rows: [], labels: {}, frozen: false })
  },
})

const countKeys: Reader = ([, snapshot = '', nulls = '', keys = '', from = ''], tables) => {
  const key = names(keys)
  const checked = nulls.split(' OR ').map(part => /^`(\w+)` IS NULL$/.exec(part)?.[1] ?? refuse(part))
  const [, some] = /^\(\n {4}(.+ WHERE .+)\n {2}\)$/s.exec(from) ?? []
  const sources = [...from.matchAll(/FROM `([^`]+)`|^`([^`]+)`$/g)].map(found => found[1] ?? found[2] ?? '')
  if (sources.length === 0) refuse(from)
  const rows = some ? readCounted(some, tables) : sources.flatMap(source => find(tables, source).rows)
  const copies = new Map<string, number>()
  for (const row of rows) copies.set(keyOf(row, key), (copies.get(keyOf(row, key)) ?? 0) + 1)
  const counted = {
    snapshot,
    row_count: rows.length,
    key_count: copies.size,
    duplicate_keys: [...copies.values()].filter(count => count > 1).length,
    null_key_rows: rows.filter(row => checked.some(name => (row[name] ?? null) === null)).length,
    null_partition_rows: 0,
    outside_rows: 0,
  }
  return { rows: [counted], apply() {} }
}

const emptyColumns: Reader = ([, snapshot = '', parts = '', from = ''], tables) => {
  const { rows } = find(tables, from)
  const empty = parts.split(',\n    ').flatMap(part => {
    const [, filled, named = ''] =
      /^IF\(IFNULL\(SUM\(`(filled_\d+)`\), 0\) = 0, '(\w+,)', ''\)$/.exec(part) ?? []
    if (filled !== undefined) return rows.every(row => row[filled] === 0) ? [named] : []
    const [, name = '', shown = ''] = /^IF\(COUNT\(`(\w+)`\) = 0, '(\w+,)', ''\)$/.exec(part) ?? refuse(part)
    return rows.every(row => (row[name] ?? null) === null) ? [shown] : []
  })
  return { rows: [{ snapshot, empty_columns: empty.join('') }], apply() {} }
}

/** Of the keys in several rows: how many have rows that differ; which one does not count here. */
const countDiffering: Reader = ([, keys = '', values = '', from = ''], tables) => {
  const versions = new Map<string, Set<string>>()
  for (const row of find(tables, from).rows) {
    const id = keyOf(row, names(keys))
    versions.set(id, (versions.get(id) ?? new Set()).add(keyOf(row, names(values))))
  }
  const differing = [...versions.values()].filter(({ size }) => size > 1).length
  return { rows: [{ differing, sample: '{}' }], apply() {} }
}

const createSnapshot: Reader = ([, name = '', from = ''], tables) => {
  const source = find(tables, from)
  return {
    apply() {
      if (!tables.has(name)) tables.set(name, { ...source, frozen: true })
    },
  }
}

const createClone: Reader = ([, name = '', from = '', options = ''], tables) => {
  const source = find(tables, from)
  const labels = Object.fromEntries(
    [...options.matchAll(/\('(\w+)', '([\w-]+)'\)/g)].map(([, label, value]) => [label, value ?? '']),
  )
  return {
    apply() {
      const old = tables.get(name)
      const replaced = old && { ...old, replaced: undefined }
      tables.set(name, { ...source, labels, frozen: false, replaced })
    },
  }
}

const dropTable: Reader = ([, name = ''], tables) => ({ apply: () => void tables.delete(name) })

const COUNT_KEYS =
  /^SELECT\n {2}'(\w*)' AS snapshot,\n {2}IFNULL\(SUM\(copies\), 0\) AS row_count,\n {2}COUNT\(\*\) AS key_count,\n {2}COUNTIF\(copies > 1\) AS duplicate_keys,\n {2}IFNULL\(SUM\(IF\(([`\w ]+), copies, 0\)\), 0\) AS null_key_rows,\n {2}(?:0|IFNULL\(SUM\(IF\(`d` IS NULL, copies, 0\)\), 0\)) AS null_partition_rows,\n {2}(?:0|IFNULL\(SUM\(IF\(`d` > DATE_ADD\([^\n]+, copies, 0\)\), 0\)) AS outside_rows\nFROM \(\n {2}SELECT ([`\w, ]+), COUNT\(\*\) AS copies\n {2}FROM (.*)\n {2}GROUP BY \3\n\)$/s

const COUNT_DIFFERING =
  /^SELECT\n {2}COUNTIF\(versions > 1\) AS differing,\n[^\n]+ AS sample\nFROM \(\n {2}SELECT TO_JSON_STRING\(STRUCT\(([`\w, ]+)\)\) AS sample, COUNT\(DISTINCT TO_JSON_STRING\(STRUCT\(([`\w, ]+)\)\)\) AS versions\n {2}FROM `([^`]+)`\n {2}GROUP BY \1\n {2}HAVING COUNT\(\*\) > 1\n\)$/

const STATEMENTS: readonly (readonly [RegExp, Reader])[] = [
  [/^CREATE TABLE IF NOT EXISTS `([^`]+)` \(\n(.*)\n\)(?:\nPARTITION BY `\w+`)?$/s, createTable],
  [COUNT_KEYS, countKeys],
  [COUNT_DIFFERING, countDiffering],
  ...PARTITION_STATEMENTS,
  [
    /^SELECT\n {2}'(\w+)' AS snapshot,\n {2}CONCAT\(\n {4}(.*)\n {2}\) AS empty_columns\nFROM `([^`]+)`$/s,
    emptyColumns,
  ],
  [
    /^CREATE SNAPSHOT TABLE IF NOT EXISTS `([^`]+)`\nCLONE `([^`]+)`\nOPTIONS\(expiration_timestamp = [^\n]+\)$/,
    createSnapshot,
  ],
  [/^CREATE OR REPLACE TABLE `([^`]+)`\nCLONE `([^`]+)`\nOPTIONS\(\n(.*)\n\)$/s, createClone],
  [/^DROP TABLE IF EXISTS `([^`]+)`$/, dropTable],
]

/** Reads what the statement reads, now; throws for SQL that it does not know, and `JobError` as BigQuery would. */
export function prepareSql(sql: string, tables: Tables): Prepared {
  if (isOfRows(sql)) return prepareRows(sql, tables)
  for (const [pattern, read] of STATEMENTS) {
    const match = pattern.exec(sql)
    if (match) return read(match, tables)
  }
  return refuse(sql)
}
