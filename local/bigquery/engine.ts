/** The one DuckDB instance that owns the file, and how connections are made, used and ended. */
import { mkdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { MACROS, SESSION_SETTINGS } from './sql/index.ts'

export interface EngineOptions {
  readonly dir: string
  /** DuckDB's spelling, such as `2GB`; half of the machine's memory when absent. */
  readonly memoryLimit?: string | undefined
  readonly threads?: number | undefined
}

export interface Engine {
  /** A folder for files that live as long as one job. */
  readonly scratch: string
  connect(): Promise<DuckDBConnection>
  /** Ends a connection that `connect` made. */
  end(connection: DuckDBConnection): void
  /** Lends a connection for as long as `work` runs. One connection serves one stream at a time. */
  using<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>
  close(): void
}

/** For all connections to come: each session would pay for setting them itself. */
const settings = [
  ...SESSION_SETTINGS.map(setting => setting.replace(/^SET /, 'SET GLOBAL ')),
  // Files are read in parallel; what needs an order says so with ORDER BY.
  'SET GLOBAL preserve_insertion_order=false',
]

/** Opens `dir/bigquery.duckdb`, making it when it is not there. */
export async function openEngine({ dir, memoryLimit, threads }: EngineOptions): Promise<Engine> {
  const scratch = join(dir, 'scratch')
  mkdirSync(scratch, { recursive: true })
  const instance = await DuckDBInstance.fromCache(join(dir, 'bigquery.duckdb'), {
    memory_limit: memoryLimit ?? `${Math.floor(totalmem() / 2 ** 21)}MiB`,
    temp_directory: join(dir, 'spill'),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(threads === undefined ? {} : { threads: String(threads) }),
  })
  const open = new Set<DuckDBConnection>()
  const connect = async () => {
    const connection = await instance.connect()
    open.add(connection)
    return connection
  }
  const end = (connection: DuckDBConnection) => {
    if (open.delete(connection)) connection.closeSync()
  }
  const first = await connect()
  for (const statement of [...settings, ...MACROS]) await first.run(statement)
  end(first)
  return {
    scratch,
    connect,
    end,
    async using(work) {
      const connection = await connect()
      try {
        return await work(connection)
      } finally {
        end(connection)
      }
    },
    close() {
      for (const connection of open) end(connection)
      instance.closeSync()
    },
  }
}

/** Runs a query and answers its rows, each by column name. For small results. */
export async function readRows(connection: DuckDBConnection, sql: string) {
  return (await connection.runAndReadAll(sql)).getRowObjects()
}

/** The one value of a query with one row and one column, as a number; 0 for NULL. */
export async function readNumber(connection: DuckDBConnection, sql: string): Promise<number> {
  const row = (await connection.runAndReadAll(sql)).getRows()[0]
  return Number(row?.[0] ?? 0)
}
