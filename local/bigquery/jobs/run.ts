/** What a job works with while it runs, and what it hands back. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock, ObjectFiles } from '../../service.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Draft } from '../catalogue/draft.ts'
import type { TableId } from '../catalogue/entry.ts'
import type { Engine } from '../engine.ts'
import type { Locks } from './locks.ts'

/** The engine's parts, one set a server. */
export interface Deps {
  readonly catalogue: Catalogue
  readonly engine: Engine
  readonly clock: Clock
  readonly locks: Locks
  readonly objects: ObjectFiles
  readonly project: string
  readonly location: string
}

export interface Run extends Deps {
  readonly jobId: string
  /** The job's own; interrupting it cancels the job. */
  readonly connection: DuckDBConnection
  /** Holds the tables that the job will write until it ends. Call it once, before reading. */
  lock(ids: readonly TableId[]): Promise<void>
  /** Kept until the job ended, however it ended. */
  defer(release: () => unknown): void
  /** Throws when the job was cancelled. */
  check(): void
}

type Statistics = Readonly<Record<string, unknown>>

/** A step that is ready: `apply` makes it true, in the same transaction that marks the job as done. */
export interface Outcome {
  readonly statistics: Statistics
  /** What it answers is added to the statistics. */
  apply?(draft: Draft): Statistics | undefined
  readonly configuration?: Statistics
  readonly result?: TableId
  /** Bad records that were let pass, say. */
  readonly warnings?: readonly { reason: string; message: string; location?: string }[]
}

export type Executor = (run: Run) => Promise<Outcome>
