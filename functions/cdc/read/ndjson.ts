/** NDJSON: one object a line, read as a stream, numbers by their digits. */
import type { Fields } from '../encode-change.ts'
import { NumberText } from '../raw-value.ts'
import type { FieldNames } from './field-names.ts'
import { type FileRecord, RecordProblem } from './record.ts'

/** A row of BigQuery's can't be longer: docs.cloud.google.com/bigquery/quotas#write-api-limits */
const LONGEST_LINE = 10 * 1024 * 1024
/** More digits than a double keeps, or an exponent: seen from what stands before them, for texts have digits too. */
const LONG_NUMBER = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+[eE])/

/** JSON.parse hands the written text to the reviver: tc39.es/proposal-json-parse-with-source */
function revive(_key: string, value: unknown, ...more: readonly unknown[]): unknown {
  const [context] = more
  if (typeof value !== 'number' || typeof context !== 'object' || context === null) return value
  return 'source' in context ? new NumberText(String(context.source)) : value
}

function parseObject(text: string, line: number, exact: boolean): Fields {
  let value: unknown
  try {
    value = exact ? JSON.parse(text, revive) : JSON.parse(text)
  } catch (error) {
    throw new RecordProblem(`is no JSON: ${error instanceof Error ? error.message : error}`, line)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof NumberText)
    throw new RecordProblem('is no JSON object', line)
  return value as Fields
}

function parseLine(text: string, line: number, names: FieldNames): FileRecord {
  const read = (exact: boolean) => names.fit(parseObject(text, line, exact), line)
  if (LONG_NUMBER.test(text)) return { line, fields: read(true) }
  return { line, fields: read(false), exact: () => read(true) }
}

/** Records after the line `after`, in batches. Blank lines are no records. Throws `RecordProblem`. */
export async function* readNdjson(
  pieces: AsyncIterable<string>,
  names: FieldNames,
  after: number,
): AsyncGenerator<readonly FileRecord[]> {
  let rest = ''
  let line = 0
  const take = (texts: readonly string[]) => {
    const records: FileRecord[] = []
    for (const text of texts) {
      line += 1
      if (line > after && text.trim() !== '') records.push(parseLine(text, line, names))
    }
    return records
  }
  for await (const piece of pieces) {
    const texts = (rest + piece).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > LONGEST_LINE)
      throw new RecordProblem('is longer than 10 MB, and no row of BigQuery may be', line + texts.length + 1)
    const records = take(texts)
    if (records.length > 0) yield records
  }
  const records = take(rest === '' ? [] : [rest])
  if (records.length > 0) yield records
}
