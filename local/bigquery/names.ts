/** Table and dataset names: read from references, resolved, and spelled as BigQuery's messages do. */
import type { Draft } from './catalogue/draft.ts'
import type { DatasetEntry, TableEntry, TableId } from './catalogue/entry.ts'
import { BigQueryError, invalid } from './errors.ts'
import { type Json, readText, required } from './rest/read.ts'
import type { TableName } from './sql/index.ts'

/** https://cloud.google.com/bigquery/docs/datasets#dataset-naming */
export function checkDatasetId(id: string): string {
  if (!/^\w{1,1024}$/.test(id)) {
    throw invalid(
      `Invalid dataset ID "${id}". Dataset IDs must be alphanumeric (plus underscores) and must be at most 1024 characters long.`,
    )
  }
  return id
}

/** https://cloud.google.com/bigquery/docs/tables#table_naming */
export function checkTableId(id: string): string {
  if (!/^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}\p{Zs}]+$/u.test(id) || Buffer.byteLength(id) > 1024) {
    throw invalid(
      `Invalid table ID "${id}". Table IDs must be alphanumeric (plus underscores) and must be at most 1024 characters long. Also, Table decorators cannot be used.`,
    )
  }
  return id
}

export function spell(project: string, { dataset, table }: TableId): string {
  return `${project}:${dataset}.${table}`
}

export function tableNotFound(project: string, id: TableId): BigQueryError {
  return new BigQueryError('notFound', `Not found: Table ${spell(project, id)}`)
}

export function checkProject(project: string, named: string | undefined): void {
  if (named === undefined || named === project) return
  throw new BigQueryError('notFound', `Not found: Project ${named}`)
}

export function getDataset(project: string, draft: Draft, id: string): DatasetEntry {
  const entry = draft.dataset(id)
  if (!entry) throw new BigQueryError('notFound', `Not found: Dataset ${project}:${id}`)
  return entry
}

/** The dataset is looked up first, as BigQuery does. */
export function getTable(project: string, draft: Draft, id: TableId): TableEntry {
  const entry = draft.table(id)
  if (entry) return entry
  getDataset(project, draft, id.dataset)
  throw tableNotFound(project, id)
}

/** A `TableReference`. */
export function parseReference(project: string, from: Json): TableId {
  checkProject(project, readText(from, 'projectId'))
  const dataset = required(readText(from, 'datasetId'), 'datasetId')
  return { dataset, table: required(readText(from, 'tableId'), 'tableId') }
}

/** A name in SQL; `standard` is the default dataset. */
export function resolveName(project: string, name: TableName, standard: string | undefined): TableId {
  checkProject(project, name.project)
  const dataset = name.dataset ?? standard
  if (dataset === undefined) {
    throw invalid(`Table "${name.table}" must be qualified with a dataset (e.g. dataset.table).`, 'query')
  }
  return { dataset, table: name.table }
}
