/** Parquet files as DuckDB writes them, for tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** One file for each query, in its order. */
export async function writeParquet<Name extends string>(
  queries: Readonly<Record<Name, string>>,
): Promise<Readonly<Record<Name, Buffer>>> {
  const folder = mkdtempSync(join(tmpdir(), 'freshet-parquet-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files: Partial<Record<Name, Buffer>> = {}
  try {
    for (const name in queries) {
      const path = join(folder, 'one.parquet')
      await connection.run(`COPY (${queries[name]}) TO '${path}' (FORMAT parquet)`)
      files[name] = readFileSync(path)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(folder, { recursive: true })
  }
  return files as Record<Name, Buffer>
}
