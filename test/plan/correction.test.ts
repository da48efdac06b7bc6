/** The statements of corrections are good GoogleSQL, by Google's own analyzer, and say what was asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCorrection } from '../../functions/feed/correction.ts'
import { sqlCorrect, sqlCountCorrected } from '../../functions/plan/correction-sql.ts'
import { type ScalarName, scalar } from '../../local/bigquery/sql/type.ts'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'
import { readFeedText } from '../support/plan-case.ts'

const feed = readFeedText(`name: prices
source: { path: "p/{snapshot}/*.parquet", complete: single-file, format: parquet }
table:
  name: shop.prices
  columns: { id: INT64, day: DATE, at: TIMESTAMP, price: "NUMERIC(10, 2)", share: FLOAT64, ok: BOOL, note: STRING, raw: BYTES, tags: JSON, seq: INT64 }
model: { kind: unique, key: [id, day], sequence: seq }
`)
const warehouse = { projectId: 'p', location: 'EU', landing: 'l', staging: 's', inbox: 'i' }
const columns = feed.table.columns.map(({ name, type }) => ({
  name,
  type: scalar(type.replace(/\(.*/, '') as ScalarName),
}))

const CASES: readonly (readonly [text: string, statement: string])[] = [
  [
    `update: { set: { price: "1.50", note: "it's \`new\`", tags: '[1]' }, where: { id: [1, 2], note: null } }`,
    "UPDATE `p.s.prices`\nSET `price` = CAST('1.50' AS NUMERIC), `note` = 'it\\'s \\`new\\`', `tags` = PARSE_JSON('[1]')\nWHERE `id` IN (CAST('1' AS INT64), CAST('2' AS INT64)) AND `note` IS NULL",
  ],
  [
    'update: { set: { raw: YWJj, share: 0.5, ok: true }, where: { day: { from: 2026-01-01, before: 2026-02-01 } } }',
    "UPDATE `p.s.prices`\nSET `raw` = FROM_BASE64('YWJj'), `share` = CAST('0.5' AS FLOAT64), `ok` = CAST('true' AS BOOL)\nWHERE `day` >= CAST('2026-01-01' AS DATE) AND `day` < CAST('2026-02-01' AS DATE)",
  ],
  [
    'delete: { where: { at: { after: "2026-01-01T00:00:00Z", to: "2026-01-02 00:00:00+00" }, note: { not: [a, null] } } }',
    "DELETE FROM `p.s.prices`\nWHERE `at` > CAST('2026-01-01T00:00:00Z' AS TIMESTAMP) AND `at` <= CAST('2026-01-02 00:00:00+00' AS TIMESTAMP) AND NOT IFNULL((`note` IN ('a') OR `note` IS NULL), FALSE)",
  ],
  ['delete: { where: all }', 'DELETE FROM `p.s.prices`\nWHERE TRUE'],
  [
    'update: { from: fixes.prices, set: [price, note] }',
    'UPDATE `p.s.prices` AS `corrected_row`\nSET `price` = `correction_row`.`price`, `note` = `correction_row`.`note`\nFROM `p.fixes.prices` AS `correction_row`\nWHERE `corrected_row`.`id` = `correction_row`.`id` AND `corrected_row`.`day` = `correction_row`.`day`',
  ],
]

describe.skipIf(noGoogleSql)('corrections in the analyzer', () => {
  let google: GoogleSql
  beforeAll(async () => {
    google = await startGoogleSql()
  })
  afterAll(() => google?.close())

  test.each(CASES)('%s', async (text, statement) => {
    const parsed = parseCorrection(feed, `why: x\n${text}`)
    if (parsed.kind === 'problems') throw new Error(parsed.problems.join())
    const { correction } = parsed
    expect(sqlCorrect(feed, correction, warehouse).text).toBe(statement)
    const tables = ['p.s.prices', 'p.fixes.prices'].map(name => ({ name, columns }))
    for (const { text: query } of [
      sqlCorrect(feed, correction, warehouse),
      sqlCountCorrected(feed, correction, warehouse),
    ])
      await google.analyze(query, tables)
  })
})
