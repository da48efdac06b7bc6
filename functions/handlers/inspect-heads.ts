/** Reads the head (of Parquet: the footer) of every object of a snapshot before anything is loaded. */
import { type Feed, sourceColumns } from '../feed/feed.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import type { Objects } from '../gcp/ports.ts'
import { findCsvProblem } from '../heads/csv.ts'
import { readNdjsonHead } from '../heads/ndjson.ts'
import { findParquetProblem } from '../heads/parquet.ts'
import { type HeadProblem, nameFormat, readTextHead } from '../heads/text.ts'

const HEAD_BYTES = 64 * 1024
const AT_ONCE = 32

interface ReadHead {
  readonly file: SourceFile
  readonly problem?: HeadProblem | undefined
  /** Keys of the first rows, where the format has its columns in every row. */
  readonly keys?: ReadonlySet<string>
}

async function readHead(objects: Objects, bucket: string, feed: Feed, file: SourceFile): Promise<ReadHead> {
  const { format } = feed.source
  const columns = sourceColumns(feed)
  const read = async (start: number, end: number) => {
    const bytes = await objects.readRange(bucket, file.name, {
      generation: file.generation,
      start,
      end: Math.min(end, file.size),
    })
    return bytes ?? Buffer.alloc(0)
  }
  if (format.kind === 'parquet') return { file, problem: await findParquetProblem(file.size, read, columns) }
  if (file.size === 0) return { file }
  const bytes = await read(0, HEAD_BYTES)
  if (format.kind === 'avro' || format.kind === 'orc') {
    const found = nameFormat(bytes)?.toLowerCase()
    const wrong = found !== format.kind
    return {
      file,
      problem: wrong
        ? {
            reason: `is ${found ?? 'something else'}, not ${format.kind}`,
            hint: 'Send the format that `source.format` names.',
          }
        : undefined,
    }
  }
  const head = readTextHead(bytes)
  if (head.kind === 'problem') return { file, problem: head }
  if (format.kind === 'csv') return { file, problem: findCsvProblem(head.text, columns, format) }
  const whole = file.size <= HEAD_BYTES
  const rows = readNdjsonHead(head.text, whole)
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
