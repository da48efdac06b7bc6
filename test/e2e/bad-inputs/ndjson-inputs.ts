/** Newline-delimited JSON whose lines or keys are not what they should be. */
import { gzipSync } from 'node:zlib'
import type { BadInput, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const row = (id: number, more: object = {}) => ({ id, name: 'tea', price: '1.10', ...more })
const GOOD = [row(1), row(2), row(3), row(4)]
const text = lines(...GOOD)
const file = (content: string | Uint8Array) => ({ 'a.ndjson': content })

const formed: readonly BadInput[] = [
  {
    name: 'one JSON array',
    files: file(JSON.stringify(GOOD)),
    status: 'rejected',
    says: ['a.ndjson', 'JSON array', 'one object a line'],
  },
  {
    name: 'two objects in a line',
    files: file(`${text}{"id":5,"name":"x","price":"1"}{"id":6,"name":"y","price":"1"}\n`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', 'one JSON object a line'],
  },
  {
    name: 'an object over several lines',
    files: file(JSON.stringify(row(1), null, 2)),
    status: 'rejected',
    says: ['a.ndjson', 'line 1'],
  },
  {
    name: 'something after the last object',
    files: file(`${text}-- 4 rows --\n`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', '-- 4 rows --'],
  },
  {
    name: 'a line that breaks off',
    files: file(`${text}{"id":5,"na`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', '{"id":5,"na'],
  },
  {
    name: 'a number as a line',
    files: file(`${text}42\n`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', '42'],
  },
  {
    name: 'NaN, which JSON does not have',
    files: file(`${text}{"id":5,"name":"x","price":NaN}\n`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', 'NaN'],
  },
  {
    name: 'half of a surrogate pair',
    files: file(`${text}{"id":5,"name":"\\ud83c","price":"1"}\n`),
    status: 'rejected',
    says: ['a.ndjson', 'line 5', 'Field: name', 'surrogate'],
  },
  {
    name: 'CSV sent as NDJSON',
    files: file('id,name,price\n1,tea,1.10\n'),
    status: 'rejected',
    says: ['a.ndjson', 'line 1', 'id,name,price'],
  },
  {
    name: 'Parquet sent as NDJSON',
    files: file('PAR1\0\0\0\0PAR1'),
    status: 'rejected',
    says: ['a.ndjson', 'Parquet'],
  },
  {
    name: 'a byte-order mark',
    report: 23,
    files: file(`\uFEFF${text}`),
    status: 'rejected',
    says: ['a.ndjson', 'byte-order mark'],
  },
  {
    name: 'gzip in gzip',
    files: { 'a.ndjson.gz': gzipSync(gzipSync(text)) },
    status: 'rejected',
    says: ['a.ndjson.gz', 'compressed twice'],
  },
]

const keyed: readonly BadInput[] = [
  {
    name: 'a key that the feed does not have',
    files: file(lines(...GOOD, row(5, { colour: 'red' }))),
    status: 'rejected',
    says: ['a.ndjson', 'has the column colour', 'Add it to the feed'],
  },
  {
    name: 'a column that no row has',
    files: file(lines(...GOOD.map(({ id, name }) => ({ id, name })))),
    status: 'rejected',
    says: ['price', 'none of the first rows', 'optional: true'],
  },
  {
    name: 'a record where a text belongs',
    files: file(lines(...GOOD, row(5, { name: { de: 'Tee' } }))),
    status: 'rejected',
    says: ['a.ndjson', 'name', 'line 5', '{"de":"Tee"}'],
  },
  {
    name: 'a list where a text belongs',
    files: file(lines(...GOOD, row(5, { name: ['tea'] }))),
    status: 'rejected',
    says: ['a.ndjson', 'name', 'line 5', '["tea"]'],
  },
  {
    name: 'no object in the file',
    report: 4,
    files: file('\n\n'),
    status: 'held',
    says: ['no rows landed'],
  },
]

/** Odd, and right all the same. */
const right: readonly BadInput[] = [
  {
    name: 'keys in another case',
    files: file(lines(...GOOD.map(({ id, name, price }) => ({ ID: id, Name: name, PRICE: price })))),
    status: 'refreshed',
    says: [],
  },
  {
    name: 'a number where a text belongs',
    files: file(lines(...GOOD.map(({ id, price }) => ({ id, name: 7, price })))),
    status: 'refreshed',
    says: [],
  },
]

export const ndjsonInputs: Group = {
  feed: 'json-goods',
  feedText: writeFeed({
    name: 'json-goods',
    format: 'ndjson',
    columns: { id: 'INT64', name: 'STRING', price: 'NUMERIC' },
  }),
  good: file(text),
  cases: [...formed, ...keyed, ...right],
}
