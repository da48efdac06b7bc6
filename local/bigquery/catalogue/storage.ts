/** The catalogue's own DuckDB tables: each entry is one row of JSON. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { readRows } from '../engine.ts'
import type { JobEntry } from '../jobs/job.ts'
import type { Changes } from './draft.ts'
import type { DatasetEntry, Segment, TableEntry } from './entry.ts'

const kinds = ['dataset', 'table', 'segment', 'job'] as const
type Kind = (typeof kinds)[number]

export async function createTables(connection: DuckDBConnection): Promise<void> {
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

export async function loadContents(connection: DuckDBConnection) {
  const text = (key: string) => key
  return {
    datasets: await readKind<string, DatasetEntry>(connection, 'dataset', text),
    tables: await readKind<string, TableEntry>(connection, 'table', text),
    segments: await readKind<number, Segment>(connection, 'segment', Number),
    jobs: await readKind<string, JobEntry>(connection, 'job', text),
  }
}

async function writeEntry(
  connection: DuckDBConnection,
  kind: Kind,
  key: string,
  entry: unknown,
): Promise<void> {
  if (entry === undefined) {
    await connection.run(`DELETE FROM catalogue_${kind} WHERE key = $key`, { key })
    return
  }
  const body = JSON.stringify(entry)
  await connection.run(`INSERT OR REPLACE INTO catalogue_${kind} VALUES ($key, $body)`, { key, body })
}

/** A segment's row is written once its DuckDB table is filled: a table without row is what a crash left. */
export async function writeSegment(connection: DuckDBConnection, segment: Segment): Promise<void> {
  await writeEntry(connection, 'segment', String(segment.id), segment)
}

export async function forgetSegment(connection: DuckDBConnection, id: number): Promise<void> {
  await writeEntry(connection, 'segment', String(id), undefined)
}

/** All or nothing. */
export async function writeChanges(connection: DuckDBConnection, changes: Changes): Promise<void> {
  await connection.run('BEGIN TRANSACTION')
  try {
    for (const [key, entry] of changes.datasets) await writeEntry(connection, 'dataset', key, entry)
    for (const [key, entry] of changes.tables) await writeEntry(connection, 'table', key, entry)
    for (const [key, entry] of changes.jobs) await writeEntry(connection, 'job', key, entry)
    await connection.run('COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
}
