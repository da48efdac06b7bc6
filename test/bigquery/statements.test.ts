import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
let now = Date.UTC(2026, 10, 30)
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

describe('tables by DDL', () => {
  test('columns, layout, key, defaults and options', async () => {
    const made = await run(
      "CREATE TABLE D.t (id INT64 NOT NULL, on_day DATE, s STRING DEFAULT 'x' OPTIONS(description='a text'), PRIMARY KEY (id) NOT ENFORCED) PARTITION BY on_day CLUSTER BY id OPTIONS(partition_expiration_days=3, description='mine', labels=[('a','b')])",
    )
    expect(made).toMatchObject({ statementType: 'CREATE_TABLE', ddlOperationPerformed: 'CREATE' })
    expect(await get('t')).toMatchObject({
      timePartitioning: { type: 'DAY', field: 'on_day', expirationMs: String(3 * day) },
      clustering: { fields: ['id'] },
      description: 'mine',
      labels: { a: 'b' },
      tableConstraints: { primaryKey: { columns: ['id'] } },
      schema: {
        fields: [{ mode: 'REQUIRED' }, {}, { defaultValueExpression: "'x'", description: 'a text' }],
      },
    })
  })
  test('a default fills the column that an INSERT leaves out', async () => {
    await run("CREATE TABLE D.t (a INT64, s STRING DEFAULT 'x', d DATE DEFAULT DATE '2026-11-30')")
    await run('INSERT INTO D.t (a) SELECT 1 UNION ALL SELECT 2')
    await run('INSERT INTO D.t (d, s, a) VALUES (NULL, DEFAULT, 3)')
    expect(await rows('SELECT * FROM D.t ORDER BY a')).toEqual([
      ['1', 'x', '2026-11-30'],
      ['2', 'x', '2026-11-30'],
      ['3', 'x', null],
    ])
  })
  test('as select, if not exists, or replace', async () => {
    await run('CREATE TABLE D.t AS SELECT 1 AS a, [2, 3] AS b')
    expect((await run('CREATE TABLE IF NOT EXISTS D.t (z INT64)')).ddlOperationPerformed).toBe('SKIP')
    await expect(run('CREATE TABLE D.t (z INT64)')).rejects.toThrow(`Already Exists: Table p-test:${d}.t`)
    expect((await run("CREATE OR REPLACE TABLE D.t AS SELECT 'x' AS c")).ddlOperationPerformed).toBe(
      'REPLACE',
    )
    expect(await rows('SELECT * FROM D.t')).toEqual([['x']])
  })
  test('another partitioning needs a drop', async () => {
    await run("CREATE TABLE D.t PARTITION BY a AS SELECT DATE '2026-11-30' AS a")
    await expect(run("CREATE OR REPLACE TABLE D.t AS SELECT DATE '2026-11-30' AS a")).rejects.toThrow(
      'Cannot replace a table with a different partitioning spec',
    )
  })
  test('alter', async () => {
    await run('CREATE TABLE D.t AS SELECT 1 AS a')
    await run('ALTER TABLE D.t ADD COLUMN b STRING')
    await run("ALTER TABLE D.t SET OPTIONS(description='new')")
    expect(await rows('SELECT a, b FROM D.t')).toEqual([['1', null]])
    expect((await get('t')).description).toBe('new')
  })
  test('drop', async () => {
    await run('CREATE TABLE D.t (a INT64)')
    await run('DROP TABLE D.t')
    expect((await run('DROP TABLE IF EXISTS D.t')).ddlOperationPerformed).toBe('SKIP')
    await expect(run('DROP TABLE D.t')).rejects.toThrow(`Not found: Table p-test:${d}.t`)
  })
  test('views resolve names anew each time', async () => {
    await run('CREATE TABLE D.t AS SELECT 1 AS a')
    await run('CREATE VIEW D.v AS SELECT a + 1 AS b FROM D.t')
    await run('CREATE OR REPLACE TABLE D.t AS SELECT 41 AS a')
    expect(await rows('SELECT b FROM D.v')).toEqual([['42']])
    expect(await get('v')).toMatchObject({
      type: 'VIEW',
      schema: { fields: [{ name: 'b', type: 'INTEGER' }] },
    })
  })
  test('schemas', async () => {
    await run(`CREATE SCHEMA IF NOT EXISTS ${d}x`)
    await run(`CREATE TABLE ${d}x.t (a INT64)`)
    await expect(run(`DROP SCHEMA ${d}x`)).rejects.toThrow('is still in use')
    await run(`DROP SCHEMA ${d}x CASCADE`)
  })
})

describe('clones and snapshots', () => {
  test('a snapshot is read-only, loses partition expiration, and restores', async () => {
    await run(
      "CREATE TABLE D.t PARTITION BY a OPTIONS(partition_expiration_days=9) AS SELECT DATE '2026-11-30' AS a",
    )
    await run(
      'CREATE SNAPSHOT TABLE D.s CLONE D.t OPTIONS(expiration_timestamp=TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY))',
    )
    const saved = await get('s')
    expect(saved).toMatchObject({ type: 'SNAPSHOT', expirationTime: String(now + 7 * day) })
    expect(saved.timePartitioning).toEqual({ type: 'DAY', field: 'a' })
    expect(saved.snapshotDefinition.baseTableReference.tableId).toBe('t')
    await expect(run('DELETE FROM D.s WHERE TRUE')).rejects.toThrow('SNAPSHOT')
    await run('TRUNCATE TABLE D.t')
    await run(
      'CREATE OR REPLACE TABLE D.t CLONE D.s OPTIONS(partition_expiration_days=9, expiration_timestamp=NULL)',
    )
    expect(await get('t')).toMatchObject({
      numRows: '1',
      timePartitioning: { expirationMs: String(9 * day) },
    })
    expect((await get('t')).cloneDefinition.baseTableReference.tableId).toBe('s')
  })
  test('an expired table is gone', async () => {
    await run(
      'CREATE TABLE D.t OPTIONS(expiration_timestamp=TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)) AS SELECT 1 AS a',
    )
    now += 2 * day
    expect((await get('t')).error.code).toBe(404)
  })
  test('a clone by API does not overwrite', async () => {
    await run('CREATE TABLE D.t AS SELECT 1 AS a')
    const copy = {
      sourceTable: own.table(`${d}.t`),
      destinationTable: own.table(`${d}.u`),
      operationType: 'CLONE',
    }
    const refused = await own.job({ copy: { ...copy, writeDisposition: 'WRITE_TRUNCATE' } })
    expect(refused.error.message).toMatch(
      /Clone operation with write disposition WRITE_TRUNCATE is not supported/,
    )
    await own.job({ copy })
    expect(await get('u')).toMatchObject({ numRows: '1', cloneDefinition: {} })
  })
})

describe('partition expiration', () => {
  test('old partitions vanish by the clock, NULL stays, and a clone without expiry does not bring them back', async () => {
    await run(
      `CREATE TABLE D.t PARTITION BY a OPTIONS(partition_expiration_days=2) AS SELECT * FROM UNNEST([DATE '${date(0)}', DATE '${date(-1)}', NULL]) AS a`,
    )
    expect((await get('t')).numRows).toBe('3')
    now += 1.5 * day
    expect((await get('t')).numRows).toBe('2')
    expect(await rows('SELECT COUNT(*) FROM D.t')).toEqual([['2']])
    await run('CREATE TABLE D.c CLONE D.t OPTIONS(partition_expiration_days=NULL)')
    expect((await get('c')).numRows).toBe('2')
  })
})
const date = (days: number) => new Date(now + days * day).toISOString().slice(0, 10)
