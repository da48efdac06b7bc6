/** INFORMATION_SCHEMA.PARTITIONS of one table: counted from its rows. */
import type { Draft } from '../catalogue/draft.ts'
import type { Partitioning, TableEntry } from '../catalogue/entry.ts'
import { literal, quote } from '../catalogue/field.ts'
import { rowsOf, sqlPartitionStart, sqlRelation } from '../catalogue/relation.ts'

const formats = { HOUR: '%Y%m%d%H', DAY: '%Y%m%d', MONTH: '%Y%m', YEAR: '%Y' } as const

/** The partition id of a row, as BigQuery names partitions. */
function sqlPartitionId(partitioning: Partitioning | undefined): string {
  if (!partitioning) return 'NULL::VARCHAR'
  const column = quote(partitioning.column)
  const { range } = partitioning
  if (!range) {
    const format = formats[partitioning.unit ?? 'DAY']
    return `coalesce(strftime(${sqlPartitionStart(partitioning)}, '${format}'), '__NULL__')`
  }
  const { start, end, interval } = range
  const id = `${start} + ((${column} - ${start}) // ${interval}) * ${interval}`
  return `CASE WHEN ${column} IS NULL THEN '__NULL__' WHEN ${column} < ${start} OR ${column} >= ${end} THEN '__UNPARTITIONED__' ELSE (${id})::VARCHAR END`
}

/** Bytes are the table's, shared out by rows. */
export function sqlPartitionRows(project: string, entry: TableEntry, draft: Draft, bytes: number): string {
  const rows = rowsOf(entry.segments, draft)
  const width = rows === 0 ? 0 : bytes / rows
  const id = sqlPartitionId(entry.partitioning)
  const from = sqlRelation(entry, draft)
  return [
    `SELECT ${literal(project)} AS table_catalog, ${literal(entry.dataset)} AS table_schema`,
    `${literal(entry.table)} AS table_name, partition_id, total_rows`,
    `round(total_rows * ${width})::BIGINT AS total_logical_bytes`,
    `make_timestamptz(${entry.modified * 1000}) AS last_modified_time`,
    `'ACTIVE' AS storage_tier FROM (SELECT ${id} AS partition_id, count(*) AS total_rows FROM ${from} AS t GROUP BY 1)`,
  ].join(', ')
}
