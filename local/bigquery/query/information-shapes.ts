/** The columns of each INFORMATION_SCHEMA view that is served: a part of those that BigQuery has, named and typed as there. */
import type { ScalarName, SqlType } from '../sql/index.ts'

/** By column, its type, or the fields of a STRUCT. */
export type Shape = Readonly<Record<string, ScalarName | Readonly<Record<string, ScalarName>>>>

export function toType(type: Shape[string]): SqlType {
  if (typeof type === 'string') return { kind: 'scalar', name: type }
  const fields = Object.entries(type).map(([name, of]) => ({ name, type: toType(of) }))
  return { kind: 'struct', fields }
}

export const shapes = {
  SCHEMATA: {
    catalog_name: 'STRING',
    schema_name: 'STRING',
    location: 'STRING',
    creation_time: 'TIMESTAMP',
    last_modified_time: 'TIMESTAMP',
  },
  TABLES: {
    table_catalog: 'STRING',
    table_schema: 'STRING',
    table_name: 'STRING',
    table_type: 'STRING',
    is_insertable_into: 'STRING',
    creation_time: 'TIMESTAMP',
    base_table_catalog: 'STRING',
    base_table_schema: 'STRING',
    base_table_name: 'STRING',
    snapshot_time_ms: 'TIMESTAMP',
    upsert_stream_apply_watermark: 'TIMESTAMP',
  },
  COLUMNS: {
    table_catalog: 'STRING',
    table_schema: 'STRING',
    table_name: 'STRING',
    column_name: 'STRING',
    ordinal_position: 'INT64',
    is_nullable: 'STRING',
    data_type: 'STRING',
    is_partitioning_column: 'STRING',
    clustering_ordinal_position: 'INT64',
    column_default: 'STRING',
  },
  TABLE_OPTIONS: {
    table_catalog: 'STRING',
    table_schema: 'STRING',
    table_name: 'STRING',
    option_name: 'STRING',
    option_type: 'STRING',
    option_value: 'STRING',
  },
  PARTITIONS: {
    table_catalog: 'STRING',
    table_schema: 'STRING',
    table_name: 'STRING',
    partition_id: 'STRING',
    total_rows: 'INT64',
    total_logical_bytes: 'INT64',
    last_modified_time: 'TIMESTAMP',
    storage_tier: 'STRING',
  },
  JOBS: {
    project_id: 'STRING',
    job_id: 'STRING',
    job_type: 'STRING',
    statement_type: 'STRING',
    state: 'STRING',
    creation_time: 'TIMESTAMP',
    start_time: 'TIMESTAMP',
    end_time: 'TIMESTAMP',
    query: 'STRING',
    total_bytes_processed: 'INT64',
    total_bytes_billed: 'INT64',
    total_slot_ms: 'INT64',
    user_email: 'STRING',
    reservation_id: 'STRING',
    edition: 'STRING',
    destination_table: { project_id: 'STRING', dataset_id: 'STRING', table_id: 'STRING' },
  },
  JOBS_TIMELINE: {
    period_start: 'TIMESTAMP',
    period_slot_ms: 'INT64',
    project_id: 'STRING',
    user_email: 'STRING',
    job_id: 'STRING',
    job_type: 'STRING',
    statement_type: 'STRING',
    job_creation_time: 'TIMESTAMP',
    job_start_time: 'TIMESTAMP',
    job_end_time: 'TIMESTAMP',
    state: 'STRING',
    reservation_id: 'STRING',
    edition: 'STRING',
    total_bytes_billed: 'INT64',
    total_bytes_processed: 'INT64',
  },
} as const satisfies Record<string, Shape>
export type ViewName = keyof typeof shapes
