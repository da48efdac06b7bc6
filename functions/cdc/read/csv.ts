/** CSV with a header that names the fields, read as a stream. */
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { ChangeFormat } from '../../feed/changes/change-feed.ts'
import type { FieldNames } from './field-names.ts'
import { type FileRecord, RecordProblem } from './record.ts'

const BATCH = 256
const LONGEST_RECORD = 10 * 1024 * 1024

interface Parsed {
  readonly info: { readonly lines: number }
  readonly record: readonly (string | null)[]
}

function toProblem(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : 0
  return new RecordProblem(`is no CSV: ${error.message}`, line)
}

type Names = readonly (string | undefined)[]

function readHeader(header: readonly (string | null)[], names: FieldNames): Names {
  const found = header.map(field => names.nameOf(field ?? '', 1))
  const twice = found.find((name, at) => name !== undefined && found.indexOf(name) !== at)
  if (twice !== undefined) throw new RecordProblem('stands in the header twice', 1, twice)
  return found
}

function toRecord({ info, record }: Parsed, header: Names): FileRecord {
  const fields: Record<string, string | null> = {}
  for (const [at, name] of header.entries()) if (name !== undefined) fields[name] = record[at] ?? null
  return { line: info.lines, fields }
}

/**
 * Records that end after the line `after`, in batches; a record of several lines is told by its last. The null text
 * is NULL where it stands without quotes. Throws `RecordProblem`.
 */
export async function* readCsv(
  pieces: AsyncIterable<string>,
  format: ChangeFormat & { readonly kind: 'csv' },
  names: FieldNames,
  after: number,
): AsyncGenerator<readonly FileRecord[]> {
  const { delimiter, nullText } = format
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: LONGEST_RECORD,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    cast: (value, { quoting }) => (value === nullText && !quoting ? null : value),
  })
  // What goes wrong with the source is thrown where the records are awaited.
  const source = Readable.from(pieces).on('error', error => parser.destroy(error))
  let header: Names | undefined
  let batch: FileRecord[] = []
  try {
    for await (const parsed of source.pipe(parser) as AsyncIterable<Parsed>) {
      if (!header) header = readHeader(parsed.record, names)
      else if (parsed.info.lines > after) batch.push(toRecord(parsed, header))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  } catch (error) {
    throw toProblem(error)
  } finally {
    source.destroy()
  }
  if (batch.length > 0) yield batch
}
