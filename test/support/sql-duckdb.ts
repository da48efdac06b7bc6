/** Translated SQL on an empty DuckDB with tables of a test, its rows as the oracle gives them. */
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import {
  duckType,
  MACROS,
  parseScript,
  type QueryParameter,
  type Scope,
  SESSION_SETTINGS,
  SqlError,
  type Translation,
  translateQuery,
} from '../../local/bigquery/sql/index.ts'
import type { OracleTable } from './googlesql.ts'
import type { Cell } from './googlesql-value.ts'

export interface SqlDuckDb {
  put(tables: readonly OracleTable[]): Promise<void>
  translate(sql: string, parameters?: readonly QueryParameter[]): Translation
  /** Rows, and DuckDB's column types beside the translator's. */
  run(
    sql: string,
    parameters?: readonly QueryParameter[],
  ): Promise<{ rows: Cell[][]; types: string[]; expected: string[] }>
  readonly connection: DuckDBConnection
  close(): void
}

export const testNow = Date.UTC(2024, 1, 29, 12, 34, 56, 789)

export function toCell(value: DuckDBValue): Cell {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'string' ||
    typeof value === 'bigint'
  )
    return value
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes)
  if (value instanceof DuckDBDateValue) return String(value)
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBTimestampValue) return trimFraction(String(value).replace(' ', 'T'))
  if (value instanceof DuckDBTimeValue) return trimFraction(String(value))
  if (value instanceof DuckDBDecimalValue) return trimFraction(String(value))
  if (value instanceof DuckDBListValue) return value.items.map(toCell)
  if (value instanceof DuckDBStructValue) return Object.values(value.entries).map(toCell)
  throw new Error(`no cell for ${String(value)}`)
}

function trimFraction(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function literal(cell: Cell): string {
  if (cell === null) return 'NULL'
  if (typeof cell === 'string') return `'${cell.replaceAll("'", "''").replaceAll('\0', "' || chr(0) || '")}'`
  if (Buffer.isBuffer(cell)) return `'${cell.toString('hex').replace(/../g, '\\x$&')}'::BLOB`
  if (Array.isArray(cell)) return `[${cell.map(literal).join(', ')}]`
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? `${Object.is(cell, -0) ? '-0.0' : cell}::DOUBLE` : `'${cell}'::DOUBLE`
  return String(cell)
}

export async function startSqlDuckDb(): Promise<SqlDuckDb> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const statement of [...SESSION_SETTINGS, ...MACROS]) await connection.run(statement)
  let known: readonly OracleTable[] = []
  const find = (name: string): OracleTable => {
    const table = known.find(t => t.name === name)
    if (!table) throw new SqlError('notFound', `Not found: Table ${name}`)
    return table
  }
  const scope: Scope = {
    relation: name => `"${find(name.table).name}"`,
    columns: name => find(name.table).columns,
    now: () => testNow,
  }
  const translate = (sql: string, parameters: readonly QueryParameter[] = []) => {
    const [statement] = parseScript(sql)
    if (statement?.kind !== 'select') throw new Error(`no query: ${sql}`)
    return translateQuery(statement, scope, parameters)
  }
  return {
    connection,
    translate,
    async put(tables) {
      known = tables
      for (const { name, columns, rows = [] } of tables) {
        await connection.run(
          `CREATE OR REPLACE TABLE "${name}" (${columns.map(c => `"${c.name}" ${duckType(c.type)}`).join(', ')})`,
        )
        const value = (cell: Cell, i: number) =>
          columns[i]?.type.kind === 'scalar' && duckType(columns[i].type) === 'TIMESTAMPTZ' && cell !== null
            ? `make_timestamptz(${cell})`
            : literal(cell)
        const texts = rows.map(row => `(${row.map(value).join(', ')})`)
        if (texts.length > 0) await connection.run(`INSERT INTO "${name}" VALUES ${texts.join(', ')}`)
      }
    },
    async run(sql, parameters) {
      const translation = translate(sql, parameters)
      const result = await connection.runAndReadAll(translation.sql)
      const expected = translation.columns.map(c => duckType(c.type) ?? '?')
      return {
        rows: result.getRows().map(row => row.map(toCell)),
        types: result.columnTypes().map(String),
        expected,
      }
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** A row as text, so that rows can be compared as multisets; doubles to 12 digits, because engines add in other orders. */
export function renderCell(cell: Cell): string {
  if (cell === null) return 'NULL'
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? String(Number(cell.toPrecision(12)) + 0) : String(cell)
  if (Buffer.isBuffer(cell)) return `b:${cell.toString('hex')}`
  if (Array.isArray(cell)) return `[${cell.map(renderCell).join(', ')}]`
  return typeof cell === 'string' ? JSON.stringify(cell) : String(cell)
}
