/** Row access policies and policy tags: which writes keep them, as BigQuery's documentation has it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let bigquery: OpenBigQuery
const policy = (policyId: string, filterPredicate = 'TRUE') =>
  bigquery.call('POST', '/datasets/d/tables/t/rowAccessPolicies', {
    rowAccessPolicyReference: { policyId },
    filterPredicate,
    grantees: ['allAuthenticatedUsers'],
  })
async function policiesOf(table: string): Promise<string[]> {
  const { body } = await bigquery.call('GET', `/datasets/d/tables/${table}/rowAccessPolicies`)
  return body.rowAccessPolicies.map(
    (one: { rowAccessPolicyReference: { policyId: string } }) => one.rowAccessPolicyReference.policyId,
  )
}
const tagsOf = async (table: string) =>
  (await bigquery.call('GET', `/datasets/d/tables/${table}`)).body.schema.fields[0].policyTags?.names
const TAG = 'projects/p/locations/us/taxonomies/1/policyTags/2'

beforeAll(async () => {
  bigquery = await openBigQuery()
  await bigquery.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  await bigquery.query('CREATE TABLE d.t AS SELECT 1 AS id')
  const fields = [{ name: 'id', type: 'INTEGER', policyTags: { names: [TAG] } }]
  expect((await bigquery.call('PATCH', '/datasets/d/tables/t', { schema: { fields } })).status).toBe(200)
  expect((await policy('all')).status).toBe(200)
})
afterAll(() => bigquery.close())

test.each([
  ['a filter, which no read here would respect', 'emea', 'region = "EU"', 501],
  ['a name that stands already', 'all', 'TRUE', 409],
  ['a name that is none', 'a b', 'TRUE', 400],
])('refused: %s', async (_, id, filter, status) => {
  expect((await policy(id, filter)).status).toBe(status)
  expect(await policiesOf('t')).toEqual(['all'])
})

test.each([
  ['CREATE OR REPLACE TABLE d.u CLONE d.t', ['all'], [TAG]],
  ['CREATE OR REPLACE TABLE d.u COPY d.t', ['all'], [TAG]],
  ['CREATE OR REPLACE TABLE d.u LIKE d.t', [], [TAG]],
  ['CREATE OR REPLACE TABLE d.u AS SELECT * FROM d.t', [], undefined],
])('%s', async (statement, policies, tags) => {
  await bigquery.query(statement)
  expect({ policies: await policiesOf('u'), tags: await tagsOf('u') }).toEqual({ policies, tags })
})

test.each([
  ['WRITE_TRUNCATE_DATA', ['all'], [TAG]],
  ['WRITE_APPEND', ['all'], [TAG]],
  ['WRITE_TRUNCATE', [], undefined],
])('%s', async (writeDisposition, policies, tags) => {
  await bigquery.query('CREATE OR REPLACE TABLE d.w CLONE d.t')
  const destinationTable = bigquery.table('d.w')
  await bigquery.job({
    query: { query: 'SELECT 2 AS id', useLegacySql: false, destinationTable, writeDisposition },
  })
  expect({ policies: await policiesOf('w'), tags: await tagsOf('w') }).toEqual({ policies, tags })
})
