/** The catalogue's own DuckDB tables: each entry is one row of JSON. */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { readRows } from '../engine.ts'
import type { JobEntry } from '../jobs/job.ts'
import type { Changes } from './draft.ts'
import type { DatasetEntry, Segment, TableEntry } from './entry.ts'

const kinds = ['dataset', 'table', 'segment', 'job'] as const
type Kind = (typeof kinds)[number]

async function createTables(connection: DuckDBConnection): Promise<void> {
  for (const kind of kinds) {
    await connection.run(
      `CREATE TABLE IF NOT EXISTS catalogue_${kind} (key VARCHAR PRIMARY KEY, body VARCHAR)`,
    )
  }
}

async function readKind<K, V>(
  connection: DuckDBConnection,
  kind: Kind,
  key: (text: string) => K,
): Promise<Map<K, V>> {
  const rows = await readRows(connection, `SELECT key, body FROM catalogue_${kind} ORDER BY key`)
  // Only this file writes these rows, so that their shape is known.
  return new Map(rows.map(row => [key(String(row.key)), JSON.parse(String(row.body)) as V]))
}

/** One writer on one connection, which nobody else uses. */
export class CatalogueStorage {
  private readonly connection: DuckDBConnection
  /** By their text: a job changes the catalogue four times, and making the statement is most of a small write's cost. */
  private readonly prepared = new Map<string, DuckDBPreparedStatement>()

  private constructor(connection: DuckDBConnection) {
    this.connection = connection
  }

  static async open(connection: DuckDBConnection): Promise<CatalogueStorage> {
    await createTables(connection)
    return new CatalogueStorage(connection)
  }

  async load() {
    const { connection } = this
    const text = (key: string) => key
    return {
      datasets: await readKind<string, DatasetEntry>(connection, 'dataset', text),
      tables: await readKind<string, TableEntry>(connection, 'table', text),
      segments: await readKind<number, Segment>(connection, 'segment', Number),
      jobs: await readKind<string, JobEntry>(connection, 'job', text),
    }
  }

  /** A segment's row is written once its DuckDB table is filled: a table without row is what a crash left. */
  async writeSegment(segment: Segment): Promise<void> {
    await this.write('segment', String(segment.id), segment)
  }

  async forgetSegment(id: number): Promise<void> {
    await this.write('segment', String(id), undefined)
  }

  /** All or nothing. */
  async writeChanges(changes: Changes): Promise<void> {
    await this.run('BEGIN TRANSACTION')
    try {
      for (const [key, entry] of changes.datasets) await this.write('dataset', key, entry)
      for (const [key, entry] of changes.tables) await this.write('table', key, entry)
      for (const [key, entry] of changes.jobs) await this.write('job', key, entry)
      await this.run('COMMIT')
    } catch (error) {
      await this.connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** An open statement keeps DuckDB's file locked, even when its connection is closed. */
  close(): void {
    for (const statement of this.prepared.values()) statement.destroySync()
    this.prepared.clear()
  }

  /** An update first, as most writes are of a job that is known: DuckDB's INSERT OR REPLACE costs several times both. */
  private async write(kind: Kind, key: string, entry: unknown): Promise<void> {
    const table = `catalogue_${kind}`
    if (entry === undefined) return void (await this.run(`DELETE FROM ${table} WHERE key = $1`, key))
    const body = JSON.stringify(entry)
    const { rowsChanged } = await this.run(`UPDATE ${table} SET body = $2 WHERE key = $1`, key, body)
    if (rowsChanged === 0) await this.run(`INSERT INTO ${table} VALUES ($1, $2)`, key, body)
  }

  private async run(sql: string, ...values: readonly string[]) {
    const known = this.prepared.get(sql)
    const statement = known ?? (await this.connection.prepare(sql))
    if (!known) this.prepared.set(sql, statement)
    for (const [i, value] of values.entries()) statement.bindVarchar(i + 1, value)
    return statement.run()
  }
}
