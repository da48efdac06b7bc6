/** Parquet files to DuckDB SQL: every file's schema is checked, then the columns are read as they are. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ObjectFile } from '../../service.ts'
import { duckColumnType, type Field, findField, literal, quote, sqlType } from '../catalogue/field.ts'
import { readRows } from '../engine.ts'
import { typeText } from '../sql/index.ts'
import { fileError } from './problem.ts'
import { contentName, readHead } from './unpack.ts'

interface Held {
  readonly name: string
  readonly type: string
}

const integers = ['TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT']
/** What may stand in a file for each type besides its own, without losing anything. */
const castable: Readonly<Record<string, readonly string[]>> = {
  BIGINT: integers,
  DOUBLE: ['FLOAT'],
  VARCHAR: ['UUID', 'JSON'],
  JSON: ['VARCHAR'],
  TIMESTAMP: ['TIMESTAMP_NS', 'TIMESTAMP_S', 'TIMESTAMP_MS'],
  'TIMESTAMP WITH TIME ZONE': ['TIMESTAMP', 'TIMESTAMP_NS'],
}

function fits(wanted: string, held: string): boolean {
  if (wanted === held) return true
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(held)
  if (decimal && wanted === 'DECIMAL(38,9)') {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])]
    return scale <= 9 && precision - scale <= 29
  }
  const full = wanted === 'TIMESTAMPTZ' ? 'TIMESTAMP WITH TIME ZONE' : wanted
  return full === held || (castable[full]?.includes(held) ?? false)
}

/** Files by what their schemas say, so that each distinct schema is described once. */
async function groupBySchema(
  connection: DuckDBConnection,
  files: readonly ObjectFile[],
): Promise<ObjectFile[][]> {
  const byPath = new Map(files.map(file => [file.path, file]))
  const shape = "name, type, coalesce(converted_type, ''), coalesce(logical_type, ''), num_children"
  const rows = await readRows(
    connection,
    `SELECT file_name, md5(string_agg(concat_ws('|', ${shape}), ';' ORDER BY rn)) AS shape FROM (SELECT *, row_number() OVER (PARTITION BY file_name) AS rn FROM parquet_schema(${list(files)})) GROUP BY 1`,
  )
  const groups = new Map<string, ObjectFile[]>()
  for (const row of rows) {
    const file = byPath.get(String(row.file_name))
    if (file) groups.set(String(row.shape), [...(groups.get(String(row.shape)) ?? []), file])
  }
  return [...groups.values()]
}

function list(files: readonly ObjectFile[]): string {
  return `[${files.map(file => literal(file.path)).join(', ')}]`
}

async function describe(connection: DuckDBConnection, file: ObjectFile): Promise<Held[]> {
  const rows = await readRows(
    connection,
    `SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(${literal(file.path)}, hive_partitioning=false))`,
  )
  return rows.map(row => ({ name: String(row.column_name), type: String(row.column_type) }))
}

function sqlColumn(file: ObjectFile, held: readonly Held[], field: Field): string {
  const own = held.find(h => h.name.toLowerCase() === field.name.toLowerCase())
  const wanted = duckColumnType(field)
  if (!own) {
    if (field.mode === 'REQUIRED')
      throw fileError(file, `Required field ${field.name} is missing in the file.`)
    return `NULL::${wanted} AS ${quote(field.name)}`
  }
  if (!fits(wanted, own.type)) {
    const type = typeText(sqlType(field))
    throw fileError(
      file,
      `Parquet column '${own.name}' has type ${own.type} which does not match the target type ${type}.`,
    )
  }
  const same = own.type === wanted || (wanted === 'TIMESTAMPTZ' && own.type === 'TIMESTAMP WITH TIME ZONE')
  const value = same ? quote(own.name) : `${quote(own.name)}::${wanted}`
  return own.name === field.name && same ? value : `${value} AS ${quote(field.name)}`
}

function checkUnknown(file: ObjectFile, held: readonly Held[], fields: readonly Field[]): void {
  const extra = held.find(h => !findField(fields, h.name))
  if (extra) {
    throw fileError(
      file,
      `The file has a column that the schema lacks: Cannot add fields (field: ${extra.name}).`,
    )
  }
}

async function checkContent(file: ObjectFile): Promise<void> {
  const content = contentName(await readHead(file.path))
  if (content === 'Parquet') return
  throw fileError(file, `Input file is not in Parquet format${content ? `, it holds ${content} data` : ''}.`)
}

/** One SELECT over all the files; `extra` are further columns, as DuckDB text. */
export async function sqlParquet(
  connection: DuckDBConnection,
  files: readonly ObjectFile[],
  fields: readonly Field[],
  ignoreUnknown: boolean,
  extra: readonly string[],
): Promise<string> {
  for (const file of files) await checkContent(file)
  const parts: string[] = []
  for (const group of await groupBySchema(connection, files)) {
    const [first] = group
    if (!first) continue
    const held = await describe(connection, first)
    if (!ignoreUnknown) checkUnknown(first, held, fields)
    const columns = [...fields.map(field => sqlColumn(first, held, field)), ...extra]
    parts.push(`SELECT ${columns.join(', ')} FROM read_parquet(${list(group)}, hive_partitioning=false)`)
  }
  return parts.join(' UNION ALL ')
}

/** DuckDB's failure while reading, told of the file where its message names one. */
export function parquetError(error: unknown, files: readonly ObjectFile[]): unknown {
  if (!(error instanceof Error)) return error
  const known = /^(IO|Invalid|Invalid Input|Conversion|Out of Range|Serialization) Error/.test(error.message)
  const [only, ...others] = files
  const file = files.find(f => error.message.includes(f.path)) ?? (others.length === 0 ? only : undefined)
  if (!known || !file) return error
  const message = error.message.replaceAll(file.path, file.name).split('\n')[0] ?? ''
  return fileError(file, `${message.replace(/\.?$/, '.')}`)
}
