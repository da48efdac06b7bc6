/** The tables of a feed and the DDL that makes them. */
import { columnInFiles, type Feed } from '../feed/feed.ts'
import type { TableRef } from '../feed/names.ts'
import { type SnapshotId, sqlSnapshotLiteral } from '../feed/snapshot-id.ts'
import { hashOf } from './ids.ts'
import { type RunContext, tableNameOf } from './job.ts'
import { sqlPartitionValue } from './partitions.ts'
import type { Warehouse } from './run-plan.ts'
import { type Sql, sql, sqlJoin, sqlLiteral, sqlName, sqlText, sqlType } from './sql.ts'

export const targetOf = ({ table: { datasetId, tableId } }: Feed, { projectId }: Warehouse): TableRef => ({
  projectId,
  datasetId,
  tableId,
})

export const stagingOf = (feed: Feed, { projectId, staging }: Warehouse): TableRef => ({
  projectId,
  datasetId: staging,
  tableId: tableNameOf(feed),
})

/** Two underscores: no feed's own name has them, so no other feed's staging is met. */
export const rollbackPointOf = ({ feed, run, warehouse }: RunContext): TableRef => ({
  projectId: warehouse.projectId,
  datasetId: warehouse.staging,
  tableId: `${tableNameOf(feed)}__${run}`,
})

export const landingOf = ({ feed, run, warehouse }: RunContext, snapshot: SnapshotId): TableRef => ({
  projectId: warehouse.projectId,
  datasetId: warehouse.landing,
  tableId: `${tableNameOf(feed)}__${run}_${hashOf(snapshot)}`,
})

/** What the snapshot of a landing table holds, partition by partition. */
export const printsOf = (context: RunContext, snapshot: SnapshotId): TableRef => {
  const landing = landingOf(context, snapshot)
  return { ...landing, tableId: `${landing.tableId}_prints` }
}

/** Tables of one run beside its landing tables: which partitions differ, and rows on their way to staging. */
export const scratchOf = (
  { feed, run, warehouse }: RunContext,
  what: 'changes' | 'merged' | 'kept',
): TableRef => ({
  projectId: warehouse.projectId,
  datasetId: warehouse.landing,
  tableId: `${tableNameOf(feed)}__${run}_${what}`,
})

/** What staging holds, partition by partition, as the run that wrote it last saw it. No run bears that name. */
export const fingerprintsOf = (feed: Feed, { projectId, staging }: Warehouse): TableRef => ({
  projectId,
  datasetId: staging,
  tableId: `${tableNameOf(feed)}__fingerprints`,
})

/** Keys that are gone, of a feed whose rows may delete them. No run bears that name. */
export const tombstonesOf = (feed: Feed, { projectId, staging }: Warehouse): TableRef => ({
  projectId,
  datasetId: staging,
  tableId: `${tableNameOf(feed)}__tombstones`,
})

/** The tombstones as they were at a rollback point. */
export const tombstonesAt = (rollbackPoint: TableRef): TableRef => ({
  ...rollbackPoint,
  tableId: `${rollbackPoint.tableId}_tombstones`,
})

/** The rows of a snapshot as texts, of a feed that lets bad rows pass. */
export function rawOf(context: RunContext, snapshot: SnapshotId): TableRef {
  const landing = landingOf(context, snapshot)
  return { ...landing, tableId: `${landing.tableId}_raw` }
}

/** Where the bad rows of all runs lie. Not a rollback point's name: a run's id is 16 hex digits. */
export const quarantineOf = (feed: Feed, { projectId, staging }: Warehouse): TableRef => ({
  projectId,
  datasetId: staging,
  tableId: `${tableNameOf(feed)}__quarantine`,
})

/**
 * What to write after FROM. Where a column bears the table's name, that name would mean the whole row; no column has
 * the alias: docs.cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#range_variables
 */
export function sqlFrom(feed: Feed, table: TableRef): Sql {
  const taken = namesOf(feed).has(table.tableId.toLowerCase())
  return taken ? sql`${table} AS ${sqlAlias(feed, 'rows_of_table')}` : sql`${table}`
}

const namesOf = ({ table: { columns } }: Feed) => new Set(columns.map(({ name }) => name.toLowerCase()))

/** A name that no column of the feed has. */
export function sqlAlias(feed: Feed, wish: string): Sql {
  const taken = namesOf(feed)
  let alias = wish
  while (taken.has(alias)) alias += '_'
  return sqlName(alias)
}

const sqlPartition = (feed: Feed): Sql => {
  const value = sqlPartitionValue(feed)
  return value ? sql`\nPARTITION BY ${value}` : sql``
}

const sqlCluster = ({ table: { cluster } }: Feed): Sql =>
  cluster.length > 0 ? sql`\nCLUSTER BY ${sqlJoin(cluster)}` : sql``

function sqlColumns(feed: Feed, snapshot?: SnapshotId): Sql {
  const { sequence } = feed.model
  const columns = feed.table.columns.map(column => {
    const { name, type, description } = snapshot === undefined ? column : columnInFiles(feed, column)
    const filled = snapshot !== undefined && sequence.from === 'snapshot' && sequence.columns.includes(name)
    const value = filled
      ? sql` DEFAULT ${sqlLiteral(sqlSnapshotLiteral(snapshot, feed.source.snapshot))}`
      : sql``
    const options =
      description !== undefined && !snapshot ? sql` OPTIONS(description = ${sqlText(description)})` : sql``
    return sql`  ${name} ${sqlType(type)}${value}${options}`
  })
  return sqlJoin(columns, ',\n')
}

/**
 * The landing table of one snapshot, laid out like staging, as a copy asks; its dataset lets it expire. A
 * default fills the snapshot's column: docs.cloud.google.com/bigquery/docs/default-values#load_data
 */
export function sqlCreateLanding(feed: Feed, table: TableRef, snapshot: SnapshotId): Sql {
  return sql`CREATE TABLE IF NOT EXISTS ${table} (\n${sqlColumns(feed, snapshot)}\n)${sqlPartition(feed)}${sqlCluster(feed)}`
}

export function sqlCreateStaging(feed: Feed, table: TableRef): Sql {
  const days = feed.table.partition?.keepDays
  const options = days === undefined ? sql`` : sql`\nOPTIONS(partition_expiration_days = ${days})`
  return sql`CREATE TABLE IF NOT EXISTS ${table} (\n${sqlColumns(feed)}\n)${sqlPartition(feed)}${sqlCluster(feed)}${options}`
}
