/** `configuration.load`, read with every field checked. */

import type { Partitioning, TableId } from '../catalogue/entry.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { invalid, unsupported } from '../errors.ts'
import { createDispositions, writeDispositions } from '../jobs/write.ts'
import { parseReference } from '../names.ts'
import {
  type Json,
  readChoice,
  readFlag,
  readInteger,
  readRecord,
  readText,
  readTexts,
  refuseOthers,
  required,
} from '../rest/read.ts'
import { parseSchema } from '../rest/schema.ts'
import { parseClustering, parseDescription, parsePartitioning } from '../rest/table-resource.ts'

const formats = ['PARQUET', 'CSV', 'NEWLINE_DELIMITED_JSON'] as const
const fileSets = [
  'FILE_SET_SPEC_TYPE_FILE_SYSTEM_MATCH',
  'FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST',
] as const
const encodings = ['UTF-8', 'ISO-8859-1'] as const

export interface CsvOptions {
  readonly delimiter: string
  /** One character, or none. */
  readonly quote: string
  readonly skipLeadingRows: number
  readonly quotedNewlines: boolean
  readonly jaggedRows: boolean
  readonly nullMarker: string
  readonly latin1: boolean
}

export interface LoadConfig {
  readonly uris: readonly string[]
  readonly byManifest: boolean
  readonly format: (typeof formats)[number]
  /** Absent: the table's own. */
  readonly schema: readonly Field[] | undefined
  readonly destination: TableId
  readonly write: (typeof writeDispositions)[number]
  readonly create: (typeof createDispositions)[number]
  readonly partitioning: Partitioning | undefined
  readonly clustering: readonly string[] | undefined
  readonly described: ReturnType<typeof parseDescription>
  readonly maxBadRecords: number
  readonly ignoreUnknownValues: boolean
  readonly csv: CsvOptions
}

const served = [
  'sourceUris',
  'fileSetSpecType',
  'sourceFormat',
  'schema',
  'destinationTable',
  'destinationTableProperties',
  'writeDisposition',
  'createDisposition',
  'timePartitioning',
  'rangePartitioning',
  'clustering',
  'maxBadRecords',
  'ignoreUnknownValues',
  'fieldDelimiter',
  'quote',
  'skipLeadingRows',
  'allowQuotedNewlines',
  'allowJaggedRows',
  'nullMarker',
  'encoding',
  'autodetect',
  'parquetOptions',
]

function delimiterOf(text: string | undefined): string {
  if (text === undefined || text === '') return ','
  const known: Readonly<Record<string, string>> = { '\\t': '\t', tab: '\t' }
  const delimiter = known[text] ?? text
  if (delimiter.length !== 1)
    throw invalid(`Invalid value for fieldDelimiter: ${text}. It must be one character.`)
  return delimiter
}

function parseCsv(raw: Json): CsvOptions {
  const quote = readText(raw, 'quote') ?? '"'
  if (quote.length > 1) throw invalid('Value of quote must be one character or empty.')
  return {
    delimiter: delimiterOf(readText(raw, 'fieldDelimiter')),
    quote,
    skipLeadingRows: readInteger(raw, 'skipLeadingRows') ?? 0,
    quotedNewlines: readFlag(raw, 'allowQuotedNewlines') ?? false,
    jaggedRows: readFlag(raw, 'allowJaggedRows') ?? false,
    nullMarker: readText(raw, 'nullMarker') ?? '',
    latin1: readChoice(raw, 'encoding', encodings) === 'ISO-8859-1',
  }
}

function parseFormat(raw: Json): LoadConfig['format'] {
  const format = readText(raw, 'sourceFormat') || 'CSV'
  const known = formats.find(f => f === format)
  if (known) return known
  if (/^(AVRO|ORC|DATASTORE_BACKUP)$/.test(format)) throw unsupported(`sourceFormat ${format}`)
  throw invalid(`Invalid value for sourceFormat: ${format} is not a valid value`)
}

function parseUris(raw: Json): string[] {
  const uris = required(readTexts(raw, 'sourceUris'), 'sourceUris')
  if (uris.length === 0) throw invalid('No URIs were given to load from (sourceUris)')
  // https://cloud.google.com/bigquery/quotas#load_jobs
  if (uris.length > 10_000) throw invalid('Too many source URIs: at most 10000 are allowed')
  return uris
}

export function parseLoadConfig(project: string, raw: Json): LoadConfig {
  refuseOthers(raw, served, 'configuration.load')
  if (readFlag(raw, 'autodetect')) throw unsupported('Schema auto-detection (autodetect)')
  // Lists are read as lists either way, and enums as texts.
  refuseOthers(
    readRecord(raw, 'parquetOptions') ?? {},
    ['enableListInference', 'enumAsString'],
    'parquetOptions',
  )
  const schema = parseSchema(raw)
  const partitioning = parsePartitioning(raw)
  if (schema && partitioning && !findField(schema, partitioning.column)) {
    throw invalid(
      `The field specified for partitioning cannot be found in the schema: ${partitioning.column}`,
    )
  }
  const properties = readRecord(raw, 'destinationTableProperties') ?? {}
  refuseOthers(
    properties,
    ['description', 'friendlyName', 'labels', 'expirationTime'],
    'destinationTableProperties',
  )
  return {
    uris: parseUris(raw),
    byManifest: readChoice(raw, 'fileSetSpecType', fileSets) === fileSets[1],
    format: parseFormat(raw),
    schema,
    destination: parseReference(project, required(readRecord(raw, 'destinationTable'), 'destinationTable')),
    write: readChoice(raw, 'writeDisposition', writeDispositions) ?? 'WRITE_APPEND',
    create: readChoice(raw, 'createDisposition', createDispositions) ?? 'CREATE_IF_NEEDED',
    partitioning,
    clustering: parseClustering(raw),
    described: parseDescription(properties),
    maxBadRecords: readInteger(raw, 'maxBadRecords') ?? 0,
    ignoreUnknownValues: readFlag(raw, 'ignoreUnknownValues') ?? false,
    csv: parseCsv(raw),
  }
}
