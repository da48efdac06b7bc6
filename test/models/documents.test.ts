/** The examples of docs/models.md do what they say. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { readExamples, runExample } from '../support/model-example.ts'
import { createDatasets } from '../support/real-warehouse.ts'

let bigquery: OpenBigQuery
beforeAll(async () => {
  bigquery = await openBigQuery()
  await createDatasets(bigquery, 'shop')
})
afterAll(() => bigquery?.close())

const show = (rows: readonly (readonly unknown[])[]) =>
  rows.map(row => row.map(value => (value === null ? 'NULL' : String(value))).join(' | ')).sort()

test.each(readExamples())('$example', async given => {
  const { statuses, rows } = await runExample(bigquery, given)
  expect(statuses).toEqual(given.status ?? given.sent.map(() => 'refreshed'))
  expect(show(rows)).toEqual(show(given.result))
})
