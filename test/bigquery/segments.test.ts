import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
beforeAll(async () => {
  own = await openBigQuery()
})
afterAll(() => own.close())

const names = ['a', 'b', 'c'] as const
const name = fc.constantFrom(...names)
const values = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 })
const step = fc.oneof(
  fc.record({
    kind: fc.constant('load' as const),
    to: name,
    values,
    write: fc.constantFrom('WRITE_APPEND', 'WRITE_TRUNCATE'),
  }),
  fc.record({
    kind: fc.constant('copy' as const),
    from: name,
    to: name,
    write: fc.constantFrom('WRITE_APPEND', 'WRITE_TRUNCATE', 'WRITE_EMPTY'),
  }),
  fc.record({ kind: fc.constant('clone' as const), from: name, to: name }),
  fc.record({ kind: fc.constant('snapshot' as const), from: name }),
  fc.record({ kind: fc.constant('restore' as const), to: name }),
  fc.record({ kind: fc.constant('rewrite' as const), to: name }),
  fc.record({ kind: fc.constant('delete' as const), to: name, value: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ kind: fc.constant('truncate' as const), to: name }),
  fc.record({ kind: fc.constant('drop' as const), to: name }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What each table must hold: the naive way, with lists. */
class Model {
  readonly tables = new Map<string, number[]>()
  saved: number[] | undefined
}

/** Whether it must succeed; changes the model when it does. */
function applyToModel(model: Model, s: Step): boolean {
  const { tables } = model
  const from = 'from' in s ? tables.get(s.from) : undefined
  const to = 'to' in s ? tables.get(s.to) : undefined
  switch (s.kind) {
    case 'load':
      tables.set(s.to, s.write === 'WRITE_TRUNCATE' ? s.values : [...(to ?? []), ...s.values])
      return true
    case 'copy':
      if (!from || (s.write === 'WRITE_EMPTY' && to?.length)) return false
      tables.set(s.to, s.write === 'WRITE_TRUNCATE' ? from : [...(to ?? []), ...from])
      return true
    case 'clone':
      if (!from) return false
      tables.set(s.to, from)
      return true
    case 'snapshot':
      if (!from || model.saved) return false
      model.saved = from
      return true
    case 'restore':
      if (!model.saved) return false
      tables.set(s.to, model.saved)
      return true
    case 'rewrite':
      if (!to) return false
      tables.set(s.to, [...new Set(to)])
      return true
    case 'delete':
      if (!to) return false
      tables.set(
        s.to,
        to.filter(v => v !== s.value),
      )
      return true
    case 'truncate':
      if (!to) return false
      tables.set(s.to, [])
      return true
    case 'drop':
      return tables.delete(s.to)
  }
}

let serial = 0
const sql = (query: string, more = {}) =>
  own.job({ query: { query, useLegacySql: false, ...more } }, `s${++serial}`)

function perform(dataset: string, s: Step) {
  const at = (table: string) => own.table(`${dataset}.${table}`)
  switch (s.kind) {
    case 'load': {
      const uri = own.objects.put('in', `f${++serial}`, s.values.map(v => `${v}\n`).join(''))
      const schema = { fields: [{ name: 'v', type: 'INT64' }] }
      return own.job(
        { load: { sourceUris: [uri], schema, destinationTable: at(s.to), writeDisposition: s.write } },
        `s${++serial}`,
      )
    }
    case 'copy':
      return own.job(
        { copy: { sourceTable: at(s.from), destinationTable: at(s.to), writeDisposition: s.write } },
        `s${++serial}`,
      )
    case 'clone':
      return sql(`CREATE OR REPLACE TABLE ${dataset}.${s.to} CLONE ${dataset}.${s.from}`)
    case 'snapshot':
      return sql(`CREATE SNAPSHOT TABLE ${dataset}.saved CLONE ${dataset}.${s.from}`)
    case 'restore':
      return sql(`CREATE OR REPLACE TABLE ${dataset}.${s.to} CLONE ${dataset}.saved`)
    case 'rewrite':
      return sql(
        `SELECT v FROM ${dataset}.${s.to} QUALIFY ROW_NUMBER() OVER (PARTITION BY v ORDER BY v) = 1`,
        {
          destinationTable: at(s.to),
          writeDisposition: 'WRITE_TRUNCATE_DATA',
        },
      )
    case 'delete':
      return sql(`DELETE FROM ${dataset}.${s.to} WHERE v = ${s.value}`)
    case 'truncate':
      return sql(`TRUNCATE TABLE ${dataset}.${s.to}`)
    case 'drop':
      return sql(`DROP TABLE ${dataset}.${s.to}`)
  }
}

async function check(dataset: string, model: Model): Promise<void> {
  for (const table of [...names, 'saved']) {
    const wanted = table === 'saved' ? model.saved : model.tables.get(table)
    const { status, body } = await own.call('GET', `/datasets/${dataset}/tables/${table}`)
    expect(status).toBe(wanted ? 200 : 404)
    if (!wanted) continue
    expect(body.numRows).toBe(String(wanted.length))
    const rows = await own.query(`SELECT v FROM ${dataset}.${table} ORDER BY v`)
    expect(rows.map(([v]) => Number(v))).toEqual([...wanted].sort())
  }
}

test('tables that share segments behave as if they had their own rows', { timeout: 240_000 }, async () => {
  const seed = Number(process.env.FRESHET_SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.info(`segments seed ${seed}`)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async steps => {
      const dataset = `d${++runs}`
      await own.call('POST', '/datasets', { datasetReference: { datasetId: dataset } })
      const model = new Model()
      for (const s of steps) {
        const ok = applyToModel(model, s)
        const job = await perform(dataset, s)
        expect(job.status.errorResult === undefined, JSON.stringify([s, job.status])).toBe(ok)
      }
      await check(dataset, model)
      await own.call('DELETE', `/datasets/${dataset}?deleteContents=true`)
    }),
    { seed, numRuns: 12 },
  )
})

/** The DuckDB tables that hold rows, read once the service has ended. */
async function readSegments(stopped: OpenBigQuery): Promise<number> {
  const instance = await DuckDBInstance.create(join(stopped.dir, 'bigquery', 'bigquery.duckdb'))
  const connection = await instance.connect()
  const found = await connection.runAndReadAll(
    "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'seg%'",
  )
  connection.closeSync()
  instance.closeSync()
  return Number(found.getRows()[0]?.[0])
}

test('segments that nobody has are dropped from the file', async () => {
  const other = await openBigQuery()
  await other.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  const run = (query: string) => other.job({ query: { query, useLegacySql: false } })
  await run('CREATE TABLE d.a AS SELECT 1 AS x')
  await run('CREATE TABLE d.b CLONE d.a')
  await run('DROP TABLE d.a')
  await other.stop()
  expect(await readSegments(other)).toBe(1)
  await other.restart()
  expect((await other.call('GET', '/datasets/d/tables/b')).body.numRows).toBe('1')
  await run('DROP TABLE d.b')
  await other.stop()
  expect(await readSegments(other)).toBe(0)
  rmSync(other.dir, { recursive: true, force: true })
})

test('many appends are put together, and nothing of it shows', async () => {
  const other = await openBigQuery()
  await other.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  await other.query('CREATE TABLE d.a (x INT64)')
  for (let i = 0; i < 60; i++) await other.query(`INSERT INTO d.a (x) VALUES (${i})`)
  const rows = await other.query('SELECT COUNT(*), SUM(x) FROM d.a')
  expect(rows).toEqual([['60', '1770']])
  await other.stop()
  expect(await readSegments(other)).toBeLessThan(15)
  rmSync(other.dir, { recursive: true, force: true })
})
