/** What a DELETE of whole partitions, a script and an INSERT of a whole table read, write and say. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
beforeAll(async () => {
  own = await openBigQuery()
})
afterAll(() => own.close())

test('whole partitions go without a row being read; anything else is a rewrite', async () => {
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 'w' } })
  const units = {
    HOUR: 'TIMESTAMP_TRUNC(t, HOUR)',
    DAY: 'TIMESTAMP_TRUNC(t, DAY)',
    MONTH: 'TIMESTAMP_TRUNC(t, MONTH)',
  }
  for (const [unit, by] of Object.entries(units))
    await own.query(
      `CREATE TABLE w.${unit} PARTITION BY ${by} AS SELECT TIMESTAMP_ADD(TIMESTAMP '2026-11-01 00:30:00+00', INTERVAL n HOUR) AS t FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS n`,
    )
  const remove = async (unit: string, where: string) => {
    const { statistics } = await own.job({
      query: { query: `DELETE FROM w.${unit} WHERE ${where}`, useLegacySql: false },
    })
    return [statistics.query.totalBytesProcessed === '0', statistics.query.dmlStats.deletedRowCount]
  }
  const at = (text: string) => `TIMESTAMP '2026-${text}:00'`
  const hour = `t >= ${at('11-03 05:00')} AND t < ${at('11-03 06:00')}`
  expect(await remove('HOUR', hour)).toEqual([true, '1'])
  expect(await remove('HOUR', hour)).toEqual([true, '0'])
  expect(await remove('DAY', hour)).toEqual([false, '1'])
  expect(await remove('DAY', `t >= ${at('11-04 00:00')} AND t < ${at('11-05 00:00')}`)).toEqual([true, '24'])
  expect(await remove('DAY', `t >= ${at('11-05 00:00')} AND t <= ${at('11-06 00:00')}`)).toEqual([
    false,
    '24',
  ])
  expect(await remove('MONTH', `t >= ${at('11-01 00:00')} AND t < ${at('11-15 00:00')}`)).toEqual([
    false,
    '335',
  ])
  expect(await remove('MONTH', `t < TIMESTAMP '2026-12-01'`)).toEqual([true, '384'])
  expect(await remove('MONTH', `t IS NULL`)).toEqual([true, '0'])
  expect(await own.query('SELECT COUNT(*) FROM w.MONTH')).toEqual([['281']])
  const parts = await own.query(
    `SELECT SUM(total_rows), COUNT(*) FROM w.INFORMATION_SCHEMA.PARTITIONS WHERE table_name = 'DAY'`,
  )
  expect(parts).toEqual([[String(1000 - 1 - 24 - 24), '40']])
})

test('a script says what it read in all, and fails as a whole', async () => {
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 's' } })
  await own.query(
    "CREATE TABLE s.t PARTITION BY d AS SELECT DATE '2026-11-01' AS d, 1 AS v UNION ALL SELECT DATE '2026-11-02', 2",
  )
  await own.query('CREATE TABLE s.u AS SELECT 3 AS v')
  const script = (end: string) =>
    `BEGIN TRANSACTION; DELETE FROM s.t WHERE d = DATE '2026-11-02'; INSERT INTO s.t (d, v) SELECT DATE '2026-11-03', v FROM s.u; DELETE FROM s.u WHERE TRUE; ${end}`
  const failed = await own.job({ query: { query: script("SELECT ERROR('no')"), useLegacySql: false } })
  expect(failed.status.errorResult.message).toContain('no')
  expect(await own.query('SELECT SUM(v) FROM s.t UNION ALL SELECT SUM(v) FROM s.u ORDER BY 1')).toEqual([
    ['3'],
    ['3'],
  ])
  const { statistics } = await own.job({
    query: { query: script('COMMIT TRANSACTION'), useLegacySql: false },
  })
  // The INSERT reads one INT64, and so does the DELETE from a table without partitions.
  expect(statistics.query).toMatchObject({ statementType: 'SCRIPT', totalBytesProcessed: '16' })
  expect(statistics.query.dmlStats).toBeUndefined()
  expect(await own.query('SELECT SUM(v), (SELECT COUNT(*) FROM s.u) FROM s.t')).toEqual([['4', '0']])
})

test('a whole table is inserted by its segments, whatever the order of its columns', async () => {
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 'i' } })
  await own.query('CREATE TABLE i.t (a INT64, b INT64 NOT NULL, c STRING)')
  await own.query('CREATE TABLE i.u AS SELECT "x" AS c, 2 AS b, 1 AS a')
  await own.query('CREATE TABLE i.v (c STRING, b INT64 NOT NULL, a INT64)')
  await own.query('INSERT INTO i.v (c, b, a) SELECT c, b, a FROM i.u AS made')
  const { statistics } = await own.job({
    query: { query: 'INSERT INTO i.t (b, a, c) SELECT b, a, c FROM i.v', useLegacySql: false },
  })
  expect(statistics.query.dmlStats).toEqual({ insertedRowCount: '1' })
  await own.query('INSERT INTO i.t (a, b, c) SELECT b, a, c FROM i.v')
  await own.query('INSERT INTO i.t SELECT a, b, c FROM i.v')
  await own.query('DELETE FROM i.v WHERE TRUE')
  expect(await own.query('SELECT a, b, c FROM i.t ORDER BY a, b')).toEqual([
    ['1', '2', 'x'],
    ['1', '2', 'x'],
    ['2', '1', 'x'],
  ])
  await own.query('CREATE TABLE i.w (a INT64, b INT64, c STRING)')
  await own.query('INSERT INTO i.w (a) SELECT 1')
  await expect(own.query('INSERT INTO i.t (a, b, c) SELECT a, b, c FROM i.w')).rejects.toThrow('null')
})
