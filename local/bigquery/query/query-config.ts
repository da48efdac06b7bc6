/** `configuration.query`, read with every field checked: what isn't served is refused. */
import { invalid, unsupported } from '../errors.ts'
import { createDispositions, type WriteSpec, writeDispositions } from '../jobs/write.ts'
import { checkProject, parseReference } from '../names.ts'
import {
  type Json,
  readChoice,
  readFlag,
  readRecord,
  readRecords,
  readText,
  refuseOthers,
  required,
} from '../rest/read.ts'
import { parseClustering, parsePartitioning } from '../rest/table-resource.ts'
import type { QueryParameter } from '../sql/index.ts'
import { parseParameter } from './parameter.ts'

export interface QueryConfig {
  readonly query: string
  readonly defaultDataset: string | undefined
  readonly parameters: readonly QueryParameter[]
  readonly destination?: Omit<WriteSpec, 'schema'>
}

const served = [
  'query',
  'useLegacySql',
  'defaultDataset',
  'destinationTable',
  'writeDisposition',
  'createDisposition',
  'timePartitioning',
  'rangePartitioning',
  'clustering',
  'queryParameters',
  'parameterMode',
  // These change how a query is run or billed on Google Cloud, and nothing about its result.
  'priority',
  'useQueryCache',
  'allowLargeResults',
  'flattenResults',
  'maximumBytesBilled',
  'createSession',
]

function parseDestination(project: string, raw: Json): Omit<WriteSpec, 'schema'> | undefined {
  const table = readRecord(raw, 'destinationTable')
  const write = readChoice(raw, 'writeDisposition', writeDispositions)
  const create = readChoice(raw, 'createDisposition', createDispositions)
  if (!table || Object.keys(table).length === 0) return undefined
  return {
    id: parseReference(project, table),
    write: write ?? 'WRITE_EMPTY',
    create: create ?? 'CREATE_IF_NEEDED',
    partitioning: parsePartitioning(raw),
    clustering: parseClustering(raw),
  }
}

/** Legacy SQL is the API's default, so that it must be switched off by hand. */
export function parseQueryConfig(project: string, raw: Json): QueryConfig {
  refuseOthers(raw, served, 'configuration.query')
  if (readFlag(raw, 'useLegacySql') !== false) throw unsupported('Legacy SQL (set useLegacySql to false: it)')
  if (readFlag(raw, 'createSession')) throw unsupported('configuration.query.createSession')
  const query = required(readText(raw, 'query'), 'query')
  if (query.trim() === '') throw invalid('Required parameter is missing: query')
  const standard = readRecord(raw, 'defaultDataset')
  if (standard) checkProject(project, readText(standard, 'projectId'))
  const destination = parseDestination(project, raw)
  return {
    query,
    defaultDataset: standard && required(readText(standard, 'datasetId'), 'defaultDataset.datasetId'),
    parameters: (readRecords(raw, 'queryParameters') ?? []).map(parseParameter),
    ...(destination ? { destination } : {}),
  }
}
