/** What every way is given, and what it answers. */
import type { Feed } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import type { RowsOut } from '../../gcp/ports.ts'
import type { Sql } from '../../plan/sql.ts'
import type { PgTable } from '../../postgres-sql.ts'
import type { Stamp } from '../stamp.ts'

/** Rows that wait in a table of BigQuery. */
export interface Extracted {
  readonly into: TableRef
  readonly rows: number
}

export interface Load {
  readonly feed: Feed
  readonly table: PgTable
  readonly run: string
  /** The rollback point whose rows are to be served. */
  readonly point: TableRef
  /** What is served so far, and its rollback point. */
  readonly served?: { readonly stamp: Stamp; readonly point: TableRef } | undefined
  readonly stamp: Omit<Stamp, 'way' | 'rows' | 'moving'>
  readonly rowsOut: RowsOut
  /** Runs a query to its end; the same query has run already where a load is resumed. */
  extract(query: Sql): Promise<Extracted>
  readonly workers: number
  readonly graceSeconds: number
  /** Rows of a table of BigQuery, from its metadata. */
  rowsOf(table: TableRef): Promise<number>
  /** Parts that are done, of all. */
  progress(done: number, of: number): void
  /** Resolves when the database can bear the next batch. */
  pace(): Promise<void>
}

export interface Outcome {
  readonly way: 'delta' | 'swap' | 'apart' | 'none'
  /** In the table now. */
  readonly rows: number
  readonly written: number
  readonly deleted: number
}
