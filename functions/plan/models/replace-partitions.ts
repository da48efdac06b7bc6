/** Whole partitions are replaced: a partition becomes the rows of the newest snapshot that has any of it. */
import type { Feed } from '../../feed/feed.ts'
import { compareSnapshots, type SnapshotId, sqlSnapshotLiteral } from '../../feed/snapshot-id.ts'
import { planQuery, type RunContext } from '../job.ts'
import { sqlPartitionValue } from '../partitions.ts'
import type { JobBody, PendingSnapshot, RunState } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlLiteral, sqlText } from '../sql.ts'
import { sqlOutside } from '../stages/inspect.ts'
import { landingOf, sqlAlias, sqlFrom, stagingOf } from '../tables.ts'
import { type RowsOf, sqlNewestRows, sqlRows } from './unique.ts'

const partitionOf = (feed: Feed): Sql => {
  const value = sqlPartitionValue(feed)
  if (!value) throw new Error('a table without partitions')
  return value
}
const START = sql`IFNULL(CAST(partition_value AS STRING), '')`

function sqlCovered(feed: Feed, snapshot: SnapshotId, landing: Sql): Sql {
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  ${START} AS covered_start,
  COUNT(*) AS covered_rows,
  COUNTIF(is_outside) AS outside_rows
FROM (
  SELECT ${partitionOf(feed)} AS partition_value, ${sqlOutside(feed)} AS is_outside
  FROM ${landing}
)
GROUP BY partition_value`
}

/** Partitions of staging with rows of a newer snapshot: they stay as they are. It reads two columns of staging. */
function sqlNewer({ feed, warehouse }: RunContext, snapshot: SnapshotId): Sql {
  const [column] = feed.model.sequence.columns
  if (!column) throw new Error('a table without a column for the snapshot')
  const id = sqlLiteral(sqlSnapshotLiteral(snapshot, feed.source.snapshot))
  return sql`SELECT ${sqlText(snapshot)} AS snapshot, ${START} AS newer_start
FROM (
  SELECT ${partitionOf(feed)} AS partition_value, ${column} AS partition_snapshot
  FROM ${sqlFrom(feed, stagingOf(feed, warehouse))}
)
GROUP BY partition_value
HAVING MAX(partition_snapshot) > ${id}`
}

/** Whether staging may have rows of a newer snapshot. */
function isLate({ source }: Feed, id: SnapshotId, { staging, last }: RunState): boolean {
  if (!staging || staging.rows === 0) return false
  return !last || compareSnapshots(id, last.newest, source.snapshot) < 0
}

/** Which partitions each snapshot has rows of; of a late one also those that are newer in staging. */
export function planCoverage(
  context: RunContext,
  snapshots: readonly PendingSnapshot[],
  state: RunState,
): JobBody[] {
  const { feed } = context
  const queries = snapshots.flatMap(({ id }) => [
    sqlCovered(feed, id, sqlFrom(feed, landingOf(context, id))),
    ...(isLate(feed, id, state) ? [sqlNewer(context, id)] : []),
  ])
  return queries.map(query => planQuery(context, 'inspect', query))
}

/** The rows of one snapshot: as they are where rows have no key, else the newest of each key. */
export const sqlOwnRows = (feed: Feed, rows: RowsOf, unique: boolean): Sql =>
  feed.model.key.length === 0 || unique ? sqlRows(feed, rows) : sqlNewestRows(feed, [rows])

/**
 * The whole table at once: of each partition the rows of the source with the newest snapshot, the later source where
 * two tie. Right whatever the snapshots cover, and reads and writes all of staging.
 */
export function planReplaceAll(
  context: RunContext,
  snapshots: readonly Pick<PendingSnapshot, 'id'>[],
): JobBody[] {
  const { feed, warehouse } = context
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const [arrival, rows] = [sqlAlias(feed, 'arrival'), sqlAlias(feed, 'newest')]
  const staging = sql`SELECT ${columns}, 0 AS ${arrival}\nFROM ${sqlFrom(feed, stagingOf(feed, warehouse))}`
  const landed = snapshots.map(
    ({ id }, at) =>
      sql`SELECT ${columns}, ${at + 1}\nFROM (\n${sqlOwnRows(feed, { table: landingOf(context, id) }, false)}\n) AS ${rows}`,
  )
  const order = sqlJoin([...feed.model.sequence.columns, arrival].map(name => sql`${name} DESC`))
  const query = sql`SELECT ${columns}
FROM (
${sqlJoin([staging, ...landed], '\nUNION ALL\n')}
)
QUALIFY ${arrival} = FIRST_VALUE(${arrival}) OVER (PARTITION BY ${partitionOf(feed)} ORDER BY ${order})`
  return [
    planQuery(context, 'deduplicate', query, {
      destinationTable: stagingOf(feed, warehouse),
      createDisposition: 'CREATE_NEVER',
      writeDisposition: 'WRITE_TRUNCATE_DATA',
    }),
  ]
}
