/** Random queries over random tables give the same rows on DuckDB as in Google's own evaluator. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import { renderCell, type SqlDuckDb, startSqlDuckDb } from '../support/sql-duckdb.ts'
import { randomCase } from './random-sql.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const numRuns = Number(process.env.RUNS ?? 300)

describe.skipIf(noGoogleSql)(`random queries${noGoogleSql ? ` (${noGoogleSql})` : ''}`, () => {
  let google: GoogleSql
  let duck: SqlDuckDb
  beforeAll(async () => {
    google = await startGoogleSql()
    duck = await startSqlDuckDb()
  })
  afterAll(() => {
    google?.close()
    duck?.close()
  })

  /** A failure is an answer too: both must fail, or neither. */
  async function rows(
    run: () => Promise<{ readonly rows: readonly (readonly Parameters<typeof renderCell>[0][])[] }>,
  ): Promise<string[] | 'failed'> {
    try {
      const { rows } = await run()
      return rows.map(row => row.map(renderCell).join(', ')).sort()
    } catch {
      return 'failed'
    }
  }

  test(`${numRuns} cases, SEED=${seed}`, async () => {
    let failures = 0
    await fc.assert(
      fc.asyncProperty(randomCase, async ({ table, sql }) => {
        await duck.put([table])
        const theirs = await rows(() => google.evaluate(sql, [table]))
        const ours = await rows(() => duck.run(sql))
        if (theirs === 'failed') failures++
        expect(ours).toEqual(theirs)
      }),
      { seed, numRuns },
    )
    console.log(`${numRuns} random queries, ${failures} that fail in both, SEED=${seed}`)
    // Queries that fail prove little: most must run.
    expect(failures).toBeLessThan(numRuns / 4)
  }, 300_000)
})
