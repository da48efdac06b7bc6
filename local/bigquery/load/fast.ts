/** The quick way to load text: DuckDB's own readers, for files that are proven to hold nothing it would change. */
import { createReadStream } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { duckColumnType, type Field, literal, quote } from '../catalogue/field.ts'
import { fillFrom } from '../catalogue/segments.ts'
import { readNumber } from '../engine.ts'
import { type Plain, run } from './automaton.ts'
import type { LoadConfig } from './config.ts'
import type { TextFile } from './exact.ts'

/** Watches a file's bytes go by; `proven` is asked at the end. */
export interface Proof {
  feed(bytes: Uint8Array): void
  proven(): boolean
}

export function makeProof(plain: Plain): Proof {
  let state = plain.start
  return {
    feed(bytes) {
      // In the state of failure nothing more can be learnt.
      if (state !== 0) state = run(plain.table, state, bytes)
    },
    proven: () => plain.accepts(state),
  }
}

async function isProven(file: TextFile, plain: Plain): Promise<boolean> {
  if (file.proof) return file.proof.proven()
  const proof = makeProof(plain)
  for await (const chunk of createReadStream(file.path, { highWaterMark: 2 ** 20 })) proof.feed(chunk)
  return proof.proven()
}

function sqlOptions({ format, csv }: LoadConfig): string {
  if (format !== 'CSV') return "format='newline_delimited', maximum_object_size=104857600"
  const quote = literal(csv.quote)
  const dialect = `delim=${literal(csv.delimiter)}, quote=${quote}, escape=${quote}, new_line='\\n'`
  // A quoted nothing is an empty text, a bare one is NULL.
  return `auto_detect=false, header=false, skip=${csv.skipLeadingRows}, ${dialect}, nullstr='', allow_quoted_nulls=false`
}

function sqlRead(files: readonly TextFile[], fields: readonly Field[], config: LoadConfig): string {
  const paths = files.map(file => literal(file.path)).join(', ')
  const columns = fields.map(field => `${quote(field.name)}: '${duckColumnType(field)}'`).join(', ')
  const names = fields.map(field => quote(field.name)).join(', ')
  const [read, none] = config.format === 'CSV' ? ['read_csv', 'none'] : ['read_json', 'uncompressed']
  const options = `${sqlOptions(config)}, compression='${none}', hive_partitioning=false`
  return `SELECT ${names} FROM ${read}([${paths}], columns={${columns}}, ${options})`
}

/** REQUIRED columns and lengths are not for an automaton to see. */
async function hasMisfit(
  connection: DuckDBConnection,
  name: string,
  fields: readonly Field[],
): Promise<boolean> {
  const conditions = fields.flatMap(field => [
    ...(field.mode === 'REQUIRED' ? [`${quote(field.name)} IS NULL`] : []),
    ...(field.maxLength === undefined ? [] : [`length(${quote(field.name)}) > ${field.maxLength}`]),
  ])
  for (const condition of conditions) {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${condition} LIMIT 1)`
    if ((await readNumber(connection, sql)) > 0) return true
  }
  return false
}

/** Rows put into the table `name`, or `undefined` when the exact way must be taken: it accepts more, and names what is wrong. */
export async function fillFast(
  connection: DuckDBConnection,
  name: string,
  files: readonly TextFile[],
  fields: readonly Field[],
  config: LoadConfig,
  plain: Plain | undefined,
): Promise<number | undefined> {
  const full = files.filter(({ size }) => size > 0)
  if (!plain || full.length === 0) return undefined
  for (const file of full) if (!(await isProven(file, plain))) return undefined
  try {
    const rows = await fillFrom(sqlRead(full, fields, config))(connection, name)
    if (!(await hasMisfit(connection, name, fields))) return rows
  } catch (error) {
    // About a value: the exact way will say which. Anything else is a failure of its own.
    const aboutValue =
      error instanceof Error && /^(Invalid Input|Conversion|Out of Range) Error/.test(error.message)
    if (!aboutValue) throw error
  }
  await connection.run(`DROP TABLE IF EXISTS ${name}`)
  return undefined
}
