/** Every refusal has its message; where Google's analyzer refuses the same, the words are Google's. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseScript, toSqlError } from '../../local/bigquery/sql/index.ts'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import { type SqlDuckDb, startSqlDuckDb } from '../support/sql-duckdb.ts'
import { alsoGoogle, atRunTime, onlyHere } from './refusals.ts'
import { t, u } from './tables.ts'

let duck: SqlDuckDb
let google: GoogleSql | undefined
beforeAll(async () => {
  duck = await startSqlDuckDb()
  await duck.put([t, u])
  google = noGoogleSql ? undefined : await startGoogleSql()
})
afterAll(() => {
  google?.close()
  duck?.close()
})

async function messageOf(sql: string): Promise<string> {
  const run = async () => {
    parseScript(sql)
    await duck.run(sql)
  }
  return run().then(
    () => 'it ran',
    error => toSqlError(error).message,
  )
}

/** Google's analyzer writes ` [at 1:8]` where BigQuery writes ` at [1:8]`. */
async function googleMessage(sql: string): Promise<string> {
  if (!google) throw new Error(noGoogleSql)
  return google.evaluate(sql, [t, u]).then(
    () => 'it ran',
    error => String(error.message).replace(/ \[at (\d+:\d+)\]$/, ' at [$1]'),
  )
}

describe('in the words of Google', () => {
  test.each([...alsoGoogle, ...atRunTime])('%s', async (sql, message) => {
    expect((await messageOf(sql)).slice(0, message.length)).toBe(message)
    if (google) expect((await googleMessage(sql)).slice(0, message.length)).toBe(message)
  })
})

describe('in our own words', () => {
  test.each(onlyHere)('%s', async (sql, message) => {
    expect((await messageOf(sql)).slice(0, message.length)).toBe(message)
  })
})
