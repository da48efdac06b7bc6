/** The join that proven rows get gives what the window function gives: in Google's evaluator and in local/bigquery. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlLeftOver, sqlNewestRows, sqlRows, sqlTogether } from '../../functions/plan/models/unique.ts'
import { sql } from '../../functions/plan/sql.ts'
import { type ScalarName, scalar } from '../../local/bigquery/sql/type.ts'
import { type OpenBigQuery, openBigQuery, project } from '../support/bigquery.ts'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import type { Cell } from '../support/googlesql-value.ts'
import { readFeedText } from '../support/plan-case.ts'

const feed = readFeedText(`
name: pairs
source: { path: 'pairs/{snapshot}/*', complete: single-file, format: ndjson }
table: { name: serving.pairs, columns: { pair: INT64, k: STRING, v: STRING, f: FLOAT64 } }
model: { kind: unique, key: [pair, k], sequence: { from: snapshot, as: seq } }
`)
const columns = feed.table.columns.map(({ name, type }) => ({ name, type: scalar(type as ScalarName) }))
const [newest, leftOver] = [sqlNewestRows, sqlLeftOver]
const [fresh, old] = ['fresh', 'old'].map(tableId => ({ projectId: project, datasetId: 'd', tableId }))
if (!fresh || !old) throw new Error('two tables')

const KEYS = ['a', 'A', 'ä', '', '日本', "'", '\uffff'] as const
const values = fc.record({
  k: fc.constantFrom(...KEYS),
  v: fc.option(fc.constantFrom('x', 'X', ''), { nil: null }),
  f: fc.option(fc.constantFrom(0, -1.5, 1e300), { nil: null }),
})
type Values = typeof values extends fc.Arbitrary<infer T> ? T : never
const unique = fc.uniqueArray(values, { selector: ({ k }) => k, maxLength: KEYS.length })
/** Rows of staging are unique too, one with a NULL in its key among them where a gate once let it pass. */
const pair = fc.tuple(unique, unique, fc.option(values, { nil: undefined }))

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const text = (value: string | null) => (value === null ? 'NULL' : JSON.stringify(value))
const show = (cells: readonly unknown[]) =>
  cells.map(cell => (cell === null ? 'NULL' : String(cell))).join(' | ')
const cellsOf = (
  pairNumber: number,
  { k, v, f }: Values | (Omit<Values, 'k'> & { k: null }),
  seq: number,
): Cell[] => [BigInt(pairNumber), k, v, f, BigInt(seq)]
const sqlRow = ([number, k, v, f, seq]: readonly Cell[]) =>
  `STRUCT(${number} AS pair, CAST(${text(k as string | null)} AS STRING) AS k, CAST(${text(v as string | null)} AS STRING) AS v, CAST(${f === null ? 'NULL' : `'${f}'`} AS FLOAT64) AS f, ${seq} AS seq)`

describe.skipIf(noGoogleSql)(`newer over older${noGoogleSql ? ` (${noGoogleSql})` : ''}`, () => {
  let google: GoogleSql
  let bigquery: OpenBigQuery
  beforeAll(async () => {
    google = await startGoogleSql()
    bigquery = await openBigQuery()
    await bigquery.call('POST', '/datasets', { datasetReference: { datasetId: 'd', projectId: project } })
  })
  afterAll(async () => {
    google?.close()
    await bigquery?.close()
  })

  test(`random tables, seed ${seed}`, { timeout: 240_000 }, async () => {
    const pairs = fc.array(pair, { minLength: 20, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(pairs, async given => {
        const newer = given.flatMap(([rows], at) => rows.map(row => cellsOf(at, row, 9)))
        const older = given.flatMap(([, rows, nameless], at) => [
          ...rows.map(row => cellsOf(at, row, 1 + (at % 8))),
          ...(nameless ? [cellsOf(at, { ...nameless, k: null }, 1)] : []),
        ])
        // Only some of the pairs are in the partitions that differ.
        const where = sql`pair < 15`
        const window = newest(feed, [
          { table: old, where },
          { table: fresh, where },
        ]).text
        const join = sqlTogether([
          sqlRows(feed, { table: fresh, where }),
          leftOver(feed, { table: fresh, where }, { table: old, where }),
        ]).text
        const tables = [
          { name: `${project}.d.fresh`, columns, rows: newer },
          { name: `${project}.d.old`, columns, rows: older },
        ]
        const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(show).sort()
        const expected = sorted((await google.evaluate(window, tables)).rows)
        expect(sorted((await google.evaluate(join, tables)).rows)).toEqual(expected)
        for (const [name, rows] of [
          ['fresh', newer],
          ['old', older],
        ] as const)
          await bigquery.query(
            `CREATE OR REPLACE TABLE d.${name} AS SELECT * FROM UNNEST([${[...rows, cellsOf(99, { k: 'a', v: null, f: null }, 1)].map(sqlRow).join(',\n')}])`,
          )
        for (const query of [window, join])
          expect(sorted((await bigquery.query(query, { maxResults: 10_000 })).map(toNumbers))).toEqual(
            expected,
          )
      }),
      { numRuns: 15, seed, verbose: 1, endOnFailure: true },
    )
  })
})

/** REST writes a FLOAT64 in its own way. */
const toNumbers = (cells: readonly unknown[]) =>
  cells.map((cell, at) => (columns[at]?.name === 'f' && cell !== null ? Number(cell) : cell))
