/** What the footer of a Parquet object says: its columns and their types, against the feed's. */
import { parquetMetadataAsync, type SchemaElement } from 'hyparquet'
import { baseType } from '../feed/column-type.ts'
import type { AddedColumn, Column } from '../feed/feed.ts'
import { parseIdentifier } from '../feed/names.ts'
import type { HeadProblem } from './text.ts'

/** Reads bytes `start` to `end` (exclusive) of the object. */
export type ReadBytes = (start: number, end: number) => Promise<Buffer>

/** docs.cloud.google.com/bigquery/docs/loading-data-cloud-storage-parquet#type_conversions, and what a load coerces. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  integer: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  float: ['FLOAT64'],
  boolean: ['BOOL'],
  text: ['STRING', 'JSON', 'BYTES'],
  bytes: ['BYTES', 'STRING'],
  decimal: ['NUMERIC', 'BIGNUMERIC'],
  date: ['DATE'],
  time: ['TIME'],
  timestamp: ['TIMESTAMP', 'DATETIME'],
}

function familyOf({ type, logical_type: logical, converted_type: converted }: SchemaElement): string {
  const name = logical?.type ?? converted ?? ''
  if (name === 'DECIMAL') return 'decimal'
  if (name === 'DATE') return 'date'
  if (name.startsWith('TIMESTAMP') || type === 'INT96') return 'timestamp'
  if (name.startsWith('TIME')) return 'time'
  if (['STRING', 'UTF8', 'ENUM', 'JSON', 'UUID'].includes(name)) return 'text'
  if (type === 'BOOLEAN') return 'boolean'
  if (type === 'FLOAT' || type === 'DOUBLE') return 'float'
  return type === 'INT32' || type === 'INT64' ? 'integer' : 'bytes'
}

const isNested = ({ num_children: children = 0 }: SchemaElement): boolean => children > 0

function compare(element: SchemaElement | undefined, column: Column): HeadProblem | undefined {
  const { name, type, optional } = column
  if (!element)
    return optional
      ? undefined
      : {
          reason: `lacks the column ${name}`,
          hint: 'Send it, take it out of the feed, or say `optional: true`.',
        }
  const family = familyOf(element)
  const nested = isNested(element)
  if (!nested && FAMILIES[family]?.includes(baseType(type))) return undefined
  return {
    reason: `has ${name} as ${nested ? 'a nested value' : family}, the feed as ${type}`,
    hint: 'Change the type in the feed, or in the file.',
  }
}

/** The schema is a tree, written down depth first; a nested field may bear the name of a column. */
function topLevel([root, ...rest]: readonly SchemaElement[]): SchemaElement[] {
  const found: SchemaElement[] = []
  let at = 0
  const skip = (): void => {
    const children = rest[at]?.num_children ?? 0
    at += 1
    for (let child = 0; child < children; child += 1) skip()
  }
  for (let child = 0; child < (root?.num_children ?? 0); child += 1) {
    const element = rest[at]
    if (element) found.push(element)
    skip()
  }
  return found
}

export type ParquetHead =
  | ({ readonly kind: 'problem' } & HeadProblem)
  /** `added`: what the file has and the feed does not. */
  | { readonly kind: 'fine'; readonly added: readonly AddedColumn[] }

/** The type that a column gets when the feed does not name it. */
const NATURAL: Readonly<Record<string, string>> = {
  integer: 'INT64',
  float: 'FLOAT64',
  boolean: 'BOOL',
  text: 'STRING',
  bytes: 'BYTES',
  date: 'DATE',
  time: 'TIME',
}

function naturalType(element: SchemaElement): string | undefined {
  if (isNested(element)) return undefined
  const family = familyOf(element)
  const { logical_type: logical } = element
  if (family === 'timestamp')
    return logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC ? 'DATETIME' : 'TIMESTAMP'
  if (family === 'decimal') return (element.scale ?? 0) > 9 ? 'BIGNUMERIC' : 'NUMERIC'
  return NATURAL[family]
}

function findAdded(elements: readonly SchemaElement[], columns: readonly Column[]): ParquetHead {
  const named = new Set(columns.map(({ name }) => name.toLowerCase()))
  const added: AddedColumn[] = []
  for (const element of elements) {
    if (named.has(element.name.toLowerCase())) continue
    const [name, type] = [parseIdentifier(element.name), naturalType(element)]
    if (name && type) added.push({ name, type })
    else
      return {
        kind: 'problem',
        reason: `has the column ${element.name}, which BigQuery can't add as it is`,
        hint: 'Name it in the feed, or leave it out of the file.',
      }
  }
  return { kind: 'fine', added }
}

export async function readParquetHead(
  size: number,
  readBytes: ReadBytes,
  columns: readonly Column[],
): Promise<ParquetHead> {
  let failure: unknown
  const slice = async (start: number, end = size) => {
    const bytes = await readBytes(start, end).catch((error: unknown) => {
      failure = error
      throw error
    })
    return new Uint8Array(bytes).buffer
  }
  let schema: SchemaElement[]
  try {
    schema = (await parquetMetadataAsync({ byteLength: size, slice })).schema
  } catch (error) {
    // What went wrong on the way to the file says nothing of the file.
    if (failure !== undefined) throw failure
    return {
      kind: 'problem',
      reason: `is no whole Parquet file: ${error instanceof Error ? error.message : error}`,
      hint: 'Send Parquet, or correct `source.format` of the feed.',
    }
  }
  const elements = topLevel(schema)
  const byName = new Map(elements.map(element => [element.name.toLowerCase(), element]))
  const wrong = columns
    .map(column => compare(byName.get(column.name.toLowerCase()), column))
    .find(found => found !== undefined)
  return wrong ? { kind: 'problem', ...wrong } : findAdded(elements, columns)
}
