/** BIGNUMERIC: 38 digits before the point and as many behind it, exact on every way in and out. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { openStreaming, type Streaming } from '../support/streaming.ts'

let own: OpenBigQuery
let streaming: Streaming

beforeAll(async () => {
  own = await openBigQuery(undefined, 'when told')
  streaming = await openStreaming(own)
})
afterAll(() => own.close())

const highest = '578960446186580977117854925043439539266.34992332820282019728792003956564819967'
const lowest = '-578960446186580977117854925043439539266.34992332820282019728792003956564819968'
const tiny = '0.00000000000000000000000000000000000001'

test.each([
  [`CAST('${highest}' AS BIGNUMERIC)`, highest],
  [`CAST('${lowest}' AS BIGNUMERIC)`, lowest],
  [`CAST(CAST('-${tiny}' AS BIGNUMERIC) AS STRING)`, `-${tiny}`],
  [`BIGNUMERIC '1.50'`, '1.5'],
  [`CAST(7 AS BIGNUMERIC)`, '7'],
  [`CAST(NUMERIC '-0.5' AS BIGNUMERIC)`, '-0.5'],
  [`BIGNUMERIC '2' < BIGNUMERIC '10'`, 'true'],
  [`BIGNUMERIC '1.5' = NUMERIC '1.50'`, 'true'],
  [`BIGNUMERIC '-3' < 1`, 'true'],
  [`COALESCE(BIGNUMERIC '1', 0)`, '1'],
  [`CAST(BIGNUMERIC '0.1' AS FLOAT64)`, '0.1'],
  [`SAFE_CAST('579e36' AS BIGNUMERIC)`, null],
  [`TO_JSON_STRING(STRUCT(BIGNUMERIC '1.5' AS x))`, '{"x":"1.5"}'],
])('%s is %s', async (expression, value) => {
  expect(await own.query(`SELECT ${expression}`)).toEqual([[value]])
})

test.each([
  [`CAST('578960446186580977117854925043439539267' AS BIGNUMERIC)`, 'Invalid BIGNUMERIC value'],
  [`CAST('0.000000000000000000000000000000000000001' AS BIGNUMERIC)`, 'Invalid BIGNUMERIC value'],
  [`BIGNUMERIC '1' + 1`, 'No matching signature'],
  [`ABS(BIGNUMERIC '1')`, 'No matching signature'],
  [`TO_JSON_STRING(BIGNUMERIC '1')`, 'No matching signature'],
  [`CAST(BIGNUMERIC '1' AS INT64)`, 'Invalid cast'],
])('%s is refused: %s', async (expression, message) => {
  await expect(own.query(`SELECT ${expression}`)).rejects.toThrow(message)
})

test('is streamed, loaded, inserted, ordered and grouped', async () => {
  const table = await streaming.make(
    'id INT64, x BIGNUMERIC, xs ARRAY<BIGNUMERIC>, PRIMARY KEY (id) NOT ENFORCED',
  )
  const row = (id: number, x: string) => ({ id, x, xs: [x], _CHANGE_TYPE: 'UPSERT' })
  const sent = [row(1, highest), row(2, lowest), row(3, tiny), row(4, '10'), row(5, '9')]
  const [answer] = await streaming.send(table, [sent])
  expect(answer?.rowErrors ?? []).toEqual([])
  await own.applyChanges()
  const lines = `{"id": 6, "x": "9.0", "xs": ["9"]}\n{"id": 7, "x": 12345678901234567890.123456789012345678}`
  const uri = own.objects.put('in', `${table}.json`, lines)
  const load = {
    sourceUris: [uri],
    sourceFormat: 'NEWLINE_DELIMITED_JSON',
    destinationTable: own.table(table),
    writeDisposition: 'WRITE_APPEND',
  }
  expect((await own.job({ load })).status.errorResult).toBeUndefined()
  await own.query(`INSERT INTO ${table} (id, x) VALUES (8, 0.25), (9, 3)`)
  expect(
    await own.query(`SELECT x, COUNT(*), MAX(xs[SAFE_OFFSET(0)]) FROM ${table} GROUP BY x ORDER BY x`),
  ).toEqual([
    [lowest, '1', lowest],
    [tiny, '1', tiny],
    ['0.25', '1', null],
    ['3', '1', null],
    ['9', '2', '9'],
    ['10', '1', '10'],
    ['12345678901234567890.123456789012345678', '1', null],
    [highest, '1', highest],
  ])
  const tooMuch = row(1, '0.000000000000000000000000000000000000001')
  expect((await streaming.send(table, [[tooMuch]]))[0]?.rowErrors?.length).toBe(1)
})
