/** DuckDB for a yardstick: a file of its own, with the settings that the embedded cloud runs with. */
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Settings } from './side.ts'

export interface DuckDb {
  readonly connection: DuckDBConnection
  countStaging(): Promise<number>
  close(): Promise<void>
}

export async function openDuckDb(
  { work, threads, memoryLimit }: Pick<Settings, 'work' | 'threads' | 'memoryLimit'>,
  name: string,
): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(join(work, `${name}.duckdb`), {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: join(work, `${name}.tmp`),
    preserve_insertion_order: 'false',
  })
  const connection = await instance.connect()
  return {
    connection,
    async countStaging() {
      const counted = await connection.runAndReadAll('SELECT count(*) FROM staging')
      return Number(counted.getRows()[0]?.[0])
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
