/** `tables` over REST. */
import type { Call, Route } from '../../server.ts'
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry, TableId } from '../catalogue/entry.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { knownRows, sqlRelation } from '../catalogue/relation.ts'
import { readNumber } from '../engine.ts'
import { BigQueryError, invalid, unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkLayout, samePartitioning, withDefaultExpiry } from '../jobs/write.ts'
import { checkProject, checkTableId, getDataset, getTable, parseReference, spell } from '../names.ts'
import { makeScope } from '../query/scope.ts'
import { resultSchema } from '../query/select.ts'
import { parseScript, translateQuery } from '../sql/index.ts'
import { page } from './page.ts'
import { type Json, readFlag, readRecord, readText, refuseOthers, required } from './read.ts'
import { parseSchema } from './schema.ts'
import {
  encodeTable,
  encodeTableItem,
  etagOf,
  parseClustering,
  parseDescription,
  parsePartitioning,
  parsePrimaryKey,
} from './table-resource.ts'

const served = [
  ...[
    'tableReference',
    'schema',
    'description',
    'friendlyName',
    'labels',
    'expirationTime',
    'timePartitioning',
  ],
  ...['rangePartitioning', 'clustering', 'tableConstraints', 'requirePartitionFilter', 'view'],
  // Written by clients that send a whole resource back; they are read-only.
  ...[
    'kind',
    'etag',
    'id',
    'selfLink',
    'type',
    'creationTime',
    'lastModifiedTime',
    'location',
    'numRows',
    'numBytes',
  ],
  ...['numLongTermBytes', 'numTotalLogicalBytes', 'cloneDefinition', 'snapshotDefinition'],
]

type Parsed = Partial<
  Pick<TableEntry, 'schema' | 'partitioning' | 'clustering' | 'primaryKey' | 'requirePartitionFilter'>
> &
  ReturnType<typeof parseDescription>

function parseTable(raw: Json): Parsed {
  refuseOthers(raw, served, 'table')
  const schema = parseSchema(raw)
  const partitioning = parsePartitioning(raw)
  const clustering = parseClustering(raw)
  const primaryKey = parsePrimaryKey(raw)
  const requirePartitionFilter = readFlag(raw, 'requirePartitionFilter')
  return {
    ...parseDescription(raw),
    ...(schema ? { schema } : {}),
    ...(partitioning ? { partitioning } : {}),
    ...(clustering ? { clustering } : {}),
    ...(primaryKey ? { primaryKey } : {}),
    ...(requirePartitionFilter === undefined ? {} : { requirePartitionFilter }),
  }
}

/** What a patch may do to a schema: add columns that can be NULL, relax REQUIRED, change descriptions and defaults. */
function checkSchemaChange(project: string, before: TableEntry, after: readonly Field[]): void {
  const wrong = `Provided Schema does not match Table ${spell(project, before)}.`
  for (const old of before.schema) {
    const now = findField(after, old.name)
    if (!now) throw invalid(`${wrong} Field ${old.name} is missing in new schema`)
    if (now.type !== old.type)
      throw invalid(`${wrong} Field ${old.name} has changed type from ${old.type} to ${now.type}`)
    const relaxed = old.mode === 'REQUIRED' && now.mode === 'NULLABLE'
    if (now.mode !== old.mode && !relaxed) {
      throw invalid(`${wrong} Field ${old.name} has changed mode from ${old.mode} to ${now.mode}`)
    }
  }
  for (const now of after) {
    if (now.mode === 'REQUIRED' && !findField(before.schema, now.name) && before.schema.length > 0) {
      throw invalid(`${wrong} Cannot add required fields to an existing schema. (field: ${now.name})`)
    }
  }
}

const removable: Readonly<Record<string, keyof TableEntry>> = {
  description: 'description',
  friendlyName: 'friendlyName',
  labels: 'labels',
  expirationTime: 'expirationTime',
  clustering: 'clustering',
  tableConstraints: 'primaryKey',
}

function patched(project: string, before: TableEntry, raw: Json): TableEntry {
  const parsed = parseTable(raw)
  if (parsed.schema) checkSchemaChange(project, before, parsed.schema)
  if (parsed.partitioning && !samePartitioning(before.partitioning, parsed.partitioning)) {
    throw invalid('Cannot change partitioning spec of an existing table.')
  }
  const gone = new Set<string>(
    Object.entries(removable).flatMap(([field, key]) => (raw[field] === null ? [key] : [])),
  )
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !gone.has(key)))
  const labels = parsed.labels && mergeLabels(before.labels, readRecord(raw, 'labels') ?? {})
  const after: TableEntry = { ...(kept as unknown as TableEntry), ...parsed, ...(labels ? { labels } : {}) }
  checkLayout(after.schema, after.partitioning, after.clustering)
  return after
}

function mergeLabels(before: TableEntry['labels'], sent: Json): Record<string, string> {
  const all = Object.entries({ ...before, ...sent })
  return Object.fromEntries(all.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))
}

function viewSchema(deps: Deps, draft: Draft, query: string): readonly Field[] {
  const [statement] = parseScript(query)
  if (statement?.kind !== 'select') throw invalid('A view must be one query')
  const scope = makeScope(deps, draft, undefined)
  try {
    return resultSchema(translateQuery(statement, scope, []))
  } finally {
    scope.release()
  }
}

function newTable(deps: Deps, draft: Draft, id: TableId, raw: Json) {
  const parsed = parseTable(raw)
  const view = readRecord(raw, 'view')
  if (view) {
    if (readFlag(view, 'useLegacySql') !== false) throw unsupported('A view in legacy SQL')
    const query = required(readText(view, 'query'), 'view.query')
    return {
      kind: 'VIEW' as const,
      ...id,
      ...parsed,
      schema: viewSchema(deps, draft, query),
      segments: [],
      view: query,
    }
  }
  const schema = parsed.schema ?? []
  checkLayout(schema, parsed.partitioning, parsed.clustering)
  const expiry = draft.dataset(id.dataset)?.defaultTableExpirationMs
  const { partitioning } = parsed
  return {
    kind: 'TABLE' as const,
    ...id,
    ...(expiry === undefined ? {} : { expirationTime: draft.now + expiry }),
    ...parsed,
    ...(partitioning ? { partitioning: withDefaultExpiry(draft, id.dataset, partitioning) } : {}),
    schema,
    segments: [],
  }
}

/** Rows that a reader sees; counted where partitions may have expired. */
export async function readRowCount(deps: Deps, entry: TableEntry, draft: Draft): Promise<number> {
  const known = knownRows(entry, draft)
  if (known !== undefined) return known
  const unpin = deps.catalogue.pin(entry.segments.map(ref => ref.segment))
  try {
    return await deps.engine.using(c =>
      readNumber(c, `SELECT count(*) FROM ${sqlRelation(entry, draft)} AS t`),
    )
  } finally {
    await unpin()
  }
}

export function makeTableRoutes(deps: Deps, url: () => string): Route[] {
  const { catalogue, project } = deps
  const path = '/bigquery/v2/projects/:project/datasets/:dataset/tables'
  const idOf = ({ params }: Call): TableId => {
    checkProject(project, params.project)
    return { dataset: params.dataset ?? '', table: params.table ?? '' }
  }
  const show = async (id: TableId) => {
    const draft = catalogue.view()
    const entry = getTable(project, draft, id)
    return encodeTable(project, entry, draft, url(), await readRowCount(deps, entry, draft))
  }
  const insert = async (call: Call) => {
    const raw = await call.body()
    const id = parseReference(project, required(readRecord(raw, 'tableReference'), 'tableReference'))
    checkProject(project, call.params.project)
    await catalogue.transact(draft => {
      getDataset(project, draft, id.dataset)
      checkTableId(id.table)
      if (draft.table(id)) throw new BigQueryError('duplicate', `Already Exists: Table ${spell(project, id)}`)
      draft.putTable(newTable(deps, draft, id, raw))
    })
    return show(id)
  }
  const patch = async (call: Call) => {
    const id = idOf(call)
    const raw = await call.body()
    const wanted = call.request.headers['if-match']
    await catalogue.transact(draft => {
      const before = getTable(project, draft, id)
      if (wanted !== undefined && wanted !== etagOf(before)) {
        throw new BigQueryError('conditionNotMet', 'Precondition check failed.')
      }
      draft.putTable(patched(project, before, raw))
    })
    return show(id)
  }
  const remove = async (call: Call) => {
    const id = idOf(call)
    await catalogue.transact(draft => {
      getTable(project, draft, id)
      draft.dropTable(id)
    })
    call.response.writeHead(204).end()
    return undefined
  }
  const list = (call: Call) => {
    const { dataset } = idOf(call)
    const draft = catalogue.view()
    getDataset(project, draft, dataset)
    const all = draft.tablesOf(dataset)
    const { items, nextPageToken } = page(all, call.url)
    const tables = items.map(entry => encodeTableItem(project, entry))
    return { kind: 'bigquery#tableList', etag: '""', tables, totalItems: all.length, nextPageToken }
  }
  // Row access policies can't be made here (CREATE ROW ACCESS POLICY is refused), so that there are none to list.
  const listPolicies = (call: Call) => {
    getTable(project, catalogue.view(), idOf(call))
    return { rowAccessPolicies: [] }
  }
  return [
    { method: 'GET', path: `${path}/:table/rowAccessPolicies`, handler: listPolicies },
    { method: 'POST', path, handler: insert },
    { method: 'GET', path, handler: list },
    { method: 'GET', path: `${path}/:table`, handler: call => show(idOf(call)) },
    { method: 'PATCH', path: `${path}/:table`, handler: patch },
    { method: 'PUT', path: `${path}/:table`, handler: patch },
    { method: 'DELETE', path: `${path}/:table`, handler: remove },
  ]
}
