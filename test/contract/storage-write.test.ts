/** The Storage Write API with the official managed writer: the documentation's own examples. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery, project } from '../support/bigquery.ts'
import { type ChangeWriter, openChangeWriter } from '../support/change-writer.ts'

let own: OpenBigQuery
let now = Date.parse('2026-03-01T00:00:00Z')

beforeAll(async () => {
  own = await openBigQuery({ now: () => now }, 'when told')
  await own.query('CREATE SCHEMA hr')
})
afterAll(() => own.close())

let serial = 0
async function employees(options = ''): Promise<string> {
  const table = `hr.employees${++serial}`
  await own.query(
    `CREATE TABLE ${table} (id INT64, name STRING, salary INT64, PRIMARY KEY (id) NOT ENFORCED) CLUSTER BY id ${options}`,
  )
  await own.query(
    `INSERT INTO ${table} (id, name, salary) VALUES (100, 'Charlie', 2000), (101, 'Tal', 3000), (102, 'Lee', 5000)`,
  )
  return table
}

async function withWriter<T>(
  table: string,
  work: (writer: ChangeWriter) => Promise<T>,
  options = {},
): Promise<T> {
  const writer = await openChangeWriter(own.url, table, options)
  try {
    return await work(writer)
  } finally {
    writer.close()
  }
}

const sorted = (table: string) => own.query(`SELECT id, name, salary FROM ${table} ORDER BY id`)

// https://cloud.google.com/bigquery/docs/change-data-capture#example_with_upsert_and_delete_values
const documented = [
  { id: 100, _CHANGE_TYPE: 'DELETE' },
  { id: 101, name: 'Tal', salary: 8000, _CHANGE_TYPE: 'UPSERT' },
  { id: 105, name: 'Izumi', salary: 6000, _CHANGE_TYPE: 'UPSERT' },
]
const after = [
  ['101', 'Tal', '8000'],
  ['102', 'Lee', '5000'],
  ['105', 'Izumi', '6000'],
]

describe('upserts and deletes', () => {
  test('end in the table that the documentation shows, before and after they are applied', async () => {
    const table = await employees()
    await withWriter(
      table,
      async writer => {
        const answer = await writer.send(documented)
        expect(answer.error ?? null).toBeNull()
      },
      { sequenced: false },
    )
    expect(await sorted(table)).toEqual(after)
    expect(await own.applyChanges()).toBe(1)
    expect(await sorted(table)).toEqual(after)
    expect(await own.applyChanges()).toBe(0)
  })

  test('GetWriteStream tells the schema with view FULL', async () => {
    const table = await employees()
    const { stream } = await withWriter(table, async writer => writer)
    expect(stream.name).toBe(`projects/${project}/datasets/hr/tables/${table.slice(3)}/streams/_default`)
    expect(stream.tableSchema?.fields?.map(f => [f.name, f.type])).toEqual([
      ['id', 'INT64'],
      ['name', 'STRING'],
      ['salary', 'INT64'],
    ])
  })
})

describe('the sequence number', () => {
  // https://cloud.google.com/bigquery/docs/change-data-capture#_change_sequence_number_format
  test.each([
    ['77', '7B'],
    ['FFF/B', 'FFF/ABC'],
    ['BA/FFFFFFFF', 'ABC'],
    ['ABC', 'FFF/ABC'],
  ])('%s is before %s, whichever comes first', async (earlier, later) => {
    const table = await employees()
    const rows = [
      { id: 1, name: 'earlier', _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: earlier },
      { id: 1, name: 'later', _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: later },
    ]
    await withWriter(table, async writer => {
      await writer.send(rows)
      await writer.send(rows.toReversed().map(row => ({ ...row, id: 2 })))
    })
    expect(await own.query(`SELECT id, name FROM ${table} WHERE id < 9 ORDER BY id`)).toEqual([
      ['1', 'later'],
      ['2', 'later'],
    ])
  })

  test('keeps a deleted row deleted when an older upsert comes late, for two days', async () => {
    const table = await employees()
    const name = async () => (await own.query(`SELECT name FROM ${table} WHERE id = 7`))[0]?.[0]
    const upsert = (text: string, sequence: string) => ({
      id: 7,
      name: text,
      _CHANGE_TYPE: 'UPSERT',
      _CHANGE_SEQUENCE_NUMBER: sequence,
    })
    await withWriter(table, async writer => {
      await writer.send([upsert('a', '1')])
      await writer.send([{ id: 7, _CHANGE_TYPE: 'DELETE', _CHANGE_SEQUENCE_NUMBER: '3' }])
      await own.applyChanges()
      await writer.send([upsert('late', '2')])
      expect(await name()).toBeUndefined()
      await own.applyChanges()
      expect(await name()).toBeUndefined()
      now += 3 * 86_400_000
      await writer.send([upsert('too late to know', '2')])
      expect(await name()).toBe('too late to know')
    })
  })

  test('survives a restart, with what waits', async () => {
    const table = await employees()
    const change = (name: string) => ({ id: 7, name, _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: 'a' })
    await withWriter(table, writer => writer.send([change('before')]))
    await own.restart()
    expect(await own.query(`SELECT name FROM ${table} WHERE id = 7`)).toEqual([['before']])
    await withWriter(table, writer => writer.send([change('after')]))
    await own.applyChanges()
    await own.restart()
    expect(await own.query(`SELECT name FROM ${table} WHERE id = 7`)).toEqual([['after']])
    await withWriter(table, writer => writer.send([change('last')]))
    expect(await own.query(`SELECT name FROM ${table} WHERE id = 7`)).toEqual([['last']])
  })

  test('of equal ones the later arrival wins', async () => {
    const table = await employees()
    const row = (name: string) => ({ id: 1, name, _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: 'a/1' })
    await withWriter(table, async writer => {
      await writer.send([row('first'), row('second')])
      await writer.send([row('third')])
    })
    expect(await own.query(`SELECT name FROM ${table} WHERE id = 1`)).toEqual([['third']])
  })
})

describe('max_staleness', () => {
  // https://cloud.google.com/bigquery/docs/change-data-capture#query-max-staleness
  test('a read at T25 is as of T20, one at T35 has everything', async () => {
    const table = await employees('OPTIONS (max_staleness = INTERVAL 10 MINUTE)')
    const start = now
    const at = (minutes: number) => {
      now = start + minutes * 60_000
    }
    const change = (salary: number) => ({
      id: 101,
      salary,
      _CHANGE_TYPE: 'UPSERT',
      _CHANGE_SEQUENCE_NUMBER: salary.toString(16),
    })
    const salary = async () => (await own.query(`SELECT salary FROM ${table} WHERE id = 101`))[0]?.[0]
    const watermark = `SELECT upsert_stream_apply_watermark FROM hr.INFORMATION_SCHEMA.TABLES WHERE table_name = '${table.slice(3)}'`
    await withWriter(table, async writer => {
      at(19)
      await writer.send([change(1)])
      expect(await salary()).toBe('3000')
      expect(await own.query(watermark)).toEqual([[null]])
      at(20)
      await own.applyChanges()
      const seconds = Number((await own.query(watermark))[0]?.[0])
      expect(seconds * 1000).toBe(now)
      at(22)
      await writer.send([change(2)])
      at(25)
      expect(await salary()).toBe('1')
      at(30)
      expect(await salary()).toBe('1')
      at(35)
      expect(await salary()).toBe('2')
      expect(Number((await own.query(watermark))[0]?.[0])).toBe(seconds)
    })
  })

  test('is an option of SQL, a field of REST, and a row of TABLE_OPTIONS', async () => {
    const table = await employees('OPTIONS (max_staleness = INTERVAL 10 MINUTE)')
    const path = `/datasets/hr/tables/${table.slice(3)}`
    expect((await own.call('GET', path)).body.maxStaleness).toBe('0-0 0 0:10:0')
    await own.query(`ALTER TABLE ${table} SET OPTIONS (max_staleness = INTERVAL '4:0:0' HOUR TO SECOND)`)
    const options = `SELECT option_name, option_type, option_value FROM hr.INFORMATION_SCHEMA.TABLE_OPTIONS WHERE table_name = '${table.slice(3)}'`
    expect(await own.query(options)).toEqual([['max_staleness', 'INTERVAL', '0-0 0 4:0:0']])
    await own.call('PATCH', path, { maxStaleness: '0-0 1 0:0:0' })
    expect((await own.call('GET', path)).body.maxStaleness).toBe('0-0 1 0:0:0')
    await own.call('PATCH', path, { maxStaleness: null })
    expect((await own.call('GET', path)).body.maxStaleness).toBeUndefined()
  })
})
