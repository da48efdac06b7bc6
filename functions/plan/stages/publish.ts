/** Stages save, clone and announce: staging becomes a rollback point, that becomes the target, landing goes. */
import type { TableRef } from '../../feed/names.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot } from '../run-plan.ts'
import { sql, sqlText } from '../sql.ts'
import { landingOf, rollbackPointOf, stagingOf, targetOf } from '../tables.ts'

export function planSave(context: RunContext): JobBody[] {
  const { feed, warehouse } = context
  return [
    planQuery(
      context,
      'save',
      sql`CREATE SNAPSHOT TABLE IF NOT EXISTS ${rollbackPointOf(context)}
CLONE ${stagingOf(feed, warehouse)}
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL ${feed.refresh.rollbackDays} DAY))`,
    ),
  ]
}

/**
 * A table snapshot has no partition expiration, so the clone sets it again; a table made from it would expire with
 * the dataset's default: docs.cloud.google.com/bigquery/docs/table-snapshots-restore#overwrite_an_existing_table
 */
export function planClone(context: RunContext, from: TableRef): JobBody[] {
  const { feed, run, warehouse } = context
  const days = feed.table.partition?.keepDays
  const { description } = feed.table
  return [
    planQuery(
      context,
      'clone',
      sql`CREATE OR REPLACE TABLE ${targetOf(feed, warehouse)}
CLONE ${from}
OPTIONS(
  expiration_timestamp = NULL${days === undefined ? sql`` : sql`,\n  partition_expiration_days = ${days}`}${
    description === undefined ? sql`` : sql`,\n  description = ${sqlText(description)}`
  },
  labels = [('freshet_feed', ${sqlText(feed.name)}), ('freshet_run', ${sqlText(run)})]
)`,
    ),
  ]
}

export function planAnnounce(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  return snapshots.map(({ id }) =>
    planQuery(context, 'announce', sql`DROP TABLE IF EXISTS ${landingOf(context, id)}`),
  )
}
