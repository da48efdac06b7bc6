/** Every listed query gives the same rows on DuckDB as in Google's own evaluator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryParameter } from '../../local/bigquery/sql/index.ts'
import { scalar } from '../../local/bigquery/sql/type.ts'
import { type GoogleSql, noGoogleSql, type OracleParameter, startGoogleSql } from '../support/googlesql.ts'
import { renderCell, type SqlDuckDb, startSqlDuckDb } from '../support/sql-duckdb.ts'
import { expressionList, queryList } from './queries.ts'
import { t, u } from './tables.ts'

const oracleParameters: readonly OracleParameter[] = [
  { name: 'p1', type: scalar('INT64'), value: 41n },
  { name: 'p2', type: scalar('STRING'), value: "o'k" },
  { name: 'p3', type: { kind: 'array', of: scalar('INT64') }, value: [1n, 4n] },
  { name: 'p4', type: scalar('DATE'), value: '2020-01-02' },
  { name: 'p5', type: scalar('TIMESTAMP'), value: 1577934245000000n },
  { name: 'p6', type: scalar('NUMERIC'), value: '0.25' },
]
const duckParameters: readonly QueryParameter[] = [
  { name: 'p1', type: scalar('INT64'), value: '41' },
  { name: 'p2', type: scalar('STRING'), value: "o'k" },
  { name: 'p3', type: { kind: 'array', of: scalar('INT64') }, value: ['1', '4'] },
  { name: 'p4', type: scalar('DATE'), value: '2020-01-02' },
  { name: 'p5', type: scalar('TIMESTAMP'), value: '2020-01-02 03:04:05+00' },
  { name: 'p6', type: scalar('NUMERIC'), value: '0.25' },
]

describe.skipIf(noGoogleSql)(
  `translated SQL against Google's evaluator${noGoogleSql ? ` (${noGoogleSql})` : ''}`,
  () => {
    let google: GoogleSql
    let duck: SqlDuckDb
    beforeAll(async () => {
      google = await startGoogleSql()
      duck = await startSqlDuckDb()
      await duck.put([t, u])
    })
    afterAll(() => {
      google?.close()
      duck?.close()
    })

    async function compare(sql: string, ordered: boolean) {
      const theirs = await google.evaluate(sql, [t, u], oracleParameters)
      const ours = await duck.run(sql, duckParameters)
      const render = (rows: readonly (readonly (typeof theirs.rows)[number][number][])[]) => {
        const texts = rows.map(row => row.map(renderCell).join(', '))
        return ordered ? texts : texts.sort()
      }
      expect(render(ours.rows)).toEqual(render(theirs.rows))
      expect(
        ours.types.map(t =>
          t.replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ').replace(/ WITH TIME ZONE/, ''),
        ),
      ).toEqual(ours.expected)
    }

    test.each(expressionList)('%s', async expression => {
      await compare(`SELECT ${expression} AS value FROM t`, false)
    })

    test.each(queryList)('%s', async sql => {
      await compare(sql, /ORDER BY [^()]*$/.test(sql))
    })
  },
)
