/** DML becomes queries for what the table holds afterwards. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseScript, type Scope, toSqlError, translateDml } from '../../local/bigquery/sql/index.ts'
import { scalar } from '../../local/bigquery/sql/type.ts'
import { renderCell, type SqlDuckDb, startSqlDuckDb, testNow, toCell } from '../support/sql-duckdb.ts'

const target = {
  name: 't',
  columns: [
    { name: 'id', type: scalar('INT64') },
    { name: 'k', type: scalar('STRING') },
    { name: 'v', type: scalar('FLOAT64') },
  ],
  rows: [
    [1n, 'a', 1],
    [1n, 'a', 1],
    [2n, 'b', null],
    [null, null, 3],
  ],
}
const source = {
  name: 's',
  columns: [
    { name: 'id', type: scalar('INT64') },
    { name: 'k', type: scalar('STRING') },
    { name: 'v', type: scalar('INT64') },
  ],
  rows: [
    [2n, 'B', 20n],
    [3n, 'c', 30n],
    [null, 'n', 40n],
  ],
}

let duck: SqlDuckDb
beforeAll(async () => {
  duck = await startSqlDuckDb()
})
beforeEach(() => duck.put([target, source]))
afterAll(() => duck?.close())

const scope: Scope = {
  relation: name => `"${name.table}"`,
  columns: name => (name.table === 't' ? target : source).columns,
  defaults: name => (name.table === 't' ? { v: '7::DOUBLE' } : {}),
  now: () => testNow,
}

async function rowsOf(sql: string): Promise<string[]> {
  const result = await duck.connection.runAndReadAll(sql)
  return result.getRows().map(row => row.map(toCell).map(renderCell).join(' '))
}

async function run(sql: string): Promise<{ rows: string[]; counts?: string }> {
  const [statement] = parseScript(sql)
  if (!statement) throw new Error('no statement')
  const { kind } = statement
  if (kind !== 'insert' && kind !== 'delete' && kind !== 'update' && kind !== 'merge' && kind !== 'truncate')
    throw new Error(kind)
  const plan = translateDml(statement, scope, [{ name: 'p', type: scalar('INT64'), value: '2' }])
  if (plan.kind === 'truncate') return { rows: [] }
  const rows = (await rowsOf(plan.sql)).sort()
  if (plan.kind === 'append') return { rows }
  const [counts] = await rowsOf(plan.counts)
  return { rows, counts: counts ?? '' }
}

const all = ['1 "a" 1', '1 "a" 1', '2 "b" NULL', 'NULL NULL 3']

describe('INSERT gives whole rows', () => {
  test.each<[string, string[]]>([
    ["INSERT INTO t VALUES (5, 'x', 1.5), (6, NULL, NULL)", ['5 "x" 1.5', '6 NULL NULL']],
    ['INSERT t (id) VALUES (5)', ['5 NULL 7']],
    ['INSERT t (k, id, v) VALUES (@p || NULL, @p, DEFAULT)', []],
    ['INSERT t (v, id) VALUES (DEFAULT, @p)', ['2 NULL 7']],
    ['INSERT t (id, v) SELECT id, v FROM s WHERE id > 2', ['3 NULL 30']],
    ['INSERT t SELECT * FROM s', ['2 "B" 20', '3 "c" 30', 'NULL "n" 40']],
    ['INSERT t (k, id) WITH x AS (SELECT 1 AS a) SELECT CAST(a AS STRING), a FROM x', ['1 "1" 7']],
  ])('%s', async (sql, rows) => {
    if (rows.length === 0) await expect(run(sql)).rejects.toThrow('No matching signature for operator ||')
    else expect((await run(sql)).rows).toEqual(rows)
  })
})

describe('DELETE and UPDATE give the new content and what changed', () => {
  test.each<[string, string[], string]>([
    ['DELETE FROM t WHERE id = 1', ['2 "b" NULL', 'NULL NULL 3'], '0 0 2'],
    ['DELETE t WHERE TRUE', [], '0 0 4'],
    ['DELETE t AS x WHERE x.id IN (SELECT id FROM s)', ['1 "a" 1', '1 "a" 1', 'NULL NULL 3'], '0 0 1'],
    ['DELETE t WHERE v > 100', all, '0 0 0'],
    [
      'UPDATE t SET v = v + 1, k = UPPER(k) WHERE id = 1',
      ['1 "A" 2', '1 "A" 2', '2 "b" NULL', 'NULL NULL 3'],
      '0 2 0',
    ],
    [
      'UPDATE t SET t.v = DEFAULT WHERE id IS NULL',
      ['1 "a" 1', '1 "a" 1', '2 "b" NULL', 'NULL NULL 7'],
      '0 1 0',
    ],
    [
      'UPDATE t SET v = s.v FROM s WHERE t.id = s.id',
      ['1 "a" 1', '1 "a" 1', '2 "b" 20', 'NULL NULL 3'],
      '0 1 0',
    ],
    [
      'UPDATE t x SET k = y.k FROM (SELECT MAX(k) AS k FROM s) AS y WHERE x.id = 1',
      ['1 "n" 1', '1 "n" 1', '2 "b" NULL', 'NULL NULL 3'],
      '0 2 0',
    ],
    [
      'UPDATE t SET v = a.v FROM s a JOIN s b ON a.id = b.id WHERE t.id = b.id',
      ['1 "a" 1', '1 "a" 1', '2 "b" 20', 'NULL NULL 3'],
      '0 1 0',
    ],
  ])('%s', async (sql, rows, counts) => {
    expect(await run(sql)).toEqual({ rows, counts })
  })
  test('TRUNCATE', async () => {
    expect(await run('TRUNCATE TABLE t')).toEqual({ rows: [] })
  })
})

describe('MERGE', () => {
  test.each<[string, string[], string]>([
    [
      'MERGE t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT ROW',
      ['1 "a" 1', '1 "a" 1', '2 "b" 20', '3 "c" 30', 'NULL "n" 40', 'NULL NULL 3'],
      '2 1 0',
    ],
    [
      'MERGE INTO t AS x USING (SELECT * FROM s WHERE id IS NOT NULL) AS y ON x.id = y.id WHEN MATCHED AND y.v > 100 THEN DELETE WHEN MATCHED THEN UPDATE SET k = y.k WHEN NOT MATCHED BY TARGET AND y.v < 100 THEN INSERT (id, k) VALUES (y.id, k) WHEN NOT MATCHED BY SOURCE AND x.id = 1 THEN DELETE',
      ['2 "B" NULL', '3 "c" 7', 'NULL NULL 3'],
      '1 1 2',
    ],
    [
      "MERGE t USING s ON FALSE WHEN NOT MATCHED THEN INSERT (id) VALUES (id) WHEN NOT MATCHED BY SOURCE THEN UPDATE SET k = 'gone'",
      ['1 "gone" 1', '1 "gone" 1', '2 "gone" NULL', '2 NULL 7', '3 NULL 7', 'NULL "gone" 3', 'NULL NULL 7'],
      '3 4 0',
    ],
    [
      'MERGE t USING s ON t.id = s.id WHEN MATCHED THEN DELETE',
      ['1 "a" 1', '1 "a" 1', 'NULL NULL 3'],
      '0 0 1',
    ],
  ])('%s', async (sql, rows, counts) => {
    expect(await run(sql)).toEqual({ rows, counts })
  })
})

describe('a row matched twice', () => {
  test.each([
    'UPDATE t SET v = 1 FROM UNNEST([1, 1]) AS x WHERE t.id = x',
    'MERGE t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN DELETE',
  ])('%s', async sql => {
    const failed = await run(sql).then(() => undefined, toSqlError)
    expect(failed?.message).toBe('UPDATE/MERGE must match at most one source row for each target row')
  })
})

describe('what does not fit is refused', () => {
  test.each([
    [
      'INSERT t VALUES (1, 2, 3)',
      'Value has type INT64 which cannot be inserted into column k, which has type STRING at [1:21]',
    ],
    ['INSERT t VALUES (1)', 'Inserted row has wrong column count; Has 1, expected 3 at [1:18]'],
    ['INSERT t (id, zz) VALUES (1, 2)', 'Column zz is not present in the target table'],
    ['UPDATE t SET v = 1', 'UPDATE must have a WHERE clause at [1:1]'],
    ['DELETE t', 'DELETE must have a WHERE clause at [1:1]'],
    ['UPDATE t SET v = 1, v = 2 WHERE TRUE', 'Update item v assigned more than once at [1:21]'],
    [
      'UPDATE t SET a.b.c = 1 WHERE TRUE',
      'Assigning to a field of a STRUCT is not supported by the local BigQuery at [1:14]',
    ],
    ['DELETE t WHERE id', 'WHERE clause should return type BOOL, but returns INT64 at [1:16]'],
    [
      'MERGE t USING s ON TRUE WHEN MATCHED THEN INSERT ROW',
      'Syntax error: INSERT belongs to WHEN NOT MATCHED BY TARGET only',
    ],
  ])('%s', async (sql, message) => {
    await expect(run(sql)).rejects.toThrow(message)
  })
})
