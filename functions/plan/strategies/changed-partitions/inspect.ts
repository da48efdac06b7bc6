/** Strategy changed-partitions, stage inspect: a fingerprint of each partition, and which of them differ. */
import { sourceColumns } from '../../../feed/feed.ts'
import type { TableRef } from '../../../feed/names.ts'
import type { SnapshotId } from '../../../feed/snapshot-id.ts'
import { planQuery, type RunContext } from '../../job.ts'
import { sqlPartitionValue } from '../../partitions.ts'
import type { JobBody, PendingSnapshot, RunPlan } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText } from '../../sql.ts'
import { sqlCountKeys, sqlOutside, watchedColumns } from '../../stages/inspect.ts'
import { sqlCountBad } from '../../stages/quarantine.ts'
import { fingerprintsOf, landingOf, printsOf, scratchOf, sqlFrom } from '../../tables.ts'
import { layoutOf, MEASURES, sqlCreateFingerprints } from './fingerprints.ts'

const REPLACE = { createDisposition: 'CREATE_IF_NEEDED', writeDisposition: 'WRITE_TRUNCATE' } as const
const filled = (at: number) => sqlName(`filled_${at}`)

/**
 * One pass over landing. The hash of a row is summed in three parts: identical rows add up where an exclusive or would
 * cancel them, and no sum leaves INT64 below 2^41 rows. A sequence that is the snapshot id is not hashed: it is new
 * each time. One that is data is: docs/decisions/0013.
 */
export function sqlPrints({ feed }: RunContext, landing: TableRef): Sql {
  const columns = sourceColumns(feed).map(({ name }) => name)
  const watched = watchedColumns(feed)
  const inner = [
    sql`${sqlPartitionValue(feed) ?? sql`NULL`} AS partition_value`,
    sql`FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(${sqlJoin(columns)}))) AS row_hash`,
    sql`${sqlOutside(feed)} AS is_outside`,
    ...watched.map((name, at) => sql`${name} AS ${filled(at)}`),
  ]
  const counts = watched.map((_, at) => sql`COUNT(${filled(at)}) AS ${filled(at)}`)
  return sql`SELECT
  ${sqlJoin(
    [
      sql`IFNULL(CAST(partition_value AS STRING), '') AS partition_start`,
      sql`partition_value`,
      sql`COUNT(*) AS partition_rows`,
      sql`SUM(row_hash >> 43) AS high`,
      sql`SUM((row_hash >> 22) & 2097151) AS middle`,
      sql`SUM(row_hash & 4194303) AS low`,
      sql`COUNTIF(is_outside) AS outside_rows`,
      ...counts,
    ],
    ',\n  ',
  )}
FROM (
  SELECT
    ${sqlJoin(inner, ',\n    ')}
  FROM ${sqlFrom(feed, landing)}
)
GROUP BY partition_value`
}

/** A partition of the snapshot is `equal` only to a fingerprint of the run that wrote staging last. */
function sqlCompare(context: RunContext, snapshot: SnapshotId, known: Sql): Sql {
  const same = sqlJoin(
    MEASURES.map(name => sql`known.${sqlName(name)} = fresh.${sqlName(name)}`),
    ' AND ',
  )
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  fresh.partition_start,
  fresh.partition_value,
  ${sqlJoin(
    MEASURES.map(name => sql`fresh.${sqlName(name)}`),
    ',\n  ',
  )},
  fresh.outside_rows,
  IF(${same}, 'equal', 'changed') AS change,
  IFNULL(known.proven, FALSE) AS proven
FROM ${printsOf(context, snapshot)} AS fresh
LEFT JOIN (${known}) AS known ON known.partition_start = fresh.partition_start`
}

/** Partitions that the newest snapshot has no row of. */
function sqlVanished(context: RunContext, snapshot: SnapshotId, known: Sql): Sql {
  const prints = printsOf(context, snapshot)
  return sql`SELECT
  ${sqlText(snapshot)}, known.partition_start, NULL, ${sqlJoin(MEASURES.map(name => sql`known.${sqlName(name)}`))}, 0, 'vanished', known.proven
FROM (${known}) AS known
WHERE NOT EXISTS (SELECT 1 FROM ${prints} AS fresh WHERE fresh.partition_start = known.partition_start)`
}

export function sqlChanges(
  context: RunContext,
  snapshots: readonly SnapshotId[],
  previous: RunPlan['previous'],
): Sql {
  const { feed, warehouse } = context
  const known = sql`SELECT * FROM ${fingerprintsOf(feed, warehouse)} WHERE run = ${sqlText(previous?.run ?? '')} AND layout = ${sqlText(layoutOf(feed))}`
  const newest = snapshots.at(-1)
  return sqlJoin(
    [
      ...snapshots.map(id => sqlCompare(context, id, known)),
      ...(newest === undefined ? [] : [sqlVanished(context, newest, known)]),
    ],
    '\nUNION ALL\n',
  )
}

/** Keys of the partitions that differ: the others were looked at when they were written. */
function sqlCountChanged(context: RunContext, snapshot: string, tables: readonly TableRef[]): Sql {
  const { feed } = context
  const changes = scratchOf(context, 'changes')
  const by = feed.table.partition?.by
  const value = sqlPartitionValue(feed)
  if (!by || !value) throw new Error('a table without partitions')
  const keys = sqlJoin(feed.model.key)
  const changed = sql`SELECT partition_value FROM ${changes} WHERE change = 'changed' AND partition_value IS NOT NULL`
  const nulls = sql`EXISTS (SELECT 1 FROM ${changes} WHERE change = 'changed' AND partition_start = '')`
  const parts = tables.flatMap(table => [
    sql`SELECT ${keys} FROM ${sqlFrom(feed, table)} WHERE ${value} IN (${changed})`,
    sql`SELECT ${keys} FROM ${sqlFrom(feed, table)} WHERE ${by} IS NULL AND ${nulls}`,
  ])
  return sqlCountKeys(feed, snapshot, sql`(\n    ${sqlJoin(parts, '\n    UNION ALL\n    ')}\n  )`)
}

function sqlEmptyColumns(context: RunContext, snapshot: SnapshotId): Sql | undefined {
  const parts = watchedColumns(context.feed).map(
    (name, at) => sql`IF(IFNULL(SUM(${filled(at)}), 0) = 0, ${sqlText(`${name},`)}, '')`,
  )
  if (parts.length === 0) return undefined
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  CONCAT(
    ${sqlJoin(parts, ',\n    ')}
  ) AS empty_columns
FROM ${printsOf(context, snapshot)}`
}

/** The fingerprints first, then what differs, then the counts by which `verify` decides. */
export function planInspectChanges(
  context: RunContext,
  snapshots: readonly PendingSnapshot[],
  previous: RunPlan['previous'],
): JobBody[] {
  const { feed } = context
  const ids = snapshots.map(({ id }) => id)
  const query = (text: Sql, destinationTable?: TableRef) =>
    planQuery(context, 'inspect', text, destinationTable && { destinationTable, ...REPLACE })
  const tables = ids.map(id => landingOf(context, id))
  return [
    query(sqlCreateFingerprints(context)),
    ...ids.map((id, at) =>
      query(sqlPrints(context, tables[at] ?? landingOf(context, id)), printsOf(context, id)),
    ),
    query(sqlChanges(context, ids, previous), scratchOf(context, 'changes')),
    ...ids.flatMap(id => {
      const empty = sqlEmptyColumns(context, id)
      const counted = query(sqlCountChanged(context, id, [landingOf(context, id)]))
      const bad = feed.source.badRows === undefined ? [] : [query(sqlCountBad(context, id))]
      return [counted, ...(empty ? [query(empty)] : []), ...bad]
    }),
    ...(ids.length > 1 ? [query(sqlCountChanged(context, '', tables))] : []),
  ]
}
