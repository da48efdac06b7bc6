/** Statements become data: kinds, names, options, partitions, references. */
import { describe, expect, test } from 'vitest'
import { parseScript, type Statement, typeText } from '../../local/bigquery/sql/index.ts'

function one(sql: string): Statement {
  const [statement, second] = parseScript(sql)
  if (!statement || second) throw new Error('not one statement')
  return statement
}

describe('the kind and statementType', () => {
  test.each([
    ['SELECT 1', 'select', 'SELECT'],
    ['(SELECT 1) UNION ALL (SELECT 2);', 'select', 'SELECT'],
    ['WITH a AS (SELECT 1) SELECT * FROM a', 'select', 'SELECT'],
    ['CREATE TABLE d.t (a INT64)', 'createTable', 'CREATE_TABLE'],
    ['CREATE TABLE d.t AS SELECT 1 AS a', 'createTable', 'CREATE_TABLE_AS_SELECT'],
    ['CREATE TABLE d.t CLONE d.s', 'createClone', 'CREATE_TABLE_CLONE'],
    ['CREATE TABLE d.t COPY d.s', 'createCopy', 'CREATE_TABLE_COPY'],
    ['CREATE TABLE d.t LIKE d.s', 'createLike', 'CREATE_TABLE_LIKE'],
    ['CREATE SNAPSHOT TABLE d.t CLONE d.s', 'createSnapshot', 'CREATE_SNAPSHOT_TABLE'],
    ['CREATE OR REPLACE VIEW d.v AS SELECT 1 AS a', 'createView', 'CREATE_VIEW'],
    ['CREATE SCHEMA IF NOT EXISTS p.d', 'createSchema', 'CREATE_SCHEMA'],
    ['DROP SCHEMA d CASCADE', 'dropSchema', 'DROP_SCHEMA'],
    ['DROP TABLE IF EXISTS d.t', 'dropTable', 'DROP_TABLE'],
    ['DROP SNAPSHOT TABLE d.t', 'dropSnapshot', 'DROP_SNAPSHOT_TABLE'],
    ['DROP VIEW d.t', 'dropView', 'DROP_VIEW'],
    ['ALTER TABLE d.t SET OPTIONS(description="x")', 'alterTable', 'ALTER_TABLE'],
    ['INSERT d.t VALUES (1)', 'insert', 'INSERT'],
    ['DELETE d.t WHERE TRUE', 'delete', 'DELETE'],
    ['UPDATE d.t SET a = 1 WHERE TRUE', 'update', 'UPDATE'],
    ['MERGE d.t USING d.s ON FALSE WHEN NOT MATCHED THEN INSERT ROW', 'merge', 'MERGE'],
    ['TRUNCATE TABLE d.t', 'truncate', 'TRUNCATE_TABLE'],
    ['BEGIN', 'begin', 'BEGIN_TRANSACTION'],
    ['BEGIN TRANSACTION', 'begin', 'BEGIN_TRANSACTION'],
    ['COMMIT TRANSACTION', 'commit', 'COMMIT_TRANSACTION'],
    ['ROLLBACK', 'rollback', 'ROLLBACK_TRANSACTION'],
  ])('%s', (sql, kind, statementType) => {
    expect(one(sql)).toMatchObject({ kind, statementType })
  })
})

describe('table names', () => {
  test.each([
    ['t', { table: 't' }],
    ['d.t', { dataset: 'd', table: 't' }],
    ['p.d.t', { project: 'p', dataset: 'd', table: 't' }],
    ['my-shop-2b.d.t', { project: 'my-shop-2b', dataset: 'd', table: 't' }],
    ['my-shop-1.d.t', { project: 'my-shop-1', dataset: 'd', table: 't' }],
    ['`my-shop.d.t`', { project: 'my-shop', dataset: 'd', table: 't' }],
    ['`my-shop`.d.`t x`', { project: 'my-shop', dataset: 'd', table: 't x' }],
    ['`my-shop`.`d`.`t`', { project: 'my-shop', dataset: 'd', table: 't' }],
    ['`my-shop.d`.t', { project: 'my-shop', dataset: 'd', table: 't' }],
    ['`example.com:shop.d.t`', { project: 'example.com:shop', dataset: 'd', table: 't' }],
    ['d.INFORMATION_SCHEMA.TABLES', { dataset: 'd', table: 'INFORMATION_SCHEMA.TABLES' }],
    [
      '`p-x.d`.information_schema.columns',
      { project: 'p-x', dataset: 'd', table: 'INFORMATION_SCHEMA.COLUMNS' },
    ],
    [
      '`p-x.d.INFORMATION_SCHEMA.PARTITIONS`',
      { project: 'p-x', dataset: 'd', table: 'INFORMATION_SCHEMA.PARTITIONS' },
    ],
    ['`region-us`.INFORMATION_SCHEMA.JOBS', { dataset: 'region-us', table: 'INFORMATION_SCHEMA.JOBS' }],
    ['d.order', { dataset: 'd', table: 'order' }],
  ])('%s', (name, expected) => {
    expect(one(`SELECT * FROM ${name} AS x`).references).toEqual([expected])
    expect(one(`CREATE TABLE ${name} (a INT64)`)).toMatchObject({ name: expected })
  })
})

test('references are the tables read, once, without CTEs and arrays of rows', () => {
  const sql = `WITH a AS (SELECT * FROM d.one), b AS (SELECT * FROM a JOIN d.two USING (id))
    SELECT *, (SELECT MAX(x) FROM d.three) FROM b, b.items AS i, d.one AS o, o.list, UNNEST(o.more)
    WHERE EXISTS (SELECT 1 FROM d.four WHERE TRUE) UNION ALL SELECT * FROM d.a`
  const tables = one(sql).references.map(({ table }) => table)
  expect(tables.sort()).toEqual(['a', 'four', 'one', 'three', 'two'])
  expect(one('MERGE d.t USING d.s ON TRUE WHEN MATCHED THEN DELETE').references).toEqual([
    { dataset: 'd', table: 's' },
  ])
  expect(one('CREATE TABLE d.t CLONE d.s').references).toEqual([{ dataset: 'd', table: 's' }])
})

test('CREATE TABLE with everything', () => {
  const statement = one(`CREATE OR REPLACE TABLE \`p-x\`.d.t (
    a INT64 NOT NULL OPTIONS(description="the key"),
    b NUMERIC(10, 2) DEFAULT 1.5 + 2,
    c ARRAY<STRUCT<x INT64, y ARRAY<STRING>>>,
    ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP(),
    PRIMARY KEY (a) NOT ENFORCED,
  ) PARTITION BY TIMESTAMP_TRUNC(ts, HOUR) CLUSTER BY a, b
  OPTIONS(
    expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY),
    labels = [("team", "retail"), ("x", "y")],
    partition_expiration_days = 730.5,
    require_partition_filter = TRUE)`)
  if (statement.kind !== 'createTable') throw new Error(statement.kind)
  expect(statement).toMatchObject({
    orReplace: true,
    ifNotExists: false,
    primaryKey: ['a'],
    clusterBy: ['a', 'b'],
  })
  expect(statement.partitionBy).toEqual({ kind: 'time', column: 'ts', unit: 'HOUR' })
  expect(statement.columns.map(c => [c.name, typeText(c.type), c.mode, c.default])).toEqual([
    ['a', 'INT64', 'REQUIRED', undefined],
    ['b', 'NUMERIC', 'NULLABLE', '1.5 + 2'],
    ['c', 'ARRAY<STRUCT<x INT64, y ARRAY<STRING>>>', 'REPEATED', undefined],
    ['ts', 'TIMESTAMP', 'NULLABLE', 'CURRENT_TIMESTAMP()'],
  ])
  expect(statement.columns[0]?.options).toEqual({ description: { kind: 'literal', value: 'the key' } })
  expect(statement.options).toMatchObject({
    expiration_timestamp: { kind: 'expression' },
    labels: {
      kind: 'literal',
      value: [
        ['team', 'retail'],
        ['x', 'y'],
      ],
    },
    partition_expiration_days: { kind: 'literal', value: 730.5 },
    require_partition_filter: { kind: 'literal', value: true },
  })
})

describe('PARTITION BY', () => {
  test.each([
    ['d', { kind: 'time', column: 'd', unit: 'DAY' }],
    ['DATE(ts)', { kind: 'time', column: 'ts', unit: 'DAY' }],
    ['DATE_TRUNC(d, MONTH)', { kind: 'time', column: 'd', unit: 'MONTH' }],
    ['DATETIME_TRUNC(d, YEAR)', { kind: 'time', column: 'd', unit: 'YEAR' }],
    ['_PARTITIONDATE', { kind: 'ingestion', unit: 'DAY' }],
    ['TIMESTAMP_TRUNC(_PARTITIONTIME, HOUR)', { kind: 'ingestion', unit: 'HOUR' }],
    [
      'RANGE_BUCKET(a, GENERATE_ARRAY(0, 100, 10))',
      { kind: 'range', column: 'a', start: 0, end: 100, interval: 10 },
    ],
  ])('%s', (text, expected) => {
    expect(one(`CREATE TABLE d.t (a INT64, d DATE, ts TIMESTAMP) PARTITION BY ${text}`)).toMatchObject({
      partitionBy: expected,
    })
  })
})

test('CLONE and SNAPSHOT keep time, options and flags', () => {
  const clone = one(
    'CREATE OR REPLACE TABLE d.t CLONE d.s FOR SYSTEM_TIME AS OF TIMESTAMP "2024-01-01" OPTIONS(partition_expiration_days=3)',
  )
  expect(clone).toMatchObject({
    orReplace: true,
    source: { table: 's' },
    asOf: { kind: 'typedLiteral' },
    options: { partition_expiration_days: { value: 3 } },
  })
  const snapshot = one(
    'CREATE SNAPSHOT TABLE IF NOT EXISTS d.t CLONE d.s OPTIONS(expiration_timestamp=TIMESTAMP "2030-01-01")',
  )
  expect(snapshot).toMatchObject({
    ifNotExists: true,
    options: { expiration_timestamp: { kind: 'expression' } },
  })
})

test('ALTER TABLE', () => {
  const statement =
    one(`ALTER TABLE IF EXISTS d.t SET OPTIONS(x=1), ADD COLUMN IF NOT EXISTS a STRING, DROP COLUMN b, RENAME COLUMN c TO e,
    ALTER COLUMN f DROP NOT NULL, ALTER COLUMN f SET DEFAULT 1, ADD PRIMARY KEY (a, b) NOT ENFORCED, DROP PRIMARY KEY IF EXISTS`)
  if (statement.kind !== 'alterTable') throw new Error(statement.kind)
  expect(statement.ifExists).toBe(true)
  expect(statement.alterations.map(a => a.kind)).toEqual([
    'setOptions',
    'addColumn',
    'dropColumn',
    'renameColumn',
    'dropNotNull',
    'setDefault',
    'addPrimaryKey',
    'dropPrimaryKey',
  ])
})

test('a script is cut at its semicolons only', () => {
  const statements = parseScript(`BEGIN TRANSACTION; -- one; two
    DELETE d.t WHERE k = ';' /* ; */;;
    INSERT d.t SELECT * FROM d.s;
    COMMIT TRANSACTION;`)
  expect(statements.map(s => s.kind)).toEqual(['begin', 'delete', 'insert', 'commit'])
  expect(statements.map(s => s.text)).toEqual([
    'BEGIN TRANSACTION',
    "DELETE d.t WHERE k = ';'",
    'INSERT d.t SELECT * FROM d.s',
    'COMMIT TRANSACTION',
  ])
})

test('deep nesting and long lists', () => {
  const deep = `SELECT ${'('.repeat(200)}1${')'.repeat(200)} AS a`
  expect(one(deep).kind).toBe('select')
  const long = Array.from({ length: 500 }, (_, i) => `SELECT ${i} AS a`).join(' UNION ALL ')
  expect(one(long).kind).toBe('select')
})
