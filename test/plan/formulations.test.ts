/** What `npm run bench:bigquery` times is good GoogleSQL, and all of it comes to the same table. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedText } from '../../bench/changes/feed.ts'
import { sqlMake } from '../../bench/project/data.ts'
import { sqlFormulations, sqlSwap } from '../../bench/project/formulations.ts'
import { parseCost } from '../../bench/project/job.ts'
import { type ScalarName, scalar } from '../../local/bigquery/sql/type.ts'
import { type OpenBigQuery, openBigQuery, project } from '../support/bigquery.ts'
import { noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import { readFeedText } from '../support/plan-case.ts'

const feed = readFeedText(feedText('changed-partitions'))
const table = (tableId: string) => ({ projectId: project, datasetId: 'bench', tableId })
const [staging, landing] = [table('staging'), table('landing')]
const all = sqlFormulations(feed, landing)

let own: OpenBigQuery
beforeAll(async () => {
  own = await openBigQuery()
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 'bench', projectId: project } })
  await own.query(sqlMake(staging, 26_000, 1).text)
  await own.query(sqlMake(landing, 26_000, 2).text)
})
afterAll(() => own?.close())

test.skipIf(noGoogleSql)('they analyze', async () => {
  const google = await startGoogleSql()
  const columns = feed.table.columns.map(({ name, type }) => ({ name, type: scalar(type as ScalarName) }))
  const tables = [staging, landing].map(({ tableId }) => ({ name: `${project}.bench.${tableId}`, columns }))
  const statements = [sqlMake(table('new'), 1_000, 2), ...all.map(({ sqlOver }) => sqlOver(staging))].map(
    ({ text }) => text,
  )
  const swap = sqlSwap(feed, staging, landing, 2).text.split(';\n\n')
  for (const text of [...statements, ...swap.slice(1, 3)])
    await expect(google.analyze(text, tables), text).resolves.toBeDefined()
  google.close()
})

test('they come to the same table', async () => {
  const summary = `SELECT COUNT(*), SUM(attr_value), SUM(attribute_id), SUM(update_id) FROM`
  const before = await own.query(`${summary} bench.staging`)
  const found: (readonly unknown[] | undefined)[] = []
  // The embedded BigQuery has no ARRAY_AGG with LIMIT.
  for (const { kind, sqlOver } of all.filter(({ name }) => name !== 'array_agg')) {
    if (kind === 'rows') found.push((await own.query(`${summary} (${sqlOver(staging).text})`))[0])
    else {
      await own.query('CREATE TABLE bench.clone CLONE bench.staging')
      await own.query(sqlOver(table('clone')).text)
      found.push((await own.query(`${summary} bench.clone`))[0])
    }
  }
  // Rows that MERGE leaves as they were keep the number of the snapshot that brought them.
  expect(new Set(found.map(row => row?.slice(0, 3).join())).size).toBe(1)
  expect(found[0]?.slice(0, 3)).not.toEqual(before[0]?.slice(0, 3))
})

test('what a job took is read from its statistics', () => {
  const stage = { shuffleOutputBytes: '10', shuffleOutputBytesSpilled: '1' }
  const found = {
    startTime: '1000',
    endTime: '3500',
    totalSlotMs: '7',
    totalBytesProcessed: '8',
    query: { queryPlan: [stage, stage] },
  }
  expect(parseCost(found)).toEqual({ seconds: 2.5, slotMs: 7, bytes: 8, shuffleBytes: 20, spilledBytes: 2 })
  expect(parseCost({ startTime: '0', endTime: '0' })).toMatchObject({ slotMs: 0, shuffleBytes: 0 })
})
