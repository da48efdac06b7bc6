/** The exact way to load text files: each value is checked here, each bad row named. Slower than DuckDB's own readers. */
import { type DuckDBAppender, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import type { ObjectFile } from '../../service.ts'
import { duckColumnType, type Field, quote } from '../catalogue/field.ts'
import type { Fill } from '../catalogue/segments.ts'
import { type Engine, readNumber } from '../engine.ts'
import type { ErrorProto } from '../errors.ts'
import type { LoadConfig } from './config.ts'
import { readRecords } from './csv-record.ts'
import { makeRecordParser } from './csv-value.ts'
import type { Proof } from './fast.ts'
import { makeLineParser } from './json-value.ts'
import { readLines } from './lines.ts'
import { fileError, Problem, rowError, tooManyErrors } from './problem.ts'

/** A source file, unpacked. */
export interface TextFile {
  readonly file: ObjectFile
  readonly path: string
  /** In bytes, unpacked; for a file that was not packed its own size. */
  readonly size: number
  /** What was seen of the bytes while they were unpacked. */
  readonly proof?: Proof
}
type Row = readonly DuckDBValue[]
/** A row's values or what is wrong with it, and its line. */
interface Parsed {
  readonly line: number
  readonly row: Row | Problem
}

function attempt(line: number, parse: () => Row): Parsed {
  try {
    return { line, row: parse() }
  } catch (error) {
    if (error instanceof Problem) return { line, row: error }
    throw error
  }
}

async function* readJsonRows(
  path: string,
  fields: readonly Field[],
  config: LoadConfig,
): AsyncGenerator<Parsed[]> {
  const parse = makeLineParser(fields, config.ignoreUnknownValues)
  for await (const lines of readLines(path)) {
    const full = lines.filter(({ text }) => text.trim() !== '')
    yield full.map(({ number, text }) => attempt(number, () => parse(text)))
  }
}

async function* readCsvRows(
  path: string,
  fields: readonly Field[],
  config: LoadConfig,
): AsyncGenerator<Parsed[]> {
  const parse = makeRecordParser(fields, config)
  for await (const records of readRecords(path, config.csv)) {
    yield records.map(({ line, fields: cells }) =>
      attempt(line, () => {
        if (cells instanceof Problem) throw cells
        return parse(cells)
      }),
    )
  }
}

function describe(config: LoadConfig, { line, row }: Parsed): string {
  const cause = row instanceof Problem ? row.message : ''
  const kind = config.format === 'CSV' ? 'CSV' : 'JSON'
  return `${kind} table encountered too many errors, giving up. ${cause}; line ${line}`
}

/** Counts bad rows, and ends the load at one more than are allowed. */
class Tally {
  readonly errors: ErrorProto[] = []
  private readonly allowed: number
  constructor(allowed: number) {
    this.allowed = allowed
  }
  add(error: ErrorProto): void {
    this.errors.push(error)
    if (this.errors.length > this.allowed) throw tooManyErrors(this.errors)
  }
}

async function addRows(
  rows: AsyncGenerator<Parsed[]>,
  add: (row: Row) => void,
  onBad: (parsed: Parsed) => void,
) {
  for await (const batch of rows) {
    for (const parsed of batch) {
      if (parsed.row instanceof Problem) onBad(parsed)
      else add(parsed.row)
    }
  }
}

/** Rows a chunk: as many as DuckDB's own vectors hold. */
const chunkRows = 2048

/** Hands good rows to DuckDB in chunks, which is many times faster than value by value. */
function makeWriter(appender: DuckDBAppender, types: readonly DuckDBType[]) {
  let rows: Row[] = []
  const flush = () => {
    if (rows.length === 0) return
    const chunk = DuckDBDataChunk.create(types, rows.length)
    for (const [i] of types.entries())
      chunk.setColumnValues(
        i,
        rows.map(row => row[i] ?? null),
      )
    appender.appendDataChunk(chunk)
    rows = []
  }
  return {
    add(row: Row) {
      rows.push(row)
      if (rows.length === chunkRows) flush()
    },
    flush,
  }
}

/** Fills with the files' rows in `fields`' order; bad rows within the allowance are left out and told of in `bad`. */
export function fillExactly(
  engine: Engine,
  files: readonly TextFile[],
  fields: readonly Field[],
  config: LoadConfig,
  bad: ErrorProto[],
): Fill {
  return async (connection, name) => {
    const columns = fields.map(f => `${quote(f.name)} ${duckColumnType(f)}`)
    await connection.run(`CREATE OR REPLACE TABLE ${name} (${columns.join(', ')})`)
    const tally = new Tally(config.maxBadRecords)
    await engine.using(async own => {
      const appender = await own.createAppender(name)
      const types = fields.map((_, i) => appender.columnType(i))
      const writer = makeWriter(appender, types)
      for (const source of files) {
        const read = config.format === 'CSV' ? readCsvRows : readJsonRows
        const rows = read(source.path, fields, config)
        const onBad = (parsed: Parsed) => tally.add(rowError(source.file, describe(config, parsed)))
        await addRows(rows, writer.add, onBad).catch(error => {
          throw error instanceof Problem ? fileError(source.file, error.message) : error
        })
      }
      writer.flush()
      appender.closeSync()
    })
    bad.push(...tally.errors)
    return readNumber(connection, `SELECT count(*) FROM ${name}`)
  }
}
