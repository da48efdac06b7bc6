/** A column may bear the name of its table; in GoogleSQL that name alone would mean the whole row. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlNewestRows } from '../../functions/plan/models/unique.ts'
import { stagingOf } from '../../functions/plan/tables.ts'
import { scalar } from '../../local/bigquery/sql/type.ts'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import { readFeedText } from '../support/plan-case.ts'

const feedWith = (...columns: string[]) =>
  readFeedText(`name: shop
source: { path: "shop/{snapshot}.ndjson", complete: single-file, format: ndjson }
table:
  name: trade.prices
  columns: { ${columns.map(name => `${name}: INT64`).join(', ')} }
model: { kind: unique, key: [${columns[0]}], sequence: { from: snapshot, as: snapshot } }
`)
const names = { projectId: 'p', location: 'US', landing: 'l', staging: 's', inbox: 'i' }

let google: GoogleSql
beforeAll(async () => {
  if (!noGoogleSql) google = await startGoogleSql()
})
afterAll(() => google?.close())

test.each([
  { columns: ['item', 'price'], from: 'FROM `p.s.shop`\n' },
  { columns: ['shop', 'price'], from: 'FROM `p.s.shop` AS `rows_of_table`\n' },
  { columns: ['SHOP', 'Rows_of_Table'], from: 'FROM `p.s.shop` AS `rows_of_table_`\n' },
])('$columns', async ({ columns, from }) => {
  const feed = feedWith(...columns)
  const { text } = sqlNewestRows(feed, [{ table: stagingOf(feed, names) }])
  expect(text).toContain(from)
  if (noGoogleSql) return
  // BigQuery takes a path in one pair of quotes for its parts; the analyzer takes it for one name.
  const parts = text.replaceAll('`p.s.shop`', '`p`.`s`.`shop`')
  const table = {
    name: 'p.s.shop',
    columns: feed.table.columns.map(({ name }) => ({ name, type: scalar('INT64') })),
  }
  expect(await google.analyze(parts, [table])).toEqual([...columns, 'snapshot'])
})
