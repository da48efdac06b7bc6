/** What the handlers need of Google Cloud, as interfaces: the adapters beside this file serve them. */
import type { TableRef } from '../feed/names.ts'
import type { RefreshMessage } from '../message.ts'
import type { MaterializedView } from '../plan/dependents.ts'
import type { TableLayout } from '../plan/fit.ts'
import type { Governance } from '../plan/governance.ts'
import type { JobBody, JobReference, TableColumn } from '../plan/run-plan.ts'
import type { PgSql } from '../postgres-sql.ts'

export interface StoredObject {
  readonly name: string
  readonly generation: string
  /** Bytes as stored. */
  readonly size: number
  /** Base64, as Cloud Storage writes it. */
  readonly crc32c: string
  /** ISO 8601: when this generation was finalized. */
  readonly createdAt: string
}

export interface Objects {
  stat(bucket: string, name: string): Promise<StoredObject | undefined>
  /** Live objects below a prefix, in the order of their names. */
  list(bucket: string, prefix: string): Promise<StoredObject[]>
  /**
   * Names and folders (with their slash) right below a prefix, in order: at most some ten thousand. `more`: there are
   * others behind them.
   */
  listLevel(
    bucket: string,
    prefix: string,
  ): Promise<{ readonly names: readonly string[]; readonly more: boolean }>
  readText(
    bucket: string,
    name: string,
  ): Promise<{ readonly text: string; readonly generation: string } | undefined>
  /** Bytes `start` to `end` (exclusive) of one generation; fewer where the object ends. `undefined` when it is gone. */
  readRange(
    bucket: string,
    name: string,
    range: { generation: string; start: number; end: number },
  ): Promise<Buffer | undefined>
  /**
   * Writes a small object whole and answers its generation. With `ifGeneration` (`'0'`: must not be there) it
   * answers `undefined`, and has written nothing, when another write came first.
   */
  writeText(bucket: string, name: string, text: string, ifGeneration?: string): Promise<string | undefined>
  /** Removes one generation, or whatever is there; what is gone already is no error. */
  remove(bucket: string, name: string, ifGeneration?: string): Promise<void>
}

export interface TableFacts {
  readonly rows: number
  readonly columns: readonly TableColumn[]
  readonly labels: Readonly<Record<string, string>>
  readonly layout: TableLayout
  /** As BigQuery last counted them, which may be minutes ago; absent where it does not say. */
  readonly partitions?: number
  /** Only for tables that are published or published from: it takes a call more. */
  readonly governance?: Governance
}

export interface JobFacts {
  readonly error?: { readonly reason: string; readonly message: string }
  /** Every error of the job, the fatal one first. */
  readonly errors: readonly {
    readonly reason: string
    readonly message: string
    readonly location?: string
  }[]
  readonly destination?: TableRef
  /** Of a load job: rows that it could not read and left out. */
  readonly badRecords?: number
  readonly bytesProcessed: number
  readonly slotMs: number
  /** From its start to its end; 0 while it has none. */
  readonly seconds: number
}

export interface Warehouse {
  /** Free metadata; `undefined` when the table is not there. */
  readTable(table: TableRef): Promise<TableFacts | undefined>
  /** The same with `governance`. */
  readGoverned(table: TableRef): Promise<(TableFacts & { readonly governance: Governance }) | undefined>
  /** Where a dataset lies, such as `EU`; `undefined` when it is not there. */
  readLocation(dataset: {
    readonly projectId: string
    readonly datasetId: string
  }): Promise<string | undefined>
  /** Of one dataset; those of others are not looked for. */
  readMaterializedViews(dataset: {
    readonly projectId: string
    readonly datasetId: string
  }): Promise<readonly MaterializedView[]>
  readJob(job: JobReference): Promise<JobFacts | undefined>
  /** Runs a query job of few rows to its end; an id that is known already is adopted. */
  runQuery(job: JobBody): Promise<readonly Readonly<Record<string, string | null>>[]>
  /** The rows of a small query result, as the API renders values: text or null. */
  readRows(job: JobReference): Promise<readonly Readonly<Record<string, string | null>>[]>
}

export interface Workflows {
  /** Starts the workflow `refresh` for a feed; several at once are harmless. */
  startRefresh(feed: string): Promise<void>
}

export interface Topic {
  publish(message: RefreshMessage): Promise<void>
}

/** A structured log: fields first, then a sentence. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Log
}

/** One connection to a Postgres database. */
export interface Session {
  query(statement: PgSql): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Runs statements whose rows nobody reads; answers how many rows the last one touched. */
  run(statements: PgSql): Promise<number>
  /** Feeds lines to a COPY … FROM STDIN; answers how many rows it took. */
  copy(statement: PgSql, lines: AsyncIterable<string>): Promise<number>
  /** Commits what `work` did, or, when it throws, none of it. */
  transaction<T>(work: () => Promise<T>): Promise<T>
}

export interface Database {
  /** One statement on a connection of its own. */
  query(statement: PgSql): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Gives `use` a connection, and takes it back however that ends. */
  connect<T>(use: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Opens the database that a feed calls by this name. */
export type OpenDatabase = (name: string) => Database

/** A query whose rows wait in a table of their own, so that any range of them can be asked for again. */
export interface Extract {
  readonly job: JobBody
  readonly into: TableRef
}

/** Rows of BigQuery as they were rendered: a text or NULL for each column. */
export interface RowsOut {
  /** Runs the query of an extract to its end, unless its rows lie there already; answers how many there are. */
  extract(plan: (attempt: number) => Extract): Promise<{ readonly into: TableRef; readonly rows: number }>
  /** Rows `start` to `start + count`, in the order of the table. */
  read(table: TableRef, start: number, count: number): AsyncIterable<readonly (string | null)[]>
  drop(table: TableRef): Promise<void>
}
