/** What the footers of Parquet objects say, on files that DuckDB writes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, describe, expect, test } from 'vitest'
import { readParquetHead } from '../../functions/heads/parquet.ts'
import { readFeedText } from '../support/plan-case.ts'
import { feedText, findReason } from './findings.ts'

const folder = mkdtempSync(join(tmpdir(), 'freshet-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))
let written = 0

async function makeParquet(select: string): Promise<Buffer> {
  written += 1
  const path = join(folder, `${written}.parquet`)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
  connection.closeSync()
  instance.closeSync()
  return readFileSync(path)
}

const GOOD = "SELECT 1::BIGINT AS id, 'a' AS name, 2.5::DOUBLE AS price"
const feed = feedText('format: parquet')
const withColumns = (columns: string) => feedText('format: parquet', columns)

describe('good files', () => {
  test.each([
    ['as the feed says', GOOD, feed],
    ['columns in another order', "SELECT 2.5::DOUBLE AS price, 'a' AS name, 1::INTEGER AS id", feed],
    ['columns in capitals', "SELECT 1::BIGINT AS ID, 'a' AS NAME, 2.5::FLOAT AS Price", feed],
    ['no rows', `${GOOD} LIMIT 0`, feed],
    [
      'a column that may be absent',
      'SELECT 1::BIGINT AS id',
      withColumns('    id: INT64\n    note: { type: STRING, optional: true }'),
    ],
    [
      'every type',
      "SELECT 1::BIGINT AS id, true AS b, DATE '2026-01-02' AS d, TIMESTAMPTZ '2026-01-02 03:04:05+00' AS t, TIMESTAMP '2026-01-02 03:04:05' AS dt, TIME '03:04:05' AS ti, 1.25::DECIMAL(10, 2) AS n, 'x'::BLOB AS by, '{}' AS j",
      withColumns(
        '    id: INT64\n    b: BOOL\n    d: DATE\n    t: TIMESTAMP\n    dt: DATETIME\n    ti: TIME\n    n: NUMERIC(10, 2)\n    by: BYTES\n    j: JSON',
      ),
    ],
  ])('%s', async (_, select, text) => {
    expect(await findReason(text, await makeParquet(select))).toBeUndefined()
  })
})

describe('a finding', () => {
  test.each([
    ['a missing column', "SELECT 1::BIGINT AS id, 'a' AS name", 'lacks the column price'],
    [
      'a changed type',
      "SELECT '1' AS id, 'a' AS name, 2.5::DOUBLE AS price",
      'has id as text, the feed as INT64',
    ],
    [
      'a float for an integer',
      "SELECT 1::DOUBLE AS id, 'a' AS name, 2.5::DOUBLE AS price",
      'has id as float, the feed as INT64',
    ],
    [
      'a date for a text',
      "SELECT 1::BIGINT AS id, DATE '2026-01-02' AS name, 2.5::DOUBLE AS price",
      'has name as date, the feed as STRING',
    ],
    [
      'a nested value',
      "SELECT 1::BIGINT AS id, {'first': 'a'} AS name, 2.5::DOUBLE AS price",
      'has name as a nested value, the feed as STRING',
    ],
    [
      'a list',
      "SELECT 1::BIGINT AS id, ['a'] AS name, 2.5::DOUBLE AS price",
      'has name as a nested value, the feed as STRING',
    ],
    [
      'a column that is only inside another',
      "SELECT 1::BIGINT AS id, 'a' AS name, {'price': 2.5::DOUBLE} AS detail",
      'lacks the column price',
    ],
  ])('%s', async (_, select, reason) => {
    expect(await findReason(feed, await makeParquet(select))).toBe(`object sales/1/f0 ${reason}`)
  })

  test('a column that the feed does not name is refused, unless it is welcome', async () => {
    const file = await makeParquet("SELECT 1::BIGINT AS id, 'a' AS name, 2.5::DOUBLE AS price, now() AS seen")
    expect(await findReason(feed, file)).toBe(
      'object sales/1/f0 has the column seen, which the feed does not',
    )
    expect(
      await findReason(feed.replace('source:\n', 'source:\n  on_new_column: add\n'), file),
    ).toBeUndefined()
  })

  test('a nested namesake after the column does not hide it', async () => {
    const select = "SELECT 1::BIGINT AS id, 'a' AS name, 2.5::DOUBLE AS price, {'id': 'x'} AS detail"
    const reason = await findReason(feed, await makeParquet(select))
    expect(reason).toBe("object sales/1/f0 has the column detail, which BigQuery can't add as it is")
  })

  test.each([
    ['cut short', async () => (await makeParquet(GOOD)).subarray(0, -10)],
    ['empty', async () => Buffer.alloc(0)],
    ['CSV', async () => Buffer.from('id,name,price\n1,a,2.5\n')],
    ['its magic only', async () => Buffer.from('PAR1PAR1')],
  ])('a file that is no Parquet: %s', async (_, make) => {
    expect(await findReason(feed, await make())).toMatch(/^object sales\/1\/f0 is no whole Parquet file: /)
  })
})

test('a read that fails says nothing of the file', async () => {
  const read = async () => {
    throw new Error('503')
  }
  await expect(readParquetHead(1_000, read, readFeedText(feed).table.columns)).rejects.toThrow('503')
})
