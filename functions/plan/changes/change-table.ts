/** The table of a change feed: the DDL that makes it, and what has to be altered when the feed has changed since. */
import type { ChangeFeed } from '../../feed/changes/change-feed.ts'
import type { TableRef } from '../../feed/names.ts'
import { sqlPartitionValue } from '../partitions.ts'
import type { TableColumn } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlName, sqlText, sqlType } from '../sql.ts'

/** What BigQuery says of a table that changes stream into. */
export interface ChangeTableFacts {
  readonly rows: number
  readonly columns: readonly TableColumn[]
  readonly primaryKey: readonly string[]
  readonly clustering: readonly string[]
  /** Seconds; 0 when unset: then every query merges what waits. */
  readonly maxStalenessSeconds: number
}

export interface TableProblem {
  readonly message: string
  readonly hint: string
}

export interface TableStep {
  readonly what: 'create' | 'add columns' | 'set max_staleness'
  readonly sql: Sql
}

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-definition-language#table_option_list */
export function sqlStaleness(seconds: number): Sql {
  return seconds % 60 === 0 ? sql`INTERVAL ${seconds / 60} MINUTE` : sql`INTERVAL ${seconds} SECOND`
}

export const changeTargetOf = (
  { table: { datasetId, tableId } }: ChangeFeed,
  { projectId }: { readonly projectId: string },
): TableRef => ({ projectId, datasetId, tableId })

const sqlColumn = ({ name, type, description }: ChangeFeed['table']['columns'][number]): Sql => {
  const options = description === undefined ? sql`` : sql` OPTIONS(description = ${sqlText(description)})`
  return sql`${name} ${sqlType(type)}${options}`
}

/** docs.cloud.google.com/bigquery/docs/change-data-capture#prerequisites */
export function sqlCreateChangeTable(feed: ChangeFeed, target: TableRef): Sql {
  const { table, key, refresh } = feed
  const value = sqlPartitionValue(feed)
  const partition = value ? sql`\nPARTITION BY ${value}` : sql``
  const columns = sqlJoin(
    [...table.columns.map(sqlColumn), sql`PRIMARY KEY (${sqlJoin(key)}) NOT ENFORCED`],
    ',\n  ',
  )
  const options = [
    sql`max_staleness = ${sqlStaleness(refresh.maxStalenessSeconds)}`,
    ...(table.partition?.keepDays === undefined
      ? []
      : [sql`partition_expiration_days = ${table.partition.keepDays}`]),
    ...(table.description === undefined ? [] : [sql`description = ${sqlText(table.description)}`]),
  ]
  return sql`CREATE TABLE IF NOT EXISTS ${target} (\n  ${columns}\n)${partition}\nCLUSTER BY ${sqlJoin(table.cluster)}\nOPTIONS(${sqlJoin(options)})`
}

export function sqlSetStaleness(target: TableRef, seconds: number): Sql {
  return sql`ALTER TABLE ${target} SET OPTIONS(max_staleness = ${sqlStaleness(seconds)})`
}

/** docs.cloud.google.com/bigquery/docs/change-data-capture#monitor_table_upsert_operation_progress */
export function sqlWatermark({ projectId, datasetId, tableId }: TableRef): Sql {
  const tables = sqlName(`${projectId}.${datasetId}.INFORMATION_SCHEMA.TABLES`)
  return sql`SELECT UNIX_MICROS(upsert_stream_apply_watermark) AS micros FROM ${tables} WHERE table_name = ${sqlText(tableId)}`
}

const lower = (names: readonly string[]) => names.map(name => name.toLowerCase())
const canonical = (type: string) => type.replaceAll(' ', '')

function findTypeProblem(feed: ChangeFeed, facts: ChangeTableFacts): TableProblem | undefined {
  const types = new Map(facts.columns.map(({ name, type }) => [name.toLowerCase(), canonical(type)]))
  for (const { name, type } of feed.table.columns) {
    const has = types.get(name.toLowerCase())
    if (has !== undefined && has !== canonical(type))
      return {
        message: `column ${name} of the table is ${has}, and the feed says ${type}`,
        hint: 'Correct the feed, or make the table anew.',
      }
  }
  const named = new Set(lower(feed.table.columns.map(({ name }) => name)))
  const gone = facts.columns.find(({ name }) => !named.has(name.toLowerCase()))
  return gone
    ? {
        message: `the table has the column ${gone.name}, which the feed does not name, so every upsert would empty it`,
        hint: 'Name it in the feed, or drop it from the table.',
      }
    : undefined
}

/** Why changes can't stream into the table as it is. */
export function findTableProblem(feed: ChangeFeed, facts: ChangeTableFacts): TableProblem | undefined {
  const [has, wants] = [lower(facts.primaryKey).toSorted(), lower(feed.key).toSorted()]
  if (has.length === 0)
    return {
      message: 'the table has no primary key, and changes are applied by it',
      hint: `Make the table anew, or ALTER TABLE … ADD PRIMARY KEY (${feed.key.join(', ')}) NOT ENFORCED.`,
    }
  if (has.join() !== wants.join())
    return {
      message: `the table's primary key is ${facts.primaryKey.join(', ')}, and the feed's key ${feed.key.join(', ')}`,
      hint: 'A key is never changed under changes that wait; give the feed another table.',
    }
  return findTypeProblem(feed, facts)
}

/** What brings the table to what the feed says, in order; empty when it is that already. */
export function planTable(
  feed: ChangeFeed,
  target: TableRef,
  facts: ChangeTableFacts | undefined,
): readonly TableStep[] {
  if (!facts) return [{ what: 'create', sql: sqlCreateChangeTable(feed, target) }]
  const has = new Set(lower(facts.columns.map(({ name }) => name)))
  const added = feed.table.columns.filter(({ name }) => !has.has(name.toLowerCase()))
  const adds = sqlJoin(added.map(column => sql`ADD COLUMN IF NOT EXISTS ${sqlColumn(column)}`))
  const seconds = feed.refresh.maxStalenessSeconds
  return [
    ...(added.length > 0 ? [{ what: 'add columns' as const, sql: sql`ALTER TABLE ${target} ${adds}` }] : []),
    ...(facts.maxStalenessSeconds === seconds
      ? []
      : [{ what: 'set max_staleness' as const, sql: sqlSetStaleness(target, seconds) }]),
  ]
}
