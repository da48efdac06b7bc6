/** INFORMATION_SCHEMA views, made from the catalogue at the moment of the query. */
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry } from '../catalogue/entry.ts'
import { literal, sqlType } from '../catalogue/field.ts'
import { bytesOf } from '../catalogue/relation.ts'
import type { Deps } from '../jobs/run.ts'
import { checkProject, getDataset } from '../names.ts'
import { type Column, SqlError, type TableName, typeText } from '../sql/index.ts'
import { sqlJobs, sqlTimeline } from './information-jobs.ts'
import { type SqlRow, sqlRows, sqlTime } from './information-rows.ts'
import { shapes, toType, type ViewName } from './information-shapes.ts'
import { sqlPartitionRows } from './partitions.ts'

function viewOf(name: TableName): ViewName | undefined {
  const match = /^INFORMATION_SCHEMA\.(\w+)$/i.exec(name.table)
  if (!match) return undefined
  const wanted = match[1]?.toUpperCase().replace(/^(JOBS|JOBS_TIMELINE)_BY_(PROJECT|USER)$/, '$1')
  const found = Object.keys(shapes).find((key): key is ViewName => key === wanted)
  if (!found)
    throw new SqlError(
      'invalidQuery',
      `INFORMATION_SCHEMA.${match[1]} is not supported by the embedded BigQuery`,
    )
  return found
}

/** The view's columns, when the name is one of INFORMATION_SCHEMA. */
export function columnsOfView(name: TableName): readonly Column[] | undefined {
  const view = viewOf(name)
  if (!view) return undefined
  return Object.entries(shapes[view]).map(([column, type]) => ({
    name: column,
    type: toType(type),
  }))
}

const yesNo = (value: boolean) => (value ? "'YES'" : "'NO'")

function tableTypes(entry: TableEntry): string {
  if (entry.origin?.kind === 'clone') return 'CLONE'
  return { TABLE: 'BASE TABLE', VIEW: 'VIEW', SNAPSHOT: 'SNAPSHOT' }[entry.kind]
}

export function sqlNames(project: string, { dataset, table }: TableEntry): SqlRow {
  return { table_catalog: literal(project), table_schema: literal(dataset), table_name: literal(table) }
}

function tableRow(project: string, entry: TableEntry): SqlRow {
  const { origin } = entry
  const watermark = entry.upserts?.watermark
  const base: SqlRow = origin
    ? {
        base_table_catalog: literal(project),
        base_table_schema: literal(origin.of.dataset),
        base_table_name: literal(origin.of.table),
        snapshot_time_ms: sqlTime(origin.at),
      }
    : {}
  return {
    ...sqlNames(project, entry),
    ...base,
    table_type: literal(tableTypes(entry)),
    is_insertable_into: yesNo(entry.kind === 'TABLE'),
    creation_time: sqlTime(entry.created),
    ...(watermark === undefined ? {} : { upsert_stream_apply_watermark: sqlTime(watermark) }),
  }
}

function columnRows(project: string, entry: TableEntry): SqlRow[] {
  return entry.schema.map((field, i) => {
    const order = entry.clustering?.findIndex(name => name.toLowerCase() === field.name.toLowerCase()) ?? -1
    return {
      ...sqlNames(project, entry),
      column_name: literal(field.name),
      ordinal_position: String(i + 1),
      is_nullable: yesNo(field.mode !== 'REQUIRED'),
      data_type: literal(typeText(sqlType(field))),
      is_partitioning_column: yesNo(entry.partitioning?.column.toLowerCase() === field.name.toLowerCase()),
      column_default: literal(field.defaultValueExpression ?? 'NULL'),
      ...(order < 0 ? {} : { clustering_ordinal_position: String(order + 1) }),
    }
  })
}

function optionRows(project: string, entry: TableEntry): SqlRow[] {
  const rows: SqlRow[] = []
  const add = (name: string, type: string, value: string | undefined) => {
    if (value === undefined) return
    rows.push({
      ...sqlNames(project, entry),
      option_name: literal(name),
      option_type: literal(type),
      option_value: literal(value),
    })
  }
  const { labels, expirationTime, partitioning, description } = entry
  const days = partitioning?.expirationMs === undefined ? undefined : partitioning.expirationMs / 86_400_000
  add('partition_expiration_days', 'FLOAT64', days === undefined ? undefined : days.toFixed(1))
  const at = expirationTime === undefined ? undefined : new Date(expirationTime).toISOString()
  add('expiration_timestamp', 'TIMESTAMP', at && `TIMESTAMP "${at}"`)
  add('max_staleness', 'INTERVAL', entry.maxStaleness)
  add('description', 'STRING', description === undefined ? undefined : JSON.stringify(description))
  const pairs = Object.entries(labels ?? {}).map(
    ([k, v]) => `STRUCT(${JSON.stringify(k)}, ${JSON.stringify(v)})`,
  )
  add('labels', 'ARRAY<STRUCT<STRING, STRING>>', pairs.length > 0 ? `[${pairs.join(', ')}]` : undefined)
  return rows
}

/** DuckDB text for the view that a name stands for; `undefined` when it stands for none. */
export function sqlInformationSchema(
  deps: Pick<Deps, 'catalogue' | 'project'>,
  draft: Draft,
  name: TableName,
  standard: string | undefined,
): string | undefined {
  const view = viewOf(name)
  if (!view) return undefined
  const { catalogue, project } = deps
  checkProject(project, name.project)
  const dataset = name.dataset ?? standard
  const wide = dataset === undefined || /^region-/i.test(dataset)
  if (!wide) getDataset(project, draft, dataset)
  const datasets = wide ? catalogue.datasetIds() : [dataset]
  if (view === 'JOBS') return sqlJobs(deps)
  if (view === 'JOBS_TIMELINE') return sqlTimeline(deps)
  if (view === 'SCHEMATA')
    return sqlRows(
      shapes[view],
      datasets.map(id => schemaRow(project, draft, id)),
    )
  const tables = datasets.flatMap(id => draft.tablesOf(id)).filter(entry => !entry.anonymous)
  return sqlOfTables(project, draft, view, tables)
}

function sqlOfTables(
  project: string,
  draft: Draft,
  view: Exclude<ViewName, 'JOBS' | 'JOBS_TIMELINE' | 'SCHEMATA'>,
  tables: readonly TableEntry[],
): string {
  const shape = shapes[view]
  switch (view) {
    case 'TABLES':
      return sqlRows(
        shape,
        tables.map(entry => tableRow(project, entry)),
      )
    case 'COLUMNS':
      return sqlRows(
        shape,
        tables.flatMap(entry => columnRows(project, entry)),
      )
    case 'TABLE_OPTIONS':
      return sqlRows(
        shape,
        tables.flatMap(entry => optionRows(project, entry)),
      )
    case 'PARTITIONS': {
      const real = tables.filter(entry => entry.kind !== 'VIEW')
      const parts = real.map(entry => sqlPartitionRows(project, entry, draft, bytesOf(entry, draft)))
      return parts.length > 0 ? `(${parts.join(' UNION ALL ')})` : sqlRows(shape, [])
    }
  }
}

function schemaRow(project: string, draft: Draft, id: string): SqlRow {
  const entry = getDataset(project, draft, id)
  return {
    catalog_name: literal(project),
    schema_name: literal(id),
    location: literal(entry.location),
    creation_time: sqlTime(entry.created),
    last_modified_time: sqlTime(entry.modified),
  }
}
