/** Strategy changed-partitions, stage inspect: a fingerprint of each partition, and which of them differ. */
import { type Feed, sourceColumns } from '../../../feed/feed.ts'
import type { Identifier, TableRef } from '../../../feed/names.ts'
import type { SnapshotId } from '../../../feed/snapshot-id.ts'
import { planQuery, type RunContext } from '../../job.ts'
import { type PartitionStart, sqlPartitionValue } from '../../partitions.ts'
import type { JobBody, PendingSnapshot, RunPlan } from '../../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText } from '../../sql.ts'
import { sqlCountKeys, sqlOutside, watchedColumns } from '../../stages/inspect.ts'
import { sqlCountBad } from '../../stages/quarantine.ts'
import { fingerprintsOf, landingOf, printsOf, scratchOf, sqlAlias, sqlFrom } from '../../tables.ts'
import { KEY_MEASURES, layoutOf, MEASURES, sqlCreateFingerprints } from './fingerprints.ts'

const REPLACE = { createDisposition: 'CREATE_IF_NEEDED', writeDisposition: 'WRITE_TRUNCATE' } as const
const filled = (at: number) => sqlName(`filled_${at}`)

const sqlHash = (columns: readonly (Identifier | Sql)[]) =>
  sql`FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(${sqlJoin(columns)})))`

/**
 * A hash summed in three parts: what is identical adds up where an exclusive or would cancel it, and no sum leaves INT64
 * below 2^41 rows.
 */
const sqlSums = (hash: Sql, [high, middle, low]: readonly [Sql, Sql, Sql]): Sql[] => [
  sql`SUM(${hash} >> 43) AS ${high}`,
  sql`SUM((${hash} >> 22) & 2097151) AS ${middle}`,
  sql`SUM(${hash} & 4194303) AS ${low}`,
]

/** A partition that is no longer than a day lies outside of the window with all of its rows, or with none. */
const isWithinDay = ({ table: { partition } }: Feed) =>
  partition?.every === 'day' || partition?.every === 'hour'

/**
 * What is summed of each row of landing. Its hash is made of that of its key, which so is read once. A sequence that is the
 * snapshot id is not hashed: it is new each time. One that is data is: docs/decisions/0013.
 */
function sqlHashed(feed: Feed, landing: TableRef): Sql {
  const values = sourceColumns(feed)
    .map(({ name }) => name)
    .filter(name => !feed.model.key.includes(name))
  const [part, key, outside] = ['part', 'key', 'outside'].map(name => sqlAlias(feed, `hashed_${name}`))
  if (!part || !key || !outside) throw new Error('three names')
  const read = [
    sql`${sqlPartitionValue(feed) ?? sql`NULL`} AS ${part}`,
    sql`${sqlHash(feed.model.key)} AS ${key}`,
    ...(isWithinDay(feed) ? [] : [sql`${sqlOutside(feed)} AS ${outside}`]),
    ...values,
  ]
  const hashed = [
    sql`${part} AS partition_value`,
    sql`${key} AS key_hash`,
    sql`${sqlHash([key, ...values])} AS row_hash`,
    ...(isWithinDay(feed) ? [] : [sql`${outside} AS is_outside`]),
    ...watchedColumns(feed).map((name, at) => sql`${name} AS ${filled(at)}`),
  ]
  return sql`  SELECT
    ${sqlJoin(hashed, ',\n    ')}
  FROM (
    SELECT
      ${sqlJoin(read, ',\n      ')}
    FROM ${sqlFrom(feed, landing)}
  )`
}

/** One pass over landing. */
export function sqlPrints({ feed }: RunContext, landing: TableRef): Sql {
  const outside = isWithinDay(feed)
    ? sql`IF(${sqlOutside(feed, sql`partition_value`)}, COUNT(*), 0)`
    : sql`COUNTIF(is_outside)`
  const measured = [
    sql`IFNULL(CAST(partition_value AS STRING), '') AS partition_start`,
    sql`partition_value`,
    sql`COUNT(*) AS partition_rows`,
    ...sqlSums(sql`row_hash`, [sql`high`, sql`middle`, sql`low`]),
    ...sqlSums(sql`key_hash`, [sql`key_high`, sql`key_middle`, sql`key_low`]),
    sql`${outside} AS outside_rows`,
    ...watchedColumns(feed).map((_, at) => sql`COUNT(${filled(at)}) AS ${filled(at)}`),
  ]
  return sql`SELECT
  ${sqlJoin(measured, ',\n  ')}
FROM (
${sqlHashed(feed, landing)}
)
GROUP BY partition_value`
}

const sqlAgree = (names: readonly string[]) =>
  sqlJoin(
    names.map(name => sql`known.${sqlName(name)} = fresh.${sqlName(name)}`),
    ' AND ',
  )
const sqlMeasures = (of: Sql) =>
  sqlJoin(
    [...MEASURES, ...KEY_MEASURES].map(name => sql`${of}.${sqlName(name)}`),
    ', ',
  )

/**
 * A partition of the snapshot is `equal` only to a fingerprint of the run that wrote staging last. It has the `same_keys`
 * where those of that fingerprint are the same and were found to be in one row each: then these are, too.
 */
function sqlCompare(context: RunContext, snapshot: SnapshotId, known: Sql, sameKeys: Sql): Sql {
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  fresh.partition_start,
  fresh.partition_value,
  ${sqlMeasures(sql`fresh`)},
  fresh.outside_rows,
  IF(${sqlAgree(MEASURES)}, 'equal', 'changed') AS change,
  IFNULL(known.proven, FALSE) AS proven,
  ${sameKeys} AS same_keys,
  known.staging_rows
FROM ${printsOf(context, snapshot)} AS fresh
LEFT JOIN (${known}) AS known ON known.partition_start = fresh.partition_start`
}

/** Partitions that the newest snapshot has no row of; or has, in objects that were not loaded since they are the same. */
function sqlVanished(
  context: RunContext,
  snapshot: SnapshotId,
  known: Sql,
  skipped: readonly PartitionStart[],
): Sql {
  const prints = printsOf(context, snapshot)
  const starts = sqlJoin(skipped.map(sqlText))
  const change =
    skipped.length > 0 ? sql`IF(known.partition_start IN (${starts}), 'equal', 'vanished')` : sql`'vanished'`
  return sql`SELECT
  ${sqlText(snapshot)}, known.partition_start, NULL, ${sqlMeasures(sql`known`)}, 0, ${change}, known.proven, FALSE, known.staging_rows
FROM (${known}) AS known
WHERE NOT EXISTS (SELECT 1 FROM ${prints} AS fresh WHERE fresh.partition_start = known.partition_start)`
}

export function sqlChanges(
  context: RunContext,
  snapshots: readonly SnapshotId[],
  previous: RunPlan['previous'],
  skipped: readonly PartitionStart[],
): Sql {
  const { feed, warehouse } = context
  const known = sql`SELECT * FROM ${fingerprintsOf(feed, warehouse)} WHERE run = ${sqlText(previous?.run ?? '')} AND layout = ${sqlText(layoutOf(feed))}`
  const newest = snapshots.at(-1)
  // Keys that each of several snapshots has once are in several rows of all together.
  const sameKeys =
    snapshots.length > 1
      ? sql`FALSE`
      : sql`IFNULL(known.proven AND ${sqlAgree(['partition_rows', ...KEY_MEASURES])}, FALSE)`
  return sqlJoin(
    [
      ...snapshots.map(id => sqlCompare(context, id, known, sameKeys)),
      ...(newest === undefined ? [] : [sqlVanished(context, newest, known, skipped)]),
    ],
    '\nUNION ALL\n',
  )
}

/** Keys of the partitions that differ, but for those that have the same keys: these were counted when they were written. */
function sqlCountChanged(context: RunContext, snapshot: string, tables: readonly TableRef[]): Sql {
  const { feed } = context
  const changes = scratchOf(context, 'changes')
  const by = feed.table.partition?.by
  const value = sqlPartitionValue(feed)
  if (!by || !value) throw new Error('a table without partitions')
  const keys = sqlJoin(feed.model.key)
  const changed = sql`SELECT partition_value FROM ${changes} WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL`
  const nulls = sql`EXISTS (SELECT 1 FROM ${changes} WHERE change = 'changed' AND NOT same_keys AND partition_start = '')`
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
  skipped: readonly PartitionStart[] = [],
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
    query(sqlChanges(context, ids, previous, skipped), scratchOf(context, 'changes')),
    ...ids.flatMap(id => {
      // A part of a snapshot says nothing of its columns.
      const empty = skipped.length > 0 ? undefined : sqlEmptyColumns(context, id)
      const counted = query(sqlCountChanged(context, id, [landingOf(context, id)]))
      const bad = feed.source.badRows === undefined ? [] : [query(sqlCountBad(context, id))]
      return [counted, ...(empty ? [query(empty)] : []), ...bad]
    }),
    ...(ids.length > 1 ? [query(sqlCountChanged(context, '', tables))] : []),
  ]
}
