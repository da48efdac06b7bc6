/** Copy jobs: one table's segments become another's too; nothing is moved. */
import type { Draft } from '../catalogue/draft.ts'
import type { SegmentRef, TableEntry, TableId } from '../catalogue/entry.ts'
import { bytesOf, knownRows, rowsOf } from '../catalogue/relation.ts'
import { BigQueryError, invalid } from '../errors.ts'
import { checkTableId, getDataset, parseReference, spell, tableNotFound } from '../names.ts'
import { checkReplaceable } from '../query/create-table.ts'
import { type Json, readChoice, readRecord, readRecords, refuseOthers, required } from '../rest/read.ts'
import { deriveEntry, getSource, shareSegments } from './derive.ts'
import type { Outcome, Run } from './run.ts'
import { checkFits, createDispositions } from './write.ts'

const operations = ['COPY', 'CLONE', 'SNAPSHOT', 'RESTORE'] as const
// https://cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobConfigurationTableCopy: no WRITE_TRUNCATE_DATA.
const dispositions = ['WRITE_TRUNCATE', 'WRITE_APPEND', 'WRITE_EMPTY'] as const

export interface CopyConfig {
  readonly sources: readonly TableId[]
  readonly destination: TableId
  readonly operation: (typeof operations)[number]
  readonly write: (typeof dispositions)[number]
  readonly create: (typeof createDispositions)[number]
}

const served = [
  'sourceTable',
  'sourceTables',
  'destinationTable',
  'operationType',
  'writeDisposition',
  'createDisposition',
]

export function parseCopyConfig(project: string, raw: Json): CopyConfig {
  refuseOthers(raw, served, 'configuration.copy')
  const one = readRecord(raw, 'sourceTable')
  const sources = readRecords(raw, 'sourceTables') ?? (one ? [one] : [])
  if (sources.length === 0) throw new BigQueryError('required', 'Required parameter is missing: sourceTable')
  const operation = readChoice(raw, 'operationType', operations) ?? 'COPY'
  const write = readChoice(raw, 'writeDisposition', dispositions) ?? 'WRITE_EMPTY'
  if (operation !== 'COPY' && sources.length > 1) throw invalid(`${operation} takes one source table`)
  if ((operation === 'CLONE' || operation === 'SNAPSHOT') && write !== 'WRITE_EMPTY') {
    const name = operation === 'CLONE' ? 'Clone' : 'Snapshot'
    throw invalid(
      `${name} operation with write disposition ${write} is not supported. Please try again with WRITE_EMPTY.`,
    )
  }
  return {
    sources: sources.map(source => parseReference(project, source)),
    destination: parseReference(project, required(readRecord(raw, 'destinationTable'), 'destinationTable')),
    operation,
    write,
    create: readChoice(raw, 'createDisposition', createDispositions) ?? 'CREATE_IF_NEEDED',
  }
}

function checkSource(project: string, source: TableEntry, { operation }: CopyConfig): void {
  if (operation === 'RESTORE' && source.kind !== 'SNAPSHOT') {
    throw invalid(`${spell(project, source)} is not a table snapshot, which RESTORE needs.`)
  }
}

function append(
  project: string,
  draft: Draft,
  existing: TableEntry,
  sources: readonly TableEntry[],
  refs: readonly SegmentRef[],
) {
  for (const source of sources) checkFits(project, existing, existing.schema, source.schema)
  for (const field of existing.schema) {
    const loose = sources.some(s => s.schema.some(f => f.name === field.name && f.mode !== field.mode))
    if (field.mode === 'REQUIRED' && loose) {
      throw invalid(
        `Provided Schema does not match Table ${spell(project, existing)}. Field ${field.name} has changed mode from REQUIRED to NULLABLE`,
      )
    }
  }
  draft.putTable({ ...existing, segments: [...existing.segments, ...refs] })
}

function place(
  project: string,
  draft: Draft,
  config: CopyConfig,
  sources: readonly TableEntry[],
  refs: readonly SegmentRef[],
) {
  const { destination: id, operation, write } = config
  const [source] = sources
  if (!source) return
  getDataset(project, draft, id.dataset)
  checkTableId(id.table)
  const existing = draft.table(id)
  if (!existing && config.create === 'CREATE_NEVER') throw tableNotFound(project, id)
  if (existing && existing.kind !== 'TABLE')
    throw invalid(`${spell(project, id)} is a ${existing.kind.toLowerCase()}, which can't be written to.`)
  if (existing && write === 'WRITE_APPEND') return append(project, draft, existing, sources, refs)
  if (existing && write === 'WRITE_EMPTY' && (operation !== 'COPY' || knownRows(existing, draft) !== 0)) {
    throw new BigQueryError('duplicate', `Already Exists: Table ${spell(project, id)}`)
  }
  const kind = operation === 'CLONE' ? 'clone' : operation === 'SNAPSHOT' ? 'snapshot' : 'copy'
  for (const other of sources.slice(1)) checkFits(project, id, source.schema, other.schema)
  const entry = deriveEntry(kind, id, source, refs, draft.now)
  checkReplaceable(existing, entry)
  draft.putTable(existing ? { ...entry, created: existing.created } : entry)
}

export async function runCopy(run: Run, config: CopyConfig): Promise<Outcome> {
  await run.lock([config.destination])
  const sources = config.sources.map(id => getSource(run, id))
  for (const source of sources) checkSource(run.project, source, config)
  const refs: SegmentRef[] = []
  for (const source of sources) refs.push(...(await shareSegments(run, source)))
  const view = run.catalogue.view()
  const copiedRows = String(rowsOf(refs, view))
  const copiedLogicalBytes = String(bytesOf({ segments: refs }, view))
  return {
    statistics: { copy: { copiedRows, copiedLogicalBytes } },
    apply(draft) {
      place(run.project, draft, config, sources, refs)
      return undefined
    },
  }
}
