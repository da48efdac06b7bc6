import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { check, fields, type Options, openLoader } from '../support/load-file.ts'

let loader: Awaited<ReturnType<typeof openLoader>>
beforeAll(async () => {
  loader = await openLoader()
})
afterAll(() => loader.own.close())

describe('PARQUET', () => {
  const path = (name: string) => `${loader.own.dir}/${name}.parquet`
  const write = async (name: string, sql: string) => {
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run("SET TimeZone='UTC'")
    await connection.run(`COPY (${sql}) TO '${path(name)}' (FORMAT parquet)`)
    const { readFileSync } = await import('node:fs')
    return readFileSync(path(name))
  }
  const cases: [string, string, string, unknown[][] | RegExp, Options?][] = [
    [
      'types as they are',
      'a INT64, b STRING, c DATE',
      "SELECT 1::BIGINT AS a, 'x' AS b, DATE '2020-01-02' AS c",
      [['1', 'x', '2020-01-02']],
    ],
    ['narrow numbers', 'a INT64, b FLOAT64', 'SELECT 1::SMALLINT AS a, 1.5::FLOAT AS b', [['1', '1.5']]],
    ['decimals', 'a NUMERIC', 'SELECT 1.25::DECIMAL(10,2) AS a', [['1.25']]],
    [
      'decimals too wide',
      'a NUMERIC',
      'SELECT 1.25::DECIMAL(38,20) AS a',
      /Parquet column 'a' has type DECIMAL\(38,20\) which does not match the target type NUMERIC. File: URI/,
    ],
    [
      'timestamps',
      'a TIMESTAMP, b DATETIME',
      "SELECT TIMESTAMPTZ '2020-01-02 03:04:05+00' AS a, TIMESTAMP '2020-01-02 03:04:05' AS b",
      [['1577934245000000', '2020-01-02T03:04:05']],
    ],
    [
      'no texts as numbers',
      'a INT64',
      "SELECT '1' AS a",
      /Parquet column 'a' has type VARCHAR which does not match the target type INT64/,
    ],
    ['a column missing', 'a INT64, b STRING', 'SELECT 1::BIGINT AS a', [['1', null]]],
    [
      'a required column missing',
      'a INT64, b STRING!',
      'SELECT 1::BIGINT AS a',
      /Required field b is missing/,
    ],
    ['a column too many', 'a INT64', 'SELECT 1::BIGINT AS a, 2 AS zz', /Cannot add fields \(field: zz\)/],
    [
      'a column too many let pass',
      'a INT64',
      'SELECT 1::BIGINT AS a, 2 AS zz',
      [['1']],
      { ignoreUnknownValues: true },
    ],
    ['another case and order', 'a INT64, b STRING', "SELECT 'x' AS B, 1::BIGINT AS A", [['1', 'x']]],
    ['lists', 'a INT64*', 'SELECT [1::BIGINT, 2] AS a', [[['1', '2']]]],
    ['too big for INT64', 'a INT64', 'SELECT 18446744073709551615::UBIGINT AS a', /out of range.*File: URI/],
    ['no rows', 'a INT64', 'SELECT 1::BIGINT AS a WHERE false', []],
  ]
  test.each(cases)('%s', async (name, columns, sql, wanted, options) => {
    check(await loader.load('PARQUET', columns, await write(name.replaceAll(' ', '-'), sql), options), wanted)
  })
  test('another format', async () => {
    check(
      await loader.load('PARQUET', 'a INT64', '{"a":1}'),
      /Input file is not in Parquet format. File: URI/,
    )
    check(await loader.load('PARQUET', 'a INT64', ''), /Input file is not in Parquet format/)
    check(await loader.load('PARQUET', 'a INT64', 'PAR1 and then nothing'), /File: URI/)
  })
  test('files of different schemas, each by its own', async () => {
    loader.own.objects.put('in', 'mixed/1', await write('m1', "SELECT 1::BIGINT AS a, 'x' AS b"))
    loader.own.objects.put('in', 'mixed/2', await write('m2', "SELECT 'y' AS b, 2::INTEGER AS a"))
    loader.own.objects.put('in', 'mixed/3', await write('m3', 'SELECT 3::BIGINT AS a'))
    const job = await loader.own.job({
      load: {
        sourceUris: ['gs://in/mixed/*'],
        sourceFormat: 'PARQUET',
        schema: { fields: fields('a INT64, b STRING') },
        destinationTable: loader.own.table('d.mixed'),
      },
    })
    expect(job.status.errorResult).toBeUndefined()
    expect(await loader.own.query('SELECT a, b FROM d.mixed ORDER BY a')).toEqual([
      ['1', 'x'],
      ['2', 'y'],
      ['3', null],
    ])
  })
  test('NULL in a required column', async () => {
    const uri = loader.own.objects.put(
      'in',
      'req',
      await write('req', 'SELECT * FROM (VALUES (1::BIGINT), (NULL)) t(a)'),
    )
    const job = await loader.own.job({
      load: {
        sourceUris: [uri],
        sourceFormat: 'PARQUET',
        schema: { fields: fields('a INT64!') },
        destinationTable: loader.own.table('d.req'),
      },
    })
    expect(job.status.errorResult.message).toBe('Required field a cannot be null')
  })
})
