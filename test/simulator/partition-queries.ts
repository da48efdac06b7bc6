/** What strategy changed-partitions writes, in the simulator: fingerprints of days, which of them differ, and the swap. */
import { crc32 } from 'node:zlib'
import { type Found, readCondition, readRows } from './row-queries.ts'
import { type Cell, names, type Row, refuse } from './rows.ts'
import { type Column, find, type Reader, type Table, type Tables } from './tables.ts'

const MEASURES = ['partition_rows', 'high', 'middle', 'low']
const KEY_MEASURES = ['key_high', 'key_middle', 'key_low']
const truth = (value: boolean): Cell => (value ? 'true' : 'false')
/** A column of a scratch table: nobody asks for its type. */
const untyped = (rows: readonly Row[]): Column[] =>
  Object.keys(rows[0] ?? {}).map(name => ({ name, type: 'INT64' }))
const made = (rows: readonly Row[]) => ({ rows, columns: untyped(rows), apply() {} })

function sums(rows: readonly Row[], of: readonly string[], prefix: string): Record<string, number> {
  const texts = rows.map(row => JSON.stringify(of.map(name => row[name] ?? null)))
  const sum = (salt: string) => texts.reduce((total, text) => total + crc32(salt + text), 0)
  return { [`${prefix}high`]: sum('h'), [`${prefix}middle`]: sum('m'), [`${prefix}low`]: sum('l') }
}

const prints: Reader = (
  [, filled = '', values = '', watched = '', by = '', key = '', , from = ''],
  tables,
) => {
  const columns = [...names(key), ...names(values)]
  const seen = [...watched.matchAll(/`(\w+)` AS `(filled_\d+)`/g)].map(([, name = '', as = '']) => ({
    name,
    as,
  }))
  if (seen.length !== [...filled.matchAll(/COUNT\(/g)].length) refuse(filled)
  const days = Map.groupBy(find(tables, from).rows, row => String(row[by] ?? refuse('a row without a day')))
  return made(
    [...days].map(([day, rows]) => ({
      partition_start: day,
      partition_value: day,
      partition_rows: rows.length,
      ...sums(rows, columns, ''),
      ...sums(rows, names(key), 'key_'),
      outside_rows: 0,
      ...Object.fromEntries(
        seen.map(({ name, as }) => [as, rows.filter(row => (row[name] ?? null) !== null).length]),
      ),
    })),
  )
}

const KNOWN = /\(SELECT \* FROM `([^`]+)` WHERE run = '(\w*)' AND layout = '(\w+)'\) AS known/
function knownOf(part: string, tables: Tables): readonly Row[] {
  const [, table = '', run, layout] = KNOWN.exec(part) ?? refuse(part)
  return find(tables, table).rows.filter(row => row.run === run && row.layout === layout)
}
const agree = (a: Row | undefined, b: Row, of: readonly string[]) => of.every(name => a?.[name] === b[name])

function compared(part: string, tables: Tables): Row[] {
  const [, snapshot = '', counts, from = ''] = COMPARED.exec(part) ?? refuse(part)
  const known = new Map(knownOf(part, tables).map(row => [row.partition_start, row]))
  return find(tables, from).rows.map(fresh => {
    const before = known.get(fresh.partition_start ?? null)
    const proven = before?.proven === 'true'
    const { partition_start, partition_value, outside_rows } = fresh
    return {
      ...{ snapshot, partition_start: partition_start ?? null, partition_value: partition_value ?? null },
      ...Object.fromEntries([...MEASURES, ...KEY_MEASURES].map(name => [name, fresh[name] ?? null])),
      outside_rows: outside_rows ?? 0,
      change: agree(before, fresh, MEASURES) ? 'equal' : 'changed',
      proven: truth(proven),
      same_keys: truth(
        counts !== 'FALSE' && proven && agree(before, fresh, ['partition_rows', ...KEY_MEASURES]),
      ),
      staging_rows: before?.staging_rows ?? null,
    }
  })
}

function vanished(part: string, tables: Tables): Row[] {
  const [, snapshot = '', from = ''] = VANISHED.exec(part) ?? refuse(part)
  const fresh = new Set(find(tables, from).rows.map(row => row.partition_start))
  const gone = knownOf(part, tables).filter(row => !fresh.has(row.partition_start))
  return gone.map(({ run: _, layout: __, ...row }) => ({
    ...row,
    ...{ snapshot, partition_value: null, outside_rows: 0, change: 'vanished', same_keys: 'false' },
  }))
}

const changes: Reader = ([text = ''], tables) =>
  made(
    text
      .split('\nUNION ALL\n')
      .flatMap(part => (part.includes('NOT EXISTS') ? vanished(part, tables) : compared(part, tables))),
  )

/** Which rows of landing stage inspect counts keys of: those of days that differ, and that no fingerprint knows. */
export function readCounted(from: string, tables: Tables): readonly Row[] {
  return from.split('\n    UNION ALL\n    ').flatMap(part => {
    const [, table = '', test = ''] = COUNTED.exec(part.trim()) ?? refuse(part)
    const { rows } = find(tables, table)
    const [, by = '', list = ''] = /^`(\w+)` IN \(SELECT partition_value FROM `([^`]+)`/.exec(test) ?? []
    if (by === '') return rows.filter(row => (row.d ?? null) === null)
    const asked = find(tables, list).rows.filter(row => row.change === 'changed' && row.same_keys === 'false')
    const days = new Set(asked.map(row => row.partition_value))
    return rows.filter(row => days.has(row[by] ?? null))
  })
}

const TYPES: Readonly<Record<string, string>> = {
  partition_start: 'STRING',
  proven: 'BOOL',
  run: 'STRING',
  layout: 'STRING',
}

function readFresh(text: string, tables: Tables): Found {
  const [, list = '', staged = '', proven, run = '', layout = '', from = '', join = '', snapshot] =
    FRESH.exec(text) ?? refuse(text)
  const all = find(tables, from).rows
  const differing = new Set(all.filter(row => row.change === 'changed').map(row => row.partition_start))
  const [, table] = /FROM `([^`]+)`\n {2}GROUP BY 1/.exec(join) ?? []
  const counts = Map.groupBy(table ? find(tables, table).rows : [], row => row.d)
  const rowsOf = (row: Row): Cell => {
    const count = counts.get(row.partition_start ?? null)?.length ?? 0
    if (staged === 'IFNULL(made.made_rows, 0)') return count
    if (!differing.has(row.partition_start)) return row.staging_rows ?? null
    const landed = Number(row.partition_rows)
    if (staged.includes('partition_rows + IFNULL(made.made_rows, 0), staging_rows')) return landed + count
    if (staged.includes(', IFNULL(made.made_rows, 0), staging_rows)')) return count
    return staged.includes(', partition_rows, staging_rows)') ? landed : refuse(staged)
  }
  const rows = all
    .filter(row => row.snapshot === snapshot && row.change !== 'vanished')
    .map(row => ({
      ...Object.fromEntries(['partition_start', ...names(list)].map(name => [name, row[name] ?? null])),
      staging_rows: rowsOf(row),
      proven: differing.has(row.partition_start) ? truth(proven === 'TRUE') : (row.proven ?? null),
      ...{ run, layout },
    }))
  const columns = ['partition_start', ...names(list), 'staging_rows', 'proven', 'run', 'layout']
  return { rows, columns: columns.map(name => ({ name, type: TYPES[name] ?? 'INT64' })) }
}
const fresh: Reader = ([text = ''], tables) => ({ ...readFresh(text, tables), apply() {} })

/** What one statement of a transaction makes of its table. */
function change(statement: string, tables: Tables): readonly [string, Table] {
  const [, removed, condition = ''] = /^DELETE FROM `([^`]+)`\s+WHERE (.+)$/.exec(statement) ?? []
  if (removed !== undefined) {
    const table = find(tables, removed)
    const goes = condition === 'TRUE' ? () => true : readCondition(condition)
    return [removed, { ...table, rows: table.rows.filter(row => !goes(row)) }]
  }
  const [, into = '', , query = ''] =
    /^INSERT INTO `([^`]+)` \(([^)]+)\)\n(.+)$/s.exec(statement) ?? refuse(statement)
  const { rows } = query.includes('partition_start') ? readFresh(query, tables) : readRows(query, tables)
  const table = find(tables, into)
  return [into, { ...table, rows: [...table.rows, ...rows] }]
}

/** All of it in one instant, at the end; an error leaves everything as it was. */
const transaction: Reader = ([, statements = ''], tables) => ({
  apply() {
    const written: Tables = new Map(tables)
    for (const statement of statements.split(';\n\n')) {
      const [name, table] = change(statement, written)
      written.set(name, table)
    }
    for (const [name, table] of written) if (tables.get(name) !== table) tables.set(name, table)
  },
})

const measured = (of: string) => [...MEASURES, ...KEY_MEASURES].map(name => `${of}\\.\`${name}\``).join(', ')
const same = (of: readonly string[]) =>
  of.map(name => `known\\.\`${name}\` = fresh\\.\`${name}\``).join(' AND ')
const COMPARED = new RegExp(
  String.raw`^SELECT\n {2}'(\w+)' AS snapshot,\n {2}fresh\.partition_start,\n {2}fresh\.partition_value,\n {2}${measured('fresh')},\n {2}fresh\.outside_rows,\n {2}IF\(${same(MEASURES)}, 'equal', 'changed'\) AS change,\n {2}IFNULL\(known\.proven, FALSE\) AS proven,\n {2}(FALSE|IFNULL\(known\.proven AND ${same(['partition_rows', ...KEY_MEASURES])}, FALSE\)) AS same_keys,\n {2}known\.staging_rows\nFROM ${'`([^`]+)`'} AS fresh\nLEFT JOIN .+ ON known\.partition_start = fresh\.partition_start$`,
)
const VANISHED = new RegExp(
  String.raw`^SELECT\n {2}'(\w+)', known\.partition_start, NULL, ${measured('known')}, 0, 'vanished', known\.proven, FALSE, known\.staging_rows\nFROM .+\nWHERE NOT EXISTS \(SELECT 1 FROM ${'`([^`]+)`'} AS fresh WHERE fresh\.partition_start = known\.partition_start\)$`,
)
const COUNTED =
  /^SELECT [`\w, ]+ FROM `([^`]+)` WHERE (`\w+` IN \(SELECT partition_value FROM `[^`]+` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL\)|`\w+` IS NULL AND EXISTS \(SELECT 1 FROM `[^`]+` WHERE change = 'changed' AND NOT same_keys AND partition_start = ''\))$/
const CHANGED = "IF\\(partition_start IN \\(SELECT partition_start FROM `[^`]+` WHERE change = 'changed'\\), "
const FRESH = new RegExp(
  String.raw`^SELECT\n {2}partition_start, ([\w${'`'}, ]+),\n {2}(IFNULL\(made\.made_rows, 0\)|${CHANGED}[^\n]+) AS staging_rows,\n {2}${CHANGED}(TRUE|FALSE), proven\) AS proven,\n {2}'(\w+)' AS run,\n {2}'(\w+)' AS layout\nFROM ${'`([^`]+)`'}((?:\nLEFT JOIN \(.+\) AS made USING \(partition_start\))?)\nWHERE snapshot = '(\w+)' AND change <> 'vanished'$`,
  's',
)
const PRINTS = new RegExp(
  String.raw`^SELECT\n {2}IFNULL\(CAST\(partition_value AS STRING\), ''\) AS partition_start,\n {2}partition_value,\n {2}COUNT\(\*\) AS partition_rows,\n(?: {2}SUM\([^\n]+,\n){6} {2}IF\(partition_value > [^\n]+, COUNT\(\*\), 0\) AS outside_rows((?:,\n {2}COUNT\([^\n]+)*)\nFROM \(\n {2}SELECT\n {4}.hashed_part. AS partition_value,\n {4}.hashed_key. AS key_hash,\n {4}FARM_FINGERPRINT\(TO_JSON_STRING\(STRUCT\(.hashed_key., ([^)]+)\)\)\) AS row_hash((?:,\n {4}.\w+. AS .filled_\d+.)*)\n {2}FROM \(\n {4}SELECT\n {6}.(\w+). AS .hashed_part.,\n {6}FARM_FINGERPRINT\(TO_JSON_STRING\(STRUCT\(([^)]+)\)\)\) AS .hashed_key.,\n {6}([^)]+)\n {4}FROM .([^${'`'}]+).\n {2}\)\n\)\nGROUP BY partition_value$`,
)

export const PARTITION_STATEMENTS: readonly (readonly [RegExp, Reader])[] = [
  [PRINTS, prints],
  [/^SELECT\n {2}'\w+' AS snapshot,\n {2}fresh\..+$/s, changes],
  [FRESH, fresh],
  [/^BEGIN TRANSACTION;\n\n(.+);\n\nCOMMIT TRANSACTION;$/s, transaction],
]
