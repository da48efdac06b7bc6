import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
beforeAll(async () => {
  own = await openBigQuery()
})
afterAll(() => own.close())

/** A day in November 2026, or none; and a value. */
type Row = readonly [day: number | null, v: number]
const names = ['a', 'b'] as const
const name = fc.constantFrom(...names)
const day = fc.integer({ min: 1, max: 6 })
const rows = fc.array(fc.tuple(fc.option(day, { freq: 6 }), fc.nat(9)), { minLength: 1, maxLength: 6 })
const sqlDate = (of: number) => `DATE '2026-11-${String(of).padStart(2, '0')}'`

/** A condition and what it means; the first six cover whole partitions in ways that must be seen as such. */
interface Condition {
  readonly sql: string
  readonly holds: (row: Row) => boolean
}
const withDay = (sql: string, holds: (of: number) => boolean): Condition => ({
  sql,
  holds: ([of]) => of !== null && holds(of),
})
const wholeDays: fc.Arbitrary<Condition> = fc.oneof(
  day.map(d => withDay(`d = ${sqlDate(d)}`, of => of === d)),
  fc
    .array(day, { minLength: 1, maxLength: 3 })
    .map(ds => withDay(`d IN (${ds.map(sqlDate).join(', ')})`, of => ds.includes(of))),
  fc
    .tuple(day, day)
    .map(([a, b]) => withDay(`d >= ${sqlDate(a)} AND ${sqlDate(b)} > d`, of => of >= a && of < b)),
  fc
    .tuple(day, day)
    .map(([a, b]) => withDay(`d BETWEEN ${sqlDate(a)} AND ${sqlDate(b)}`, of => of >= a && of <= b)),
  day.map(d => withDay(`d <= ${sqlDate(d)}`, of => of <= d)),
  day.map(d => ({ sql: `(d > ${sqlDate(d)} OR d IS NULL)`, holds: ([of]: Row) => of === null || of > d })),
  fc
    .array(day, { minLength: 1, maxLength: 3 })
    .map(ds => withDay(`d NOT IN (${ds.map(sqlDate).join(', ')})`, of => !ds.includes(of))),
  fc.tuple(day, day).map(([a, b]) => ({
    sql: `(NOT (d = ${sqlDate(a)} OR d >= ${sqlDate(b)}) OR d IS NULL)`,
    holds: ([of]: Row) => of === null || (of !== a && of < b),
  })),
  fc.constant({ sql: 'NOT (d IS NULL)', holds: ([of]: Row) => of !== null }),
  fc.constant({ sql: 'd IS NULL', holds: ([of]: Row) => of === null }),
  fc.constant({ sql: 'd IS NOT NULL', holds: ([of]: Row) => of !== null }),
  fc.constant({ sql: 'TRUE', holds: () => true }),
)
const someRows: fc.Arbitrary<Condition> = fc.oneof(
  day.map(d => withDay(`d <> ${sqlDate(d)}`, of => of !== d)),
  fc.nat(9).map(v => ({ sql: `v = ${v}`, holds: ([, of]: Row) => of === v })),
  fc
    .tuple(day, fc.nat(9))
    .map(([d, v]) => ({ sql: `d = ${sqlDate(d)} AND v >= ${v}`, holds: ([a, b]: Row) => a === d && b >= v })),
)

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert' as const), to: name, rows }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), to: name, where: wholeDays }) },
  fc.record({ kind: fc.constant('delete' as const), to: name, where: someRows }),
  fc.record({ kind: fc.constant('append' as const), from: name, to: name }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('take' as const), to: name, from: name, where: wholeDays }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      to: name,
      from: name,
      where: wholeDays,
      rest: wholeDays,
    }),
  },
  fc.record({ kind: fc.constant('clone' as const), from: name, to: name }),
  fc.record({ kind: fc.constant('snapshot' as const), from: name }),
  fc.record({ kind: fc.constant('restore' as const), to: name }),
  fc.record({ kind: fc.constant('truncate' as const), to: name }),
  fc.record({ kind: fc.constant('restart' as const) }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      to: name,
      where: wholeDays,
      rows,
      end: fc.constantFrom('COMMIT TRANSACTION', 'ROLLBACK TRANSACTION', 'SELECT ERROR("no")'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Model {
  readonly tables: Record<string, readonly Row[]>
  saved: readonly Row[] | undefined
}

/** The rows that do not meet the condition, or with `false` those that do. */
const without = (old: readonly Row[], where: Condition, not = true) =>
  old.filter(row => where.holds(row) !== not)

/** What the step makes of the lists; false when it must fail. */
function applyToModel({ tables, ...model }: Model, s: Step, save: (rows: readonly Row[]) => void): boolean {
  const of = (table: string) => tables[table] ?? []
  switch (s.kind) {
    case 'insert':
      tables[s.to] = [...of(s.to), ...s.rows]
      return true
    case 'delete':
      tables[s.to] = without(of(s.to), s.where)
      return true
    case 'append':
      tables[s.to] = [...of(s.to), ...of(s.from)]
      return true
    case 'take':
      tables[s.to] = [...of(s.to), ...without(of(s.from), s.where, false)]
      return true
    case 'put':
      tables[s.to] = [...without(of(s.from), s.where, false), ...without(of(s.to), s.rest, false)]
      return true
    case 'clone':
      tables[s.to] = of(s.from)
      return true
    case 'snapshot':
      if (model.saved) return false
      save(of(s.from))
      return true
    case 'restore':
      if (!model.saved) return false
      tables[s.to] = model.saved
      return true
    case 'truncate':
      tables[s.to] = []
      return true
    case 'restart':
      return true
    case 'replace':
      if (s.end === 'COMMIT TRANSACTION') {
        const other = s.to === 'a' ? 'b' : 'a'
        tables[s.to] = [...without(of(s.to), s.where), ...s.rows]
        tables[other] = without(of(other), s.where)
      }
      return !s.end.startsWith('SELECT')
  }
}

let serial = 0
const submit = (configuration: Record<string, unknown>) => own.job(configuration, `s${++serial}`)
const run = (query: string) => submit({ query: { query, useLegacySql: false } })

function sqlInsert(table: string, given: readonly Row[]): string {
  const values = given.map(([d, v]) => `(${d === null ? 'NULL' : sqlDate(d)}, ${v})`)
  return `INSERT INTO ${table} (d, v) VALUES ${values.join(', ')}`
}

async function perform(dataset: string, s: Step) {
  const at = (table: string) => `${dataset}.${table}`
  switch (s.kind) {
    case 'insert':
      return run(sqlInsert(at(s.to), s.rows))
    case 'delete':
      return run(`DELETE FROM ${at(s.to)} WHERE ${s.where.sql}`)
    case 'append':
      return submit({
        copy: {
          sourceTable: own.table(at(s.from)),
          destinationTable: own.table(at(s.to)),
          writeDisposition: 'WRITE_APPEND',
        },
      })
    case 'take':
      return run(`INSERT INTO ${at(s.to)} (d, v) SELECT d, v FROM ${at(s.from)} WHERE ${s.where.sql}`)
    case 'put': {
      const query = `SELECT d, v FROM ${at(s.from)} WHERE ${s.where.sql} UNION ALL SELECT d, v FROM ${at(s.to)} WHERE ${s.rest.sql}`
      return submit({
        query: {
          query,
          useLegacySql: false,
          destinationTable: own.table(at(s.to)),
          writeDisposition: 'WRITE_TRUNCATE_DATA',
        },
      })
    }
    case 'clone':
      return run(`CREATE OR REPLACE TABLE ${at(s.to)} CLONE ${at(s.from)}`)
    case 'snapshot':
      return run(`CREATE SNAPSHOT TABLE ${at('saved')} CLONE ${at(s.from)}`)
    case 'restore':
      return run(`CREATE OR REPLACE TABLE ${at(s.to)} CLONE ${at('saved')}`)
    case 'truncate':
      return run(`TRUNCATE TABLE ${at(s.to)}`)
    case 'restart':
      await own.restart()
      return { status: {} }
    case 'replace': {
      const other = s.to === 'a' ? 'b' : 'a'
      return run(
        `BEGIN TRANSACTION; DELETE FROM ${at(s.to)} WHERE ${s.where.sql}; ${sqlInsert(at(s.to), s.rows)}; DELETE FROM ${at(other)} WHERE ${s.where.sql}; ${s.end};`,
      )
    }
  }
}

const text = (list: readonly Row[]) => list.map(([d, v]) => `${d ?? '-'} ${v}`).sort()

async function check(dataset: string, { tables, saved }: Model): Promise<void> {
  for (const [table, wanted] of Object.entries({ ...tables, ...(saved ? { saved } : {}) })) {
    const { body } = await own.call('GET', `/datasets/${dataset}/tables/${table}`)
    expect(body.numRows).toBe(String(wanted.length))
    const got = await own.query(`SELECT EXTRACT(DAY FROM d), v FROM ${dataset}.${table}`)
    expect(text(got.map(([d, v]): Row => [d === null ? null : Number(d), Number(v)]))).toEqual(text(wanted))
    const path = `/datasets/${dataset}/tables/${table}/data?startIndex=1&maxResults=2`
    const page = await own.call('GET', path)
    expect(page.body.rows ?? []).toHaveLength(Math.max(0, Math.min(2, wanted.length - 1)))
  }
}

test('tables with deleted partitions behave as if rows had been deleted', { timeout: 300_000 }, async () => {
  const seed = Number(process.env.FRESHET_SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.info(`partition delete seed ${seed}`)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async steps => {
      const dataset = `d${++runs}`
      await own.call('POST', '/datasets', { datasetReference: { datasetId: dataset } })
      for (const table of names)
        await own.query(`CREATE TABLE ${dataset}.${table} (d DATE, v INT64) PARTITION BY d`)
      const model: Model = { tables: { a: [], b: [] }, saved: undefined }
      for (const s of steps) {
        const ok = applyToModel(model, s, saved => {
          model.saved = saved
        })
        const { status } = await perform(dataset, s)
        expect(status.errorResult === undefined, JSON.stringify([s, status])).toBe(ok)
      }
      await check(dataset, model)
      await own.call('DELETE', `/datasets/${dataset}?deleteContents=true`)
    }),
    { seed, numRuns: 12 },
  )
})
