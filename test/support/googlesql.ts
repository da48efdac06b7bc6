/** Google's own SQL analyzer and reference evaluator, as the oracle of tests; absent where its binary does not run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as grpc from '@grpc/grpc-js'
import protoLoader from '@grpc/proto-loader'
import type { Column, SqlType } from '../../local/bigquery/sql/type.ts'
import { type Cell, decodeCell, encodeCell, encodeType } from './googlesql-value.ts'

export interface OracleTable {
  /** `t`, or `project.dataset.table`. */
  readonly name: string
  readonly columns: readonly Column[]
  readonly rows?: readonly (readonly Cell[])[]
}
export interface OracleParameter {
  readonly name: string
  readonly type: SqlType
  readonly value: Cell
}
export interface OracleResult {
  readonly columns: readonly { readonly name: string; readonly kind: string }[]
  readonly rows: readonly (readonly Cell[])[]
}
/** Calls reject with the analyzer's or evaluator's message. */
export interface GoogleSql {
  /** Column names of a query (none for other statements); rejects what is no valid GoogleSQL. */
  analyze(
    sql: string,
    tables: readonly OracleTable[],
    parameters?: readonly OracleParameter[],
  ): Promise<readonly string[]>
  /** Runs one query over the given rows. */
  evaluate(
    sql: string,
    tables: readonly OracleTable[],
    parameters?: readonly OracleParameter[],
  ): Promise<OracleResult>
  close(): void
}

const binaries: Readonly<Record<string, string>> = {
  'linux-x64': 'remote_server.so',
  'linux-arm64': 'remote_server_arm.so',
  'darwin-x64': 'remote_server',
  'darwin-arm64': 'remote_server_arm',
}
const home = join(
  dirname(fileURLToPath(import.meta.resolve('@fivetrandevelopers/zetasql/package.json'))),
  'lib/zetasql',
)
const binary = join(home, binaries[`${process.platform}-${process.arch}`] ?? 'none')

/** Why there is no oracle here; `undefined` when there is one. */
export const noGoogleSql = existsSync(binary)
  ? undefined
  : `no GoogleSQL server for ${process.platform}-${process.arch}`

// Features that BigQuery has and the library calls "in development".
const extraFeatures = [
  'FEATURE_CREATE_TABLE_CLONE',
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_ALTER_COLUMN_SET_DATA_TYPE',
  'FEATURE_V_1_4_GROUPING_SETS',
]

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** grpc-js waits a second after a refused connection, so the port is probed first. */
async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (child.exitCode !== null) throw new Error(`GoogleSQL server ended with ${child.exitCode}`)
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      }).once('error', () => resolve(false))
    })
    if (isOpen) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error('GoogleSQL server does not listen')
}

// The client's methods come from a .proto file at run time: here is the wire's edge.
// biome-ignore lint/suspicious/noExplicitAny: untyped protocol buffers
type Wire = any
type Call = (method: string, request: object) => Promise<Wire>

function makeCall(port: number): { call: Call; close: () => void } {
  const definition = protoLoader.loadSync('local_service.proto', {
    defaults: false,
    oneofs: true,
    longs: String,
    enums: String,
    includeDirs: [join(home, 'protos')],
  })
  const loaded: Wire = grpc.loadPackageDefinition(definition)
  const Service = loaded.zetasql.local_service.ZetaSqlLocalService
  const unlimited = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 }
  const client = new Service(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), unlimited)
  const call: Call = (method, request) =>
    new Promise((resolve, reject) =>
      client[method](request, (error: grpc.ServiceError | null, answer: Wire) =>
        error ? reject(new Error(error.details)) : resolve(answer),
      ),
    )
  return { call, close: () => client.close() }
}

async function readOptions(call: Call): Promise<object> {
  const base = await call('getLanguageOptions', { maximumFeatures: true })
  return {
    ...base,
    productMode: 'PRODUCT_EXTERNAL',
    supportedStatementKinds: [],
    enabledLanguageFeatures: [...base.enabledLanguageFeatures, ...extraFeatures],
  }
}

/** Nested catalogs for paths, and each table at the root under its whole name. */
function makeCatalog(tables: readonly OracleTable[], languageOptions: object, nested: boolean): object {
  const root: { table: object[]; catalog: Wire[] } = { table: [], catalog: [] }
  for (const { name, columns } of tables) {
    const column = columns.map(c => ({ name: c.name, type: encodeType(c.type) }))
    root.table.push({ name, column })
    const parts = name.split('.')
    const last = parts.pop()
    if (!nested || parts.length === 0) continue
    let place: { table: object[]; catalog: Wire[] } = root
    for (const part of parts) {
      const found = place.catalog.find(c => c.name === part) ?? { name: part, table: [], catalog: [] }
      if (!place.catalog.includes(found)) place.catalog.push(found)
      place = found
    }
    place.table.push({ name: last, column })
  }
  return { name: 'oracle', builtinFunctionOptions: { languageOptions }, ...root }
}

/** Only root tables can have rows, so paths become one quoted name. */
function flatten(sql: string, tables: readonly OracleTable[]): string {
  let text = sql
  for (const { name } of tables.filter(t => t.name.includes('.'))) {
    const parts = name.split('.')
    for (const form of [
      parts.map(part => `\`${part}\``).join('.'),
      `\`${parts[0]}\`.${parts.slice(1).join('.')}`,
    ]) {
      text = text.replaceAll(form, `\`${name}\``)
    }
    text = text.replace(
      new RegExp(`(?<![\`.\\w])${name.replace(/[.-]/g, '\\$&')}(?![\`\\w])`, 'g'),
      `\`${name}\``,
    )
  }
  return text
}

function contentOf({ name, columns, rows = [] }: OracleTable): object {
  const row = rows.map(cells => {
    // A row with a wrong number of cells kills the server.
    if (cells.length !== columns.length)
      throw new Error(`${name}: a row has ${cells.length} cells, not ${columns.length}`)
    return { cell: cells.map((cell, i) => encodeCell(columns[i]?.type, cell)) }
  })
  return { tableData: { row } }
}

function makeOracle(call: Call, languageOptions: object): Omit<GoogleSql, 'close'> {
  const analyzerOptions = (parameters: readonly OracleParameter[]) => ({
    languageOptions,
    defaultTimezone: 'UTC',
    errorMessageMode: 'ERROR_MESSAGE_ONE_LINE',
    queryParameters: parameters.map(({ name, type }) => ({ name, type: encodeType(type) })),
  })
  return {
    async analyze(sql, tables, parameters = []) {
      const answer = await call('analyze', {
        sqlStatement: sql,
        simpleCatalog: makeCatalog(tables, languageOptions, true),
        options: analyzerOptions(parameters),
      })
      const query = answer.resolvedStatement?.resolvedQueryStmtNode
      return (query?.outputColumnList ?? []).map((column: Wire) => String(column.name))
    },
    async evaluate(sql, tables, parameters = []) {
      const answer = await call('evaluateQuery', {
        sql: flatten(sql, tables),
        options: analyzerOptions(parameters),
        simpleCatalog: makeCatalog(tables, languageOptions, false),
        tableContent: Object.fromEntries(tables.map(table => [table.name, contentOf(table)])),
        params: parameters.map(({ name, type, value }) => ({ name, value: encodeCell(type, value) })),
      })
      const types: Wire[] = (answer.prepared?.columns ?? []).map((column: Wire) => column.type)
      const rows: Wire[] = answer.content?.tableData?.row ?? []
      return {
        columns: (answer.prepared?.columns ?? []).map((c: Wire) => ({
          name: String(c.name),
          kind: String(c.type.typeKind),
        })),
        rows: rows.map(row => (row.cell ?? []).map((cell: Wire, i: number) => decodeCell(types[i], cell))),
      }
    },
  }
}

/** Starts a server of its own; one for each test file. */
export async function startGoogleSql(): Promise<GoogleSql> {
  if (noGoogleSql) throw new Error(noGoogleSql)
  const port = await freePort()
  const child = spawn(binary, ['localhost', String(port)], { stdio: 'ignore' })
  const kill = () => child.kill()
  process.once('exit', kill)
  await untilListening(port, child)
  const { call, close } = makeCall(port)
  return {
    ...makeOracle(call, await readOptions(call)),
    close() {
      close()
      process.off('exit', kill)
      kill()
    },
  }
}
