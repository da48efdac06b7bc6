/** Reads the head (of Parquet: the footer) of every object of a snapshot before anything is loaded. */
import { FreshetError } from '../errors.ts'
import { type Feed, sourceColumns } from '../feed/feed.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import type { Objects } from '../gcp/ports.ts'
import { findCsvProblem } from '../heads/csv.ts'
import { readNdjsonHead } from '../heads/ndjson.ts'
import { findParquetProblem, type ReadBytes } from '../heads/parquet.ts'
import { type HeadProblem, nameFormat, readTextHead } from '../heads/text.ts'

const HEAD_BYTES = 64 * 1024
const AT_ONCE = 32

interface ReadHead {
  readonly file: SourceFile
  readonly problem?: HeadProblem | undefined
  /** Keys of the first rows, where the format has its columns in every row. */
  readonly keys?: ReadonlySet<string>
}

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

async function readHead(objects: Objects, bucket: string, feed: Feed, file: SourceFile): Promise<ReadHead> {
  const { format } = feed.source
  const columns = sourceColumns(feed)
  const read = makeReadBytes(objects, bucket, file)
  if (format.kind === 'parquet') return { file, problem: await findParquetProblem(file.size, read, columns) }
  if (file.size === 0) return { file }
  const bytes = await read(0, HEAD_BYTES)
  if (format.kind === 'avro' || format.kind === 'orc')
    return { file, problem: findBinaryProblem(bytes, format.kind) }
  const head = readTextHead(bytes, file.size <= HEAD_BYTES)
  if (head.kind === 'problem') return { file, problem: head }
  if (format.kind === 'csv') return { file, problem: findCsvProblem(head.text, columns, format) }
  const rows = readNdjsonHead(head.text, head.whole)
  if (rows.kind === 'problem') return { file, problem: rows }
  return rows.rows > 0 ? { file, keys: rows.keys } : { file }
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

/** The first problem found, with the object that has it. */
export async function findHeadProblem(
  objects: Objects,
  feed: Feed,
  { bucket, files }: Snapshot,
): Promise<HeadProblem | undefined> {
  const heads: ReadHead[] = []
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const batch = await Promise.all(
      files.slice(at, at + AT_ONCE).map(file => readHead(objects, bucket, feed, file)),
    )
    const wrong = batch.find(({ problem }) => problem)
    if (wrong?.problem)
      return { ...wrong.problem, reason: `object ${wrong.file.name} ${wrong.problem.reason}` }
    heads.push(...batch)
  }
  return findLostColumn(feed, heads)
}
