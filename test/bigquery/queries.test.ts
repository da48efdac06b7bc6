import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
const now = Date.UTC(2026, 10, 30)
const day = 86_400_000
beforeAll(async () => {
  own = await openBigQuery({ now: () => now })
})
afterAll(() => own.close())

let serial = 0
let d = ''
beforeEach(async () => {
  d = `d${++serial}`
  await own.call('POST', '/datasets', { datasetReference: { datasetId: d } })
})

const job = (query: string, more: Record<string, unknown> = {}) =>
  own.job({ query: { query: query.replaceAll('D.', `${d}.`), useLegacySql: false, ...more } })
const run = async (query: string, more: Record<string, unknown> = {}) => {
  const done = await job(query, more)
  if (done.error) throw new Error(done.error.message)
  if (done.status.errorResult) throw new Error(done.status.errorResult.message)
  return done.statistics.query
}
const rows = (query: string) => own.query(query.replaceAll('D.', `${d}.`))
const get = async (table: string) => (await own.call('GET', `/datasets/${d}/tables/${table}`)).body

const date = (days: number) => new Date(now + days * day).toISOString().slice(0, 10)

describe('writing query results', () => {
  const to = (table: string, writeDisposition: string) => ({
    destinationTable: own.table(`${d}.${table}`),
    writeDisposition,
  })
  test('WRITE_TRUNCATE_DATA keeps what a table is, and a query may read what it overwrites', async () => {
    await run(
      "CREATE TABLE D.t (id INT64 NOT NULL, s STRING OPTIONS(description='text'), PRIMARY KEY (id) NOT ENFORCED) OPTIONS(description='mine')",
    )
    await run("INSERT INTO D.t (id, s) VALUES (1, 'a'), (1, 'b'), (2, 'c')")
    await run(
      'SELECT s, id FROM D.t QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY s DESC) = 1',
      to('t', 'WRITE_TRUNCATE_DATA'),
    )
    expect(await rows('SELECT id, s FROM D.t ORDER BY id')).toEqual([
      ['1', 'b'],
      ['2', 'c'],
    ])
    expect(await get('t')).toMatchObject({
      description: 'mine',
      schema: {
        fields: [
          { name: 'id', mode: 'REQUIRED' },
          { name: 's', description: 'text' },
        ],
      },
      tableConstraints: { primaryKey: { columns: ['id'] } },
    })
    const bad = [
      ["SELECT 'x' AS id, s FROM D.t", /Field id has changed type from INTEGER to STRING/],
      ['SELECT id, s, 1 AS z FROM D.t', /Cannot add fields \(field: z\)/],
      ['SELECT s FROM D.t', /Field id is missing in new schema/],
      ['SELECT CAST(NULL AS INT64) AS id', /Required field id cannot be null/],
    ] as const
    for (const [query, message] of bad)
      await expect(run(query, to('t', 'WRITE_TRUNCATE_DATA'))).rejects.toThrow(message)
    expect((await get('t')).numRows).toBe('2')
  })
  test('the other dispositions', async () => {
    await run('SELECT 1 AS a', to('t', 'WRITE_EMPTY'))
    await expect(run('SELECT 2 AS a', to('t', 'WRITE_EMPTY'))).rejects.toThrow('Already Exists')
    await run('SELECT 2 AS a', to('t', 'WRITE_APPEND'))
    expect(await rows('SELECT a FROM D.t ORDER BY a')).toEqual([['1'], ['2']])
    await run("SELECT 'x' AS b", to('t', 'WRITE_TRUNCATE'))
    expect(await rows('SELECT b FROM D.t')).toEqual([['x']])
    await expect(
      run('SELECT 1 AS a', { ...to('none', 'WRITE_APPEND'), createDisposition: 'CREATE_NEVER' }),
    ).rejects.toThrow('Not found: Table')
  })
})

describe('DML and scripts', () => {
  test('counts', async () => {
    await run('CREATE TABLE D.t (a INT64, b STRING)')
    expect((await run("INSERT INTO D.t (a, b) VALUES (1, 'x'), (2, 'y')")).dmlStats).toEqual({
      insertedRowCount: '2',
    })
    expect((await run("UPDATE D.t SET b = 'z' WHERE a = 2")).numDmlAffectedRows).toBe('1')
    const merged = await run(
      "MERGE D.t t USING (SELECT 2 AS a, 'm' AS b UNION ALL SELECT 3, 'n') s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT (a, b) VALUES (a, b)",
    )
    expect(merged.dmlStats).toMatchObject({
      insertedRowCount: '1',
      updatedRowCount: '1',
      deletedRowCount: '0',
    })
    expect((await run('DELETE FROM D.t WHERE a = 1')).dmlStats).toMatchObject({ deletedRowCount: '1' })
    expect(await rows('SELECT a, b FROM D.t ORDER BY a')).toEqual([
      ['2', 'm'],
      ['3', 'n'],
    ])
  })
  test('a transaction is all or nothing', async () => {
    await run('CREATE TABLE D.t (a INT64)')
    await run(
      'BEGIN TRANSACTION; INSERT INTO D.t (a) VALUES (1); INSERT INTO D.t (a) VALUES (2); COMMIT TRANSACTION',
    )
    expect(await rows('SELECT COUNT(*) FROM D.t')).toEqual([['2']])
    await run('BEGIN TRANSACTION; DELETE FROM D.t WHERE TRUE; ROLLBACK TRANSACTION')
    await expect(run("BEGIN TRANSACTION; DELETE FROM D.t WHERE TRUE; SELECT ERROR('no')")).rejects.toThrow()
    expect(await rows('SELECT COUNT(*) FROM D.t')).toEqual([['2']])
  })
})

describe('INFORMATION_SCHEMA', () => {
  test('tells of tables, columns, options, partitions and jobs', async () => {
    await run(
      `CREATE TABLE D.t PARTITION BY a OPTIONS(description='x') AS SELECT DATE '${date(0)}' AS a, 1 AS b`,
    )
    await run('CREATE SNAPSHOT TABLE D.s CLONE D.t')
    expect(
      await rows(
        'SELECT table_name, table_type, base_table_name FROM D.INFORMATION_SCHEMA.TABLES ORDER BY 1',
      ),
    ).toEqual([
      ['s', 'SNAPSHOT', 't'],
      ['t', 'BASE TABLE', null],
    ])
    expect(
      await rows(
        "SELECT column_name, data_type, is_partitioning_column FROM D.INFORMATION_SCHEMA.COLUMNS WHERE table_name = 't' ORDER BY ordinal_position",
      ),
    ).toEqual([
      ['a', 'DATE', 'YES'],
      ['b', 'INT64', 'NO'],
    ])
    expect(
      await rows(
        "SELECT partition_id, total_rows FROM D.INFORMATION_SCHEMA.PARTITIONS WHERE table_name = 't'",
      ),
    ).toEqual([[date(0).replaceAll('-', ''), '1']])
    expect(
      await rows(
        "SELECT option_value FROM D.INFORMATION_SCHEMA.TABLE_OPTIONS WHERE table_name = 't' AND option_name = 'description'",
      ),
    ).toEqual([['"x"']])
    expect(
      await rows("SELECT COUNT(*) > 0 FROM `region-us`.INFORMATION_SCHEMA.JOBS WHERE state = 'DONE'"),
    ).toEqual([['true']])
  })
})

describe('refusals', () => {
  test.each([
    [{ query: { query: 'SELECT 1' } }, /Legacy SQL/],
    [
      { query: { query: 'SELECT 1', useLegacySql: false, schemaUpdateOptions: ['ALLOW_FIELD_ADDITION'] } },
      /schemaUpdateOptions is not supported/,
    ],
    [{ extract: {} }, /configuration.extract is not supported/],
    [
      { copy: { sourceTable: {}, destinationTable: {}, writeDisposition: 'WRITE_TRUNCATE_DATA' } },
      /Invalid value for writeDisposition/,
    ],
    [{}, /Required parameter is missing/],
  ])('%j', async (configuration, message) => {
    expect((await own.job(configuration)).error.message).toMatch(message)
  })
  test('a location that is not ours', async () => {
    const { status } = await own.call('POST', '/jobs', {
      jobReference: { location: 'EU' },
      configuration: { query: { query: 'SELECT 1', useLegacySql: false } },
    })
    expect(status).toBe(404)
  })
  test('a cancelled job says so and has no effect', async () => {
    const { body } = await own.call('POST', '/jobs', {
      jobReference: { jobId: 'slow' },
      configuration: {
        query: {
          query: `CREATE TABLE ${d}.slow AS SELECT a, b FROM UNNEST(GENERATE_ARRAY(1, 100000)) AS a, UNNEST(GENERATE_ARRAY(1, 100000)) AS b`,
          useLegacySql: false,
        },
      },
    })
    expect(body.status.state).toBe('RUNNING')
    await own.call('POST', '/jobs/slow/cancel')
    await own.call('GET', '/queries/slow?timeoutMs=30000')
    expect((await own.call('GET', '/jobs/slow')).body.status).toMatchObject({
      state: 'DONE',
      errorResult: { reason: 'stopped' },
    })
    expect((await get('slow')).error.code).toBe(404)
  })
})
