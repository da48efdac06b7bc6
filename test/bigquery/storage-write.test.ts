/** The Storage Write API of the embedded BigQuery: types, errors, announcements, refusals. */
import { status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { openChangeWriter, openWriteClient, type Row } from '../support/change-writer.ts'
import { openStreaming, type Streaming } from '../support/streaming.ts'

let own: OpenBigQuery
let make: Streaming['make']
let send: Streaming['send']

beforeAll(async () => {
  own = await openBigQuery(systemClock, 'when told')
  ;({ make, send } = await openStreaming(own))
})
afterAll(() => own.close())

const keyed = 'id INT64, name STRING, PRIMARY KEY (id) NOT ENFORCED'
const upsert = (row: Row): Row => ({ ...row, _CHANGE_TYPE: 'UPSERT' })

describe('types', () => {
  const everything = `id INT64, s STRING, y BYTES, f FLOAT64, n NUMERIC, b BOOL, d DATE, dt DATETIME, t TIME, ts TIMESTAMP,
    j JSON, st STRUCT<a INT64, b ARRAY<STRING>>, ar ARRAY<INT64>, \`odd name\` STRING, PRIMARY KEY (id) NOT ENFORCED`

  test('every type comes through whole', async () => {
    const table = await make(everything)
    const row = {
      id: '9223372036854775807',
      s: 'ä€😀',
      y: Buffer.from([0, 255, 128]),
      f: 0.1,
      n: '-99999999999999999999999999999.999999999',
      b: true,
      d: 19_782,
      dt: '2024-02-29 23:59:59.999999',
      t: '00:00:00.000001',
      ts: '1709251199999999',
      j: '{"b": [1, null], "a": "ä"}',
      st: { a: '-9223372036854775808', b: ['x', 'y'] },
      ar: ['1', '-1'],
      'odd name': 'odd',
    }
    const [answer] = await send(table, [[upsert(row), upsert({ id: 1 })]])
    expect(answer?.rowErrors ?? []).toEqual([])
    expect(answer?.error ?? null).toBeNull()
    const rows = await own.query(`SELECT * EXCEPT (j), TO_JSON_STRING(j) FROM ${table} ORDER BY id DESC`)
    expect(rows).toEqual([
      [
        ...['9223372036854775807', 'ä€😀', 'AP+A', '0.1', '-99999999999999999999999999999.999999999', 'true'],
        ...['2024-02-29', '2024-02-29T23:59:59.999999', '00:00:00.000001', '1709251199.999999'],
        { f: [{ v: '-9223372036854775808' }, { v: [{ v: 'x' }, { v: 'y' }] }] },
        [{ v: '1' }, { v: '-1' }],
        'odd',
        '{"b":[1,null],"a":"ä"}',
      ],
      ['1', ...Array(9).fill(null), null, [], null, null],
    ])
    await own.applyChanges()
    expect(await own.query(`SELECT n, d, st.a FROM ${table} WHERE st IS NOT NULL`)).toEqual([
      ['-99999999999999999999999999999.999999999', '2024-02-29', '-9223372036854775808'],
    ])
  })

  test.each([
    ['n', '0.0000000001', 'Invalid NUMERIC value. Field: t.n; Value: 0.0000000001'],
    ['n', '1e30', 'Invalid NUMERIC value. Field: t.n; Value: 1e30'],
    ['d', 2_932_897, 'Invalid DATE value. Field: t.d; Value: 2932897'],
    ['dt', '2023-02-29 00:00:00', 'Invalid DATETIME value. Field: t.dt; Value: 2023-02-29 00:00:00'],
    ['t', '24:00:00', 'Invalid TIME value. Field: t.t; Value: 24:00:00'],
    ['ts', '253402300800000000', 'Invalid TIMESTAMP value. Field: t.ts; Value: 253402300800000000'],
    ['j', '{', 'Invalid JSON value. Field: t.j; Value: {'],
  ])('%s can not be %s', async (column, value, message) => {
    const table = await make(everything)
    const [answer] = await send(table, [[upsert({ id: 1, [column]: value })]])
    expect(answer?.rowErrors?.map(e => e.message?.replace(/t\d+\./, 't.'))).toEqual([message])
  })
})

describe('errors', () => {
  test('one bad row in the middle refuses its request, and no other', async () => {
    const table = await make('id INT64, name STRING NOT NULL, PRIMARY KEY (id) NOT ENFORCED')
    const answers = await send(table, [
      [upsert({ id: 1, name: 'a' })],
      [
        upsert({ id: 2, name: 'b' }),
        upsert({ id: 3 }),
        { id: 4, name: 'd', _CHANGE_TYPE: 'REPLACE' },
        { id: 1, name: '', _CHANGE_TYPE: 'DELETE' },
      ],
      [upsert({ id: 5, name: 'e' })],
    ])
    const [, bad] = answers
    expect(answers.map(a => a.error?.code ?? 0)).toEqual([0, status.INVALID_ARGUMENT, 0])
    // The client's descriptor says that the field is required, so that the message itself is none.
    expect(bad?.rowErrors?.map(e => [String(e.index), e.code, e.message])).toEqual([
      ['1', 'FIELDS_ERROR', "missing required 'name'"],
      ['2', 'FIELDS_ERROR', 'The given value is not a valid CHANGE_TYPE'],
    ])
    expect(await own.query(`SELECT id FROM ${table} ORDER BY id`)).toEqual([['1'], ['5']])
  })

  test.each(['', '1/2/3/4/5', '12345678901234567', 'x', '1//2', '-1'])(
    '%j is no sequence number',
    async text => {
      const table = await make(keyed)
      const rows = [{ ...upsert({ id: 1 }), _CHANGE_SEQUENCE_NUMBER: text }]
      const [answer] = await send(table, [rows], { sequenced: true })
      expect(answer?.rowErrors?.[0]?.message).toContain(`Invalid _CHANGE_SEQUENCE_NUMBER "${text}"`)
    },
  )

  test.each([
    ['id INT64, name STRING', upsert({ id: 1 }), 'has no primary key'],
    [keyed, { id: 1, _CHANGE_TYPE: 'INSERT' }, 'Errors found while processing rows'],
    [keyed, upsert({ name: 'no key' }), 'Errors found while processing rows'],
  ])('a table (%s) does not take %j', async (columns, row, message) => {
    const [answer] = await send(await make(columns), [[row]])
    expect(answer?.error?.message).toContain(message)
  })

  test('a request of more than 20 MB ends the connection, and the next append opens it again', async () => {
    const table = await make(keyed)
    const writer = await openChangeWriter(own.url, table, { sequenced: false })
    const big = upsert({ id: 1, name: 'x'.repeat(20_000_001) })
    await expect(writer.send([big])).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED })
    expect((await writer.send([upsert({ id: 2 })])).error ?? null).toBeNull()
    writer.close()
  })

  test('streams that are not there, or not served', async () => {
    const client = openWriteClient(own.url)
    const parent = `projects/${own.project}/datasets/d/tables`
    const get = (streamId: string) => client.getWriteStream({ streamId })
    await expect(get(`${parent}/none/streams/_default`)).rejects.toMatchObject({ code: status.NOT_FOUND })
    await expect(get(`${parent}/none/streams/abc`)).rejects.toMatchObject({ code: status.UNIMPLEMENTED })
    await expect(
      client.createWriteStream({ destinationTable: `${parent}/none`, streamType: 'COMMITTED' as never }),
    ).rejects.toMatchObject({ code: status.UNIMPLEMENTED })
    client.close()
  })
})

describe('a table whose schema changes', () => {
  test('announces it once, and takes the new column from then on', async () => {
    const table = await make(keyed)
    const writer = await openChangeWriter(own.url, table, { sequenced: false })
    expect((await writer.send([upsert({ id: 1, name: 'a' })])).updatedSchema ?? null).toBeNull()
    await own.query(`ALTER TABLE ${table} ADD COLUMN more INT64`)
    const second = await writer.send([upsert({ id: 2, name: 'b' })])
    expect(second.updatedSchema?.fields?.map(f => f.name)).toEqual(['id', 'name', 'more'])
    writer.close()
    const [third] = await send(table, [[upsert({ id: 1, name: 'c', more: 7 })]])
    expect(third?.error ?? null).toBeNull()
    const rows = [
      ['1', 'c', '7'],
      ['2', 'b', null],
    ]
    expect(await own.query(`SELECT * FROM ${table} ORDER BY id`)).toEqual(rows)
    await own.applyChanges()
    expect(await own.query(`SELECT * FROM ${table} ORDER BY id`)).toEqual(rows)
  })
})

describe('plain rows', () => {
  test('are part of the table at once', async () => {
    const table = await make('id INT64, name STRING')
    const answers = await send(
      table,
      [
        [
          { id: 1, name: 'a' },
          { id: 1, name: 'a' },
        ],
        [{ id: 2 }],
      ],
      { changes: false },
    )
    expect(answers.map(a => a.error ?? null)).toEqual([null, null])
    expect(await own.query(`SELECT * FROM ${table} ORDER BY id`)).toEqual([
      ['1', 'a'],
      ['1', 'a'],
      ['2', null],
    ])
  })
})
