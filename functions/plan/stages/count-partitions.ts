/** How many partitions staging would have: asked for only where the metadata says that it may be too many for a job. */
import { MAX_PARTITIONS } from '../../feed/check-partition.ts'
import type { Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlText } from '../sql.ts'

/** The tables' own counts add up to the most there can be; a table whose count is not known counts as none. */
export const mayBeTooMany = (counts: readonly (number | undefined)[]): boolean =>
  counts.reduce<number>((sum, count = 0) => sum + count, 0) > MAX_PARTITIONS

function sqlPartitionsOf({ projectId, datasetId, tableId }: TableRef): Sql {
  const view = { projectId, datasetId, tableId: 'INFORMATION_SCHEMA.PARTITIONS' }
  return sql`SELECT partition_id FROM ${view} WHERE table_name = ${sqlText(tableId)}`
}

/** Reads metadata only: docs.cloud.google.com/bigquery/docs/information-schema-partitions */
export function planCountPartitions(context: RunContext, tables: readonly TableRef[]): JobBody {
  const each = sqlJoin(tables.map(sqlPartitionsOf), '\n  UNION ALL\n  ')
  return planQuery(
    context,
    'inspect',
    sql`SELECT COUNT(DISTINCT partition_id) AS partitions\nFROM (\n  ${each}\n)`,
  )
}

/** Why the snapshots can't be applied, as one sentence without its full stop; `undefined` when they can. */
export function describeTooMany(
  { table: { partition } }: Feed,
  partitions: number,
): { readonly reason: string; readonly hint: string } | undefined {
  if (partitions <= MAX_PARTITIONS) return undefined
  const every = partition?.every ?? ''
  return {
    reason: `staging would have ${partitions} partitions by ${every}, and a job of BigQuery writes at most ${MAX_PARTITIONS}`,
    hint: `Partition by longer than a ${every}, or let partitions go with \`table.partition.keep\`.`,
  }
}
