/** What `tables.insert` and `tables.patch` make of a table: checked, then an entry of the catalogue. */
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry, TableId } from '../catalogue/entry.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { invalid, unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkLayout, samePartitioning, withDefaultExpiry } from '../jobs/write.ts'
import { spell } from '../names.ts'
import { makeScope } from '../query/scope.ts'
import { resultSchema } from '../query/select.ts'
import { parseScript, translateQuery } from '../sql/index.ts'
import { type Json, readFlag, readRecord, readText, refuseOthers, required } from './read.ts'
import { parseSchema } from './schema.ts'
import { parseClustering, parseDescription, parsePartitioning, parsePrimaryKey } from './table-resource.ts'

const served = [
  ...[
    'tableReference',
    'schema',
    'description',
    'friendlyName',
    'labels',
    'expirationTime',
    'maxStaleness',
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
  maxStaleness: 'maxStaleness',
  clustering: 'clustering',
  tableConstraints: 'primaryKey',
}

/** The entry after a patch; `null` takes a field away. */
export function patched(project: string, before: TableEntry, raw: Json): TableEntry {
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

/** The entry that `tables.insert` asks for. */
export function newTable(deps: Deps, draft: Draft, id: TableId, raw: Json) {
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
