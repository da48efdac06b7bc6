/** A table in REST's form (`Table`): written from the catalogue, and the writable part read from requests. */
import type { Draft } from '../catalogue/draft.ts'
import type { Partitioning, TableEntry, TableId } from '../catalogue/entry.ts'
import { bytesOf } from '../catalogue/relation.ts'
import { checkStaleness } from '../changes/staleness.ts'
import { unsupported } from '../errors.ts'
import {
  type Json,
  readChoice,
  readInteger,
  readLabels,
  readRecord,
  readText,
  readTexts,
  refuseOthers,
  required,
} from './read.ts'
import { encodeSchema } from './schema.ts'

const units = ['HOUR', 'DAY', 'MONTH', 'YEAR'] as const

/** `timePartitioning` and `rangePartitioning` of a table or a job. */
export function parsePartitioning(from: Json): Partitioning | undefined {
  const time = readRecord(from, 'timePartitioning')
  if (time) {
    refuseOthers(time, ['type', 'field', 'expirationMs', 'requirePartitionFilter'], 'timePartitioning')
    const column = readText(time, 'field')
    if (column === undefined)
      throw unsupported('Partitioning by ingestion time (timePartitioning without field)')
    const unit = required(readChoice(time, 'type', units), 'timePartitioning.type')
    const expirationMs = readInteger(time, 'expirationMs')
    return { kind: 'time', column, unit, ...(expirationMs ? { expirationMs } : {}) }
  }
  const range = readRecord(from, 'rangePartitioning')
  if (!range) return undefined
  const bounds = required(readRecord(range, 'range'), 'rangePartitioning.range')
  const bound = (name: string) => required(readInteger(bounds, name), `rangePartitioning.range.${name}`)
  const column = required(readText(range, 'field'), 'rangePartitioning.field')
  return {
    kind: 'range',
    column,
    range: { start: bound('start'), end: bound('end'), interval: bound('interval') },
  }
}

export function parseClustering(from: Json): string[] | undefined {
  const clustering = readRecord(from, 'clustering')
  return clustering && readTexts(clustering, 'fields')
}

export function parsePrimaryKey(from: Json): string[] | undefined {
  const constraints = readRecord(from, 'tableConstraints')
  if (!constraints) return undefined
  refuseOthers(constraints, ['primaryKey'], 'tableConstraints')
  const key = readRecord(constraints, 'primaryKey')
  return key && readTexts(key, 'columns')
}

export function encodePartitioning(partitioning: Partitioning | undefined): Json {
  if (!partitioning) return {}
  const { kind, column, unit, expirationMs, range } = partitioning
  if (kind === 'range' && range) {
    const bounds = { start: String(range.start), end: String(range.end), interval: String(range.interval) }
    return { rangePartitioning: { field: column, range: bounds } }
  }
  const expiry = expirationMs === undefined ? {} : { expirationMs: String(expirationMs) }
  return { timePartitioning: { type: unit, field: column, ...expiry } }
}

export function encodeReference(project: string, { dataset, table }: TableId) {
  return { projectId: project, datasetId: dataset, tableId: table }
}

function encodeOrigin(project: string, { origin }: TableEntry): Json {
  if (!origin) return {}
  const at = new Date(origin.at).toISOString()
  const base = encodeReference(project, origin.of)
  return origin.kind === 'clone'
    ? { cloneDefinition: { baseTableReference: base, cloneTime: at } }
    : { snapshotDefinition: { baseTableReference: base, snapshotTime: at } }
}

/** Of a table, what people write about it. `null` in a patch removes. */
export function parseDescription(from: Json) {
  const description = readText(from, 'description')
  const friendlyName = readText(from, 'friendlyName')
  const labels = readLabels(from, 'labels')
  const expirationTime = readInteger(from, 'expirationTime')
  const maxStaleness = checkStaleness(readText(from, 'maxStaleness'))
  return {
    ...(description === undefined ? {} : { description }),
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(labels === undefined ? {} : { labels }),
    ...(expirationTime ? { expirationTime } : {}),
    ...(maxStaleness === undefined ? {} : { maxStaleness }),
  }
}

export function etagOf(entry: { created: number; version: number }): string {
  return `"${entry.created.toString(36)}.${entry.version}"`
}

/** The part of a table that lists show. */
export function encodeTableItem(project: string, entry: TableEntry): Json {
  const { dataset, table, kind, labels, friendlyName, expirationTime, clustering } = entry
  return {
    kind: 'bigquery#table',
    id: `${project}:${dataset}.${table}`,
    tableReference: encodeReference(project, entry),
    type: kind,
    creationTime: String(entry.created),
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(labels === undefined ? {} : { labels }),
    ...(expirationTime === undefined ? {} : { expirationTime: String(expirationTime) }),
    ...encodePartitioning(entry.partitioning),
    ...(clustering?.length ? { clustering: { fields: clustering } } : {}),
    ...(entry.view === undefined ? {} : { view: { useLegacySql: false, query: entry.view } }),
    ...encodeOrigin(project, entry),
  }
}

/** `rows` is what a reader sees now. */
export function encodeTable(
  project: string,
  entry: TableEntry,
  draft: Draft,
  url: string,
  rows: number,
): Json {
  const { dataset, table, primaryKey, description } = entry
  const bytes = String(bytesOf(entry, draft))
  const size = { numRows: String(rows), numBytes: bytes, numLongTermBytes: '0', numTotalLogicalBytes: bytes }
  return {
    ...encodeTableItem(project, entry),
    etag: etagOf(entry),
    selfLink: `${url}/bigquery/v2/projects/${project}/datasets/${dataset}/tables/${table}`,
    schema: encodeSchema(entry.schema),
    lastModifiedTime: String(entry.modified),
    location: draft.dataset(dataset)?.location,
    ...(description === undefined ? {} : { description }),
    ...(entry.kind === 'VIEW' ? {} : size),
    ...(entry.maxStaleness === undefined ? {} : { maxStaleness: entry.maxStaleness }),
    ...(entry.requirePartitionFilter ? { requirePartitionFilter: true } : {}),
    ...(primaryKey?.length ? { tableConstraints: { primaryKey: { columns: primaryKey } } } : {}),
  }
}
