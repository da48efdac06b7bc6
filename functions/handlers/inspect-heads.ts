/** Reads the head (of Parquet: the footer) of every object of a snapshot before anything is loaded. */
import { FreshetError } from '../errors.ts'
import { type AddedColumn, type Feed, sourceColumns } from '../feed/feed.ts'
import { parseIdentifier } from '../feed/names.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import type { Objects } from '../gcp/ports.ts'
import { findAddedCsv, findCsvProblem } from '../heads/csv.ts'
import { readNdjsonHead } from '../heads/ndjson.ts'
import { type ReadBytes, readParquetHead } from '../heads/parquet.ts'
import { type Head, type HeadProblem, nameFormat, readTextHead } from '../heads/text.ts'

const HEAD_BYTES = 64 * 1024
const AT_ONCE = 32

interface ReadHead {
  readonly file: SourceFile
  readonly problem?: HeadProblem | undefined
  /** Keys of the first rows, where the format has its columns in every row. */
  readonly keys?: ReadonlyMap<string, string>
  /** Of text that is not empty: whether it is gzip. */
  readonly packed?: boolean
  /** Columns that the feed does not name, with the type that they would get. */
  readonly added?: readonly { readonly name: string; readonly type: string }[]
}

/** What the heads say: a problem, or the columns that the snapshot adds to the table. */
export type Heads =
  | ({ readonly kind: 'problem' } & HeadProblem)
  | { readonly kind: 'fine'; readonly added: readonly AddedColumn[] }

/** Throws when the object was replaced since it was listed: its new generation has an event of its own. */
function makeReadBytes(objects: Objects, bucket: string, { name, generation, size }: SourceFile): ReadBytes {
  return async (start, end) => {
    const range = { generation, start, end: Math.min(end, size) }
    const bytes = await objects.readRange(bucket, name, range)
    if (bytes) return bytes
    throw new FreshetError({
      code: 'not-found',
      retry: 'later',
      message: `Object ${name} was replaced while it was looked at.`,
      hint: 'Nothing: the event comes again and finds what is there then.',
    })
  }
}

function findBinaryProblem(bytes: Buffer, wanted: 'avro' | 'orc'): HeadProblem | undefined {
  const found = nameFormat(bytes)
  if (found?.toLowerCase() === wanted) return undefined
  return {
    reason: `is ${found ?? 'something else'}, not ${wanted}`,
    hint: 'Send the format that `source.format` of the feed names.',
  }
}

/** Text says nothing of its types: a column that the feed does not name is a STRING. */
const asText = (names: readonly string[]) => names.map(name => ({ name, type: 'STRING' }))

function readText(feed: Feed, file: SourceFile, head: Head & { kind: 'text' }): ReadHead {
  const { format } = feed.source
  const columns = sourceColumns(feed)
  const tolerant = feed.source.badRows !== undefined
  if (format.kind === 'csv') {
    const problem = findCsvProblem(head.text, columns, format, tolerant)
    return problem ? { file, problem } : { file, added: asText(findAddedCsv(head.text, columns, format)) }
  }
  const rows = readNdjsonHead(head.text, head.whole, tolerant)
  if (rows.kind === 'problem') return { file, problem: rows }
  const named = new Set(columns.map(({ name }) => name.toLowerCase()))
  const added = [...rows.keys].filter(([key]) => !named.has(key)).map(([, name]) => name)
  return rows.rows > 0 ? { file, keys: rows.keys, added: asText(added) } : { file }
}

async function readHead(objects: Objects, bucket: string, feed: Feed, file: SourceFile): Promise<ReadHead> {
  const { format } = feed.source
  const read = makeReadBytes(objects, bucket, file)
  if (format.kind === 'parquet') {
    const head = await readParquetHead(file.size, read, sourceColumns(feed))
    return head.kind === 'problem' ? { file, problem: head } : { file, added: head.added }
  }
  if (file.size === 0) return { file }
  const bytes = await read(0, HEAD_BYTES)
  if (format.kind === 'avro' || format.kind === 'orc')
    return { file, problem: findBinaryProblem(bytes, format.kind) }
  const head = readTextHead(bytes, file.size <= HEAD_BYTES)
  if (head.kind === 'problem') return { file, problem: head }
  return { ...readText(feed, file, head), packed: head.packed }
}

/** One load job takes either: docs.cloud.google.com/bigquery/docs/loading-data-cloud-storage-csv#limitations */
function findMixture(heads: readonly ReadHead[]): HeadProblem | undefined {
  const [packed, plain] = [true, false].map(is => heads.find(head => head.packed === is)?.file.name)
  if (packed === undefined || plain === undefined) return undefined
  return {
    reason: `object ${packed} is gzip and object ${plain} is not`,
    hint: 'A load takes all or none of its files as gzip; compress the others too, or none.',
  }
}

/** A key that no first row of any object has: a column that was lost, for NULLs do not come in all rows at once. */
function findLostColumn(feed: Feed, heads: readonly ReadHead[]): HeadProblem | undefined {
  const seen = heads.flatMap(({ keys }) => keys ?? [])
  if (seen.length === 0) return undefined
  const lost = sourceColumns(feed).find(
    ({ name, optional }) => !optional && !seen.some(keys => keys.has(name.toLowerCase())),
  )
  if (!lost) return undefined
  return {
    reason: `the column ${lost.name} is in none of the first rows of any object`,
    hint: 'Send it, take it out of the feed, or say `optional: true` where it may be absent.',
  }
}

/** Columns that no feed names, over all objects; a problem where they are not welcome or can't be columns. */
function collectAdded(feed: Feed, heads: readonly ReadHead[]): Heads {
  const added = new Map<string, AddedColumn>()
  for (const { file, added: found = [] } of heads) {
    for (const { name, type } of found) {
      const wrong = (reason: string, hint: string): Heads => ({
        kind: 'problem',
        reason: `object ${file.name} ${reason}`,
        hint,
      })
      const identifier = parseIdentifier(name)
      if (feed.source.onNewColumn === 'reject' || !identifier) {
        const hint = 'Add it to the feed, leave it out of the files, or say `on_new_column: add`.'
        return wrong(`has the column ${name}, which the feed does not`, hint)
      }
      const before = added.get(name.toLowerCase())
      if (before && before.type !== type)
        return wrong(
          `has ${name} as ${type}, another object as ${before.type}`,
          'Write all objects of a snapshot alike.',
        )
      added.set(name.toLowerCase(), before ?? { name: identifier, type })
    }
  }
  return { kind: 'fine', added: [...added.values()] }
}

/** Looks at every object; the first problem found is told, with the object that has it. */
export async function readHeads(objects: Objects, feed: Feed, { bucket, files }: Snapshot): Promise<Heads> {
  const heads: ReadHead[] = []
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const batch = await Promise.all(
      files.slice(at, at + AT_ONCE).map(file => readHead(objects, bucket, feed, file)),
    )
    const wrong = batch.find(({ problem }) => problem)
    if (wrong?.problem) {
      const { reason, hint } = wrong.problem
      return { kind: 'problem', reason: `object ${wrong.file.name} ${reason}`, hint }
    }
    heads.push(...batch)
  }
  const lost = findMixture(heads) ?? findLostColumn(feed, heads)
  return lost ? { kind: 'problem', ...lost } : collectAdded(feed, heads)
}
