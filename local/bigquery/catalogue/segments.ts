/** How rows become a segment: one CREATE TABLE AS, then what the catalogue must know of it. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Engine, readNumber, readRows } from '../engine.ts'
import type { Catalogue } from './catalogue.ts'
import { type Partitioning, type Segment, segmentName } from './entry.ts'
import { duckColumnType, type Field, quote } from './field.ts'
import { sqlPartitionStart } from './relation.ts'

/** A filled segment; `release` it once a table refers to it or nobody will. */
export interface NewSegment {
  readonly segment: Segment
  release(): Promise<void>
}

/** How the DuckDB table `name` is made and filled; answers how many rows it put there. */
export type Fill = (connection: DuckDBConnection, name: string) => Promise<number>

/** Rows looked at to estimate the width of texts. */
const sampleRows = 100_000

const widths: Readonly<Record<string, number>> = { BOOLEAN: 1, NUMERIC: 16, BIGNUMERIC: 32 }

function sqlWidth(field: Field): string {
  const name = quote(field.name)
  const varies = field.mode === 'REPEATED' || ['RECORD', 'JSON'].includes(field.type)
  if (varies) return `coalesce(strlen(${name}::VARCHAR), 0)`
  if (field.type === 'STRING') return `coalesce(2 + strlen(${name}), 0)`
  if (field.type === 'BYTES') return `coalesce(2 + octet_length(${name}), 0)`
  return `if(${name} IS NULL, 0, ${widths[field.type] ?? 8})`
}

/** By https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#data_type_sizes, from a sample. */
async function readBytes(connection: DuckDBConnection, name: string, schema: readonly Field[], rows: number) {
  if (rows === 0 || schema.length === 0) return 0
  const width = schema.map(sqlWidth).join(' + ')
  const sql = `SELECT avg(${width}) FROM (FROM ${name} LIMIT ${sampleRows})`
  return Math.round((await readNumber(connection, sql)) * rows)
}

async function readOldest(connection: DuckDBConnection, name: string, partitioning?: Partitioning) {
  if (partitioning?.kind !== 'time') return undefined
  const { column } = partitioning
  const sql = `SELECT epoch_ms(${sqlPartitionStart(partitioning)}) FROM (SELECT min(${quote(column)}) AS ${quote(column)} FROM ${name})`
  const value = (await connection.runAndReadAll(sql)).getRows()[0]?.[0]
  return value === null || value === undefined ? undefined : { column, start: Number(value) }
}

async function describe(connection: DuckDBConnection, name: string) {
  const rows = await readRows(connection, `SELECT column_name, column_type FROM (DESCRIBE ${name})`)
  return rows.map(row => ({ name: String(row.column_name), type: String(row.column_type) }))
}

/** Fills a new segment. A failure leaves nothing. */
export async function writeNewSegment(
  catalogue: Catalogue,
  connection: DuckDBConnection,
  schema: readonly Field[],
  fill: Fill,
  partitioning?: Partitioning,
): Promise<NewSegment> {
  const { id, release } = catalogue.reserve()
  const name = segmentName(id)
  try {
    const rows = await fill(connection, name)
    const columns = await describe(connection, name)
    const bytes = await readBytes(connection, name, schema, rows)
    const oldest = await readOldest(connection, name, partitioning)
    const segment = { id, columns, rows, bytes, ...(oldest ? { oldest } : {}) }
    await catalogue.addSegment(segment)
    return { segment, release }
  } catch (error) {
    await connection.run(`DROP TABLE IF EXISTS ${name}`).catch(() => {})
    await release()
    throw error
  }
}

/** Fills with the rows of a query, whose columns are those of the schema in its order. */
export function fillFrom(sql: string): Fill {
  return async (connection, name) => readNumber(connection, `CREATE TABLE ${name} AS ${sql}`)
}

/** Fills in the order of the query's rows, which CREATE TABLE AS doesn't keep; slower, for results that people page. */
export function fillInOrder(engine: Engine, sql: string, schema: readonly Field[]): Fill {
  return async (connection, name) => {
    const columns = schema.map(f => `${quote(f.name)} ${duckColumnType(f)}`)
    await connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`)
    // A connection with an open stream serves nothing else, so that the appender needs its own.
    return engine.using(async other => {
      const appender = await other.createAppender(name)
      const result = await connection.stream(sql)
      let rows = 0
      for (;;) {
        const chunk = await result.fetchChunk()
        if (!chunk || chunk.rowCount === 0) break
        rows += chunk.rowCount
        appender.appendDataChunk(chunk)
      }
      appender.closeSync()
      return rows
    })
  }
}
