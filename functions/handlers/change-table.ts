/** Makes the table of a change feed, and alters it when the feed has changed since. */
import { FreshetError } from '../errors.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { changeTargetOf, findTableProblem, planTable, sqlWatermark } from '../plan/changes/change-table.ts'
import { hashOf } from '../plan/ids.ts'
import type { Sql } from '../plan/sql.ts'
import type { ChangeDeps } from './change-deps.ts'

/** Statements that may run twice; so the id only has to be one that was never used. */
async function runSql(deps: ChangeDeps, feed: ChangeFeed, stage: string, sql: Sql) {
  const { projectId, location } = deps.names
  const hash = hashOf({ feed: feed.name, sql: sql.text, at: deps.now(), nonce: deps.nonce() })
  return deps.warehouse.runQuery({
    jobReference: {
      projectId,
      jobId: `freshet_${feed.name.replaceAll('-', '_')}_${stage}_${hash}`,
      location,
    },
    configuration: {
      labels: { freshet_feed: feed.name, freshet_stage: stage },
      query: { query: sql.text, useLegacySql: false },
    },
  })
}

/** Throws `schema-drift` when changes can't stream into the table as it is. */
export async function ensureTable(deps: ChangeDeps, feed: ChangeFeed): Promise<void> {
  const target = changeTargetOf(feed, deps.names)
  const facts = await deps.warehouse.readChangeTable(target)
  const problem = facts && findTableProblem(feed, facts)
  if (problem)
    throw new FreshetError({
      code: 'schema-drift',
      message: `${target.datasetId}.${target.tableId}: ${problem.message}.`,
      hint: problem.hint,
    })
  for (const { what, sql } of planTable(feed, target, facts)) {
    await runSql(deps, feed, 'table', sql)
    deps.log.info({ feed: feed.name }, `table: ${what}`)
  }
}

/** Up to when BigQuery has applied what streamed in, in milliseconds since 1970; 0 before its first apply. */
export async function readWatermark(deps: ChangeDeps, feed: ChangeFeed): Promise<number> {
  const sql = sqlWatermark(changeTargetOf(feed, deps.names))
  const [row] = await runSql(deps, feed, 'watermark', sql)
  return Number(row?.micros ?? 0) / 1_000
}
