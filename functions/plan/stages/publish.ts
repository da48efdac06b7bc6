/** Stages save, clone and announce: staging becomes a rollback point, that becomes the target, landing goes. */
import { parseIdentifier, type TableRef } from '../../feed/names.ts'
import { foreignLabels, type Governance } from '../governance.ts'
import { planQuery, type RunContext } from '../job.ts'
import { planSaveTombstones } from '../models/tombstones.ts'
import type { JobBody } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlText } from '../sql.ts'
import { rollbackPointOf, stagingOf, targetOf } from '../tables.ts'

export function planSave(context: RunContext): JobBody[] {
  const { feed, warehouse } = context
  return [
    ...planSaveTombstones(context),
    planQuery(
      context,
      'save',
      sql`CREATE SNAPSHOT TABLE IF NOT EXISTS ${rollbackPointOf(context)}
CLONE ${stagingOf(feed, warehouse)}
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL ${feed.refresh.rollbackDays} DAY))`,
    ),
  ]
}

/** One option a line; the labels that people gave the target stay beside Freshet's own. */
function sqlCloneOptions({ feed, run }: RunContext, target: Governance | undefined): Sql {
  const days = feed.table.partition?.keepDays
  const description = feed.table.description ?? target?.description
  const labels = [...(target ? foreignLabels(target) : []), ['freshet_feed', feed.name], ['freshet_run', run]]
  const options = [
    sql`expiration_timestamp = NULL`,
    ...(days === undefined ? [] : [sql`partition_expiration_days = ${days}`]),
    ...(description === undefined ? [] : [sql`description = ${sqlText(description)}`]),
    sql`labels = [${sqlJoin(labels.map(([label = '', value = '']) => sql`(${sqlText(label)}, ${sqlText(value)})`))}]`,
  ]
  return sqlJoin(options, ',\n  ')
}

/**
 * A table snapshot has no partition expiration, so the clone sets it again; a table made from it would expire with
 * the dataset's default: docs.cloud.google.com/bigquery/docs/table-snapshots-restore#overwrite_an_existing_table
 */
export function planClone(context: RunContext, from: TableRef, target: Governance | undefined): JobBody[] {
  const { feed, warehouse } = context
  const table = targetOf(feed, warehouse)
  const clone = sql`CREATE OR REPLACE TABLE ${table}\nCLONE ${from}\nOPTIONS(\n  ${sqlCloneOptions(context, target)}\n)`
  const key = target?.primaryKey?.flatMap(name => parseIdentifier(name) ?? []) ?? []
  // Staging has none, so a clone has none: the optimizer trusts a key, and nobody enforces it there.
  const addKey = sql`ALTER TABLE ${table} ADD PRIMARY KEY (${sqlJoin(key)}) NOT ENFORCED`
  return [
    planQuery(context, 'clone', clone),
    ...(key.length > 0 ? [planQuery(context, 'clone', addKey)] : []),
  ]
}

/** What the run needs no more goes. */
export const planAnnounce = (context: RunContext, tables: readonly TableRef[]): JobBody[] =>
  tables.map(table => planQuery(context, 'announce', sql`DROP TABLE IF EXISTS ${table}`))
