/** What a user is told about a change feed that BigQuery would not take, before anything is deployed. */
import { expect, test } from 'vitest'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import { changeProblemsOf, ORDERS, readChangeFeed } from '../support/change-feed.ts'

const columns = (count: number) => Array.from({ length: count }, (_, at) => `c${at}: INT64`).join(', ')
const COLUMNS = 'columns: { id: INT64, price: "NUMERIC(10, 2)", note: { type: STRING, optional: true } }'
const SEQUENCE = 'sequence: [{ field: lsn, as: hexadecimal }, { field: ordinal, as: integer }]'
const keyOf = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`).join(', ')

test.each([
  ['key: [id]', 'key: [no]', 'model.key[0]', 'names no column of the table: no'],
  ['key: [id]', 'key: [note]', 'model.key[0]', 'names a column that the files may lack: note'],
  ['key: [id]', 'key: [id, id]', 'model.key[1]', 'names id twice'],
  ['id: INT64', 'id: FLOAT64', 'model.key[0]', "is of type FLOAT64, which can't be part of a primary key"],
  ['id: INT64', 'id: BYTES', 'model.key', 'has no column that a table can be clustered by'],
  ['name: shop.orders', 'name: shop.orders\n  cluster: [id]', 'table.cluster', 'is not a setting of a feed'],
  [
    'orders/*.ndjson',
    'orders/{snapshot}/*.ndjson',
    'source.path',
    'has {snapshot}, and change files make no snapshots',
  ],
  ['orders/*.ndjson', '*.ndjson', 'source.path', 'takes objects of the whole bucket'],
  ['format: ndjson', 'format: parquet', 'source.format', 'is not ndjson or csv'],
  [
    'format: ndjson',
    'format: csv, csv: { header: false }',
    'source.csv.header',
    'is false, and the first row is what names the fields of changes',
  ],
  ['format: ndjson', 'format: ndjson, ignore: [op]', 'source.ignore[0]', 'is op, which the feed uses'],
  ['delete: [D]', 'delete: [U]', 'changes.delete', 'says U, and so does changes.upsert'],
  [SEQUENCE, 'sequence: []', 'changes.sequence', 'is empty'],
  [SEQUENCE, 'sequence: [lsn]', 'changes.sequence[0]', 'names no column of the table: lsn'],
  [SEQUENCE, 'sequence: [note]', 'changes.sequence[0]', 'is of type STRING, and only INT64 and TIMESTAMP'],
  [SEQUENCE, 'sequence: [{ field: lsn }]', 'changes.sequence[0]', 'needs either `as` or `states`'],
  [SEQUENCE, 'sequence: [id, id]', 'changes.sequence[1]', 'names id twice'],
  [SEQUENCE, 'sequence: [{ field: s, states: [a, a] }]', 'changes.sequence[0].states', 'names a state twice'],
  [SEQUENCE, 'sequence: [{ field: op, as: integer }]', 'changes.sequence[0]', 'is the operation'],
  ['announce: pending', 'max_staleness: 2 days', 'refresh.max_staleness', 'is more than 24 hours'],
  ['announce: pending', 'within: 5 minutes', 'refresh.within', 'is less than max_staleness'],
  [COLUMNS, `columns: { id: INT64, ${columns(2_000)} }`, 'table.columns', 'has 2001 columns'],
])('%s → %s', (from, to, path, message) => {
  expect(ORDERS).toContain(from)
  const problems = changeProblemsOf(ORDERS.replace(from, () => to))
  expect(problems.map(problem => `${problem.path} ${problem.message}`).join('\n')).toContain(
    `${path} ${message}`,
  )
  expect(problems.every(({ hint }) => /^([A-Z`]|docs\/cdc\.md).*\.$/.test(hint))).toBe(true)
})

test('a key has 16 columns at most', () => {
  const text = (count: number) =>
    ORDERS.replace(COLUMNS, `columns: { ${columns(20)} }`).replace('key: [id]', `key: [${keyOf(count)}]`)
  expect(changeProblemsOf(text(16))).toEqual([])
  expect(changeProblemsOf(text(17))[0]?.message).toContain('has 17 columns')
})

test('defaults are filled in, and the table is clustered by the first key columns', () => {
  const text = ORDERS.replace(COLUMNS, `columns: { ${columns(8)} }`)
    .replace('key: [id]', 'key: [c0, c1, c2, c3, c4]')
    .replace('announce: pending', '')
  const feed = readChangeFeed(text)
  expect(feed.table.cluster).toEqual(['c0', 'c1', 'c2', 'c3'])
  expect(feed.refresh).toEqual({ maxStalenessSeconds: 900, announce: 'applied', withinSeconds: 3_600 })
})

test('who works with snapshots only says so', () => {
  const parsed = parseFeed(ORDERS, 'orders.yaml')
  expect(parsed.kind === 'problems' && parsed.problems[0]?.path).toBe('delivers')
})
