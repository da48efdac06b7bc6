/** Parquet whose columns are others than the feed's, or that is no whole Parquet. */
import { gzipSync } from 'node:zlib'
import { writeParquet } from '../../support/write-parquet.ts'
import type { Group } from './bad-input.ts'
import { writeFeed } from './feed-text.ts'

const columns = (changed: Readonly<Record<string, string>> = {}) =>
  Object.entries({
    id: 'i::BIGINT',
    name: "'tea'",
    price: '1.1::DECIMAL(18, 2)',
    day: "DATE '2026-01-01' + i::INT",
    ...changed,
  })
    .map(([name, value]) => `${value} AS "${name}"`)
    .join(', ')
const select = (list: string) => `SELECT ${list} FROM range(4) AS r(i)`

const files = await writeParquet({
  good: select(columns()),
  empty: `${select(columns())} LIMIT 0`,
  text: select(columns({ price: "'1.10'" })),
  float: select(columns({ id: 'i::DOUBLE' })),
  lost: select(columns().replace(/, 1\.1.*?"price"/, '')),
  more: select(columns({ colour: "'red'" })),
  nested: select(columns({ name: "{'de': 'Tee', 'en': 'tea'}" })),
  list: select(columns({ name: "['tea']" })),
  scale: select(columns({ price: '1.1::DECIMAL(38, 12)' })),
  timestamp: select(columns({ day: "TIMESTAMP '2026-01-01 00:00:00'" })),
  capitals: select(columns().replace('"name"', '"NAME"')),
})
/** The footer is whole, what it points at is not. */
const spoiled = Buffer.from(files.good)
spoiled.fill(0xee, 4, 60)

const rejected = (name: string, content: string | Uint8Array, says: readonly string[], report?: number) => ({
  name,
  files: { 'a.parquet': content },
  status: 'rejected' as const,
  says: ['a.parquet', ...says],
  ...(report !== undefined && { report }),
})

export const parquetInputs: Group = {
  feed: 'packed-goods',
  feedText: writeFeed({
    name: 'packed-goods',
    format: 'parquet',
    columns: {
      id: 'INT64',
      name: 'STRING',
      price: 'NUMERIC',
      day: 'DATE',
      note: '{ type: STRING, optional: true }',
    },
  }),
  good: { 'a.parquet': files.good },
  cases: [
    rejected('a text where a number belongs', files.text, ['price as text', 'NUMERIC', 'Change the type']),
    rejected('a float where an integer belongs', files.float, ['id as float', 'INT64']),
    rejected('a timestamp where a date belongs', files.timestamp, ['day as timestamp', 'DATE']),
    rejected('a column that is missing', files.lost, ['lacks the column price', 'optional: true']),
    rejected('a column that the feed does not have', files.more, ['colour', 'Add it to the feed']),
    rejected('a struct where a text belongs', files.nested, ['name as a nested value', 'STRING']),
    rejected('a list where a text belongs', files.list, ['name as a nested value', 'STRING'], 20),
    rejected('more decimals than NUMERIC holds', files.scale, ['price', 'DECIMAL(38,12)', 'NUMERIC'], 22),
    rejected('a file that was cut', files.good.subarray(0, -20), ['no whole Parquet file']),
    rejected('no byte at all', '', ['no whole Parquet file']),
    rejected('CSV sent as Parquet', 'id,name,price,day\n1,tea,1.10,2026-01-01\n', ['no whole Parquet file']),
    rejected('Parquet in gzip', gzipSync(files.good), ['no whole Parquet file']),
    rejected('pages that were overwritten', spoiled, ['send the snapshot again']),
    {
      name: 'two files of two forms',
      files: { 'a.parquet': files.good, 'b.parquet': files.text },
      status: 'rejected',
      says: ['b.parquet', 'price as text'],
    },
    {
      name: 'a file without rows',
      report: 4,
      files: { 'a.parquet': files.empty },
      status: 'held',
      says: ['no rows landed'],
    },
    { name: 'a column in capitals', files: { 'a.parquet': files.capitals }, status: 'refreshed', says: [] },
  ],
}
