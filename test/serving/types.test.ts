/** Values of every column kind, as BigQuery has them and as Postgres shows them after a swap and after a delta. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveFeed } from './live-feed.ts'
import { type OpenBuilder, openBuilder } from './open-builder.ts'

let at: OpenBuilder
beforeAll(async () => {
  at = await openBuilder()
})
afterAll(() => at.close())

/** Column type, values of BigQuery, and the same in Postgres' own text. */
const KINDS: [string, string[], (string | null)[]][] = [
  [
    'INT64',
    ['-9223372036854775808', '9223372036854775807', '0'],
    ['-9223372036854775808', '9223372036854775807', '0'],
  ],
  [
    'FLOAT64',
    [
      '0.1',
      '-1e308',
      '5e-324',
      '1.7976931348623157e308',
      "CAST('NaN' AS FLOAT64)",
      "CAST('-inf' AS FLOAT64)",
    ],
    ['0.1', '-1e+308', '5e-324', '1.7976931348623157e+308', 'NaN', '-Infinity'],
  ],
  [
    'NUMERIC',
    ["NUMERIC '99999999999999999999999999999.999999999'", "NUMERIC '-0.000000001'"],
    ['99999999999999999999999999999.999999999', '-0.000000001'],
  ],
  ['BOOL', ['TRUE', 'FALSE'], ['true', 'false']],
  [
    'STRING',
    ["''", "'\\\\N'", "'tab\\there\\nline\\r\\\\'", "'ñ漢😀'"],
    ['', '\\N', 'tab\there\nline\r\\', 'ñ漢😀'],
  ],
  ['BYTES', ["b''", "b'\\x00\\xff\\\\'"], ['\\x', '\\x00ff5c']],
  ['DATE', ["DATE '0001-01-01'", "DATE '9999-12-31'"], ['0001-01-01', '9999-12-31']],
  [
    'DATETIME',
    ["DATETIME '0001-01-01 00:00:00'", "DATETIME '2026-02-03 04:05:06.000007'"],
    ['0001-01-01 00:00:00', '2026-02-03 04:05:06.000007'],
  ],
  [
    'TIMESTAMP',
    ["TIMESTAMP '1969-12-31 23:59:59.999999+00'", "TIMESTAMP '9999-12-31 23:59:59.999999+00'"],
    ['1969-12-31 23:59:59.999999+00', '9999-12-31 23:59:59.999999+00'],
  ],
  ['TIME', ["TIME '00:00:00'", "TIME '23:59:59.999999'"], ['00:00:00', '23:59:59.999999']],
  ['JSON', ['JSON \'{"b":[1,2.50,null],"a":"ü"}\''], ['{"b":[1,2.5,null],"a":"ü"}']],
]

test.each(KINDS)('%s', async (type, values, shown) => {
  const name = type.toLowerCase()
  const table = `app.kind_${name}`
  const rows = (list: readonly string[]) => `SELECT *, 1 AS delivery FROM (${union(list)})`
  const union = (list: readonly string[]) =>
    list.map((value, id) => `SELECT ${id} AS id, CAST(${value} AS ${type}) AS v`).join(' UNION ALL ')
  const read = async () =>
    (await at.live.query(`SELECT v::text AS v FROM ${table} ORDER BY id`)).rows.map(row => row.v)
  await at.live.query(`SET timezone = 'UTC'`)
  const columns = `{ id: INT64, v: ${type} }`
  await at.addPoint(`${name}_one`, rows(['NULL', ...values]))
  await at.addPoint(`${name}_two`, rows([...values.toReversed(), 'NULL']))
  at.show(`${name}_one`)
  expect(await at.serve(liveFeed('swap', table, columns))).toMatchObject({ way: 'swap' })
  expect(await read()).toEqual([null, ...shown])
  at.show(`${name}_two`)
  expect(await at.serve(liveFeed('delta', table, columns))).toMatchObject({ way: 'delta' })
  expect(await read()).toEqual([...shown.toReversed(), null])
})

test.each([
  [
    'a NULL in the key',
    `SELECT CAST(NULL AS INT64) AS id, 'x' AS v, 1 AS delivery`,
    /Column id of the key is NULL in the row where id = NULL/,
  ],
  [
    'a NUL character',
    `SELECT 7 AS id, 'a\\x00b' AS v, 1 AS delivery`,
    /Column v holds a NUL character in the row where id = 7/,
  ],
])('%s is refused with its row, and what is served stays', async (_, bad, message) => {
  const feed = liveFeed('swap', 'app.refuses', '{ id: INT64, v: STRING }')
  const name = message.source.replace(/\W/g, '').slice(0, 20)
  await at.addPoint(`good_${name}`, `SELECT 1 AS id, 'fine' AS v, 1 AS delivery`)
  await at.addPoint(`bad_${name}`, `SELECT 2 AS id, 'fine' AS v, 1 AS delivery UNION ALL ${bad}`)
  at.show(`good_${name}`)
  await at.serve(feed)
  at.show(`bad_${name}`)
  await expect(at.serve(feed)).rejects.toThrow(message)
  expect((await at.live.query('SELECT v FROM app.refuses')).rows).toEqual([{ v: 'fine' }])
})
