/** What a run will do, as data: stages of literal BigQuery jobs. Written before the first job, never changed. */
import type { AddedColumn, Strategy } from '../feed/feed.ts'
import type { FeedName, RunId, TableRef } from '../feed/names.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import type { Governance } from './governance.ts'

export const STAGES = [
  'load',
  'inspect',
  'append',
  'deduplicate',
  'restore',
  'save',
  'clone',
  'announce',
] as const
/** How what landed reaches staging: a strategy of the feed, or the model's own way. */
export type Way = Strategy | 'append' | 'replace-partitions'
export type StageName = (typeof STAGES)[number]

export interface JobReference {
  readonly projectId: string
  /** Ends in `_a1`: the workflow counts attempts up from there when a job has failed. */
  readonly jobId: string
  readonly location: string
}

/** The `configuration` of a job, as jobs.insert takes it. docs.cloud.google.com/bigquery/docs/reference/rest/v2/Job */
export interface JobConfiguration {
  readonly labels: Readonly<Record<string, string>>
  /** Where the job gets its slots from; the project's assignment says so when it is absent. */
  readonly reservation?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly load?: Readonly<Record<string, unknown>>
  readonly copy?: Readonly<Record<string, unknown>>
}

/** Literally the body of jobs.insert. */
export interface JobBody {
  readonly jobReference: JobReference
  readonly configuration: JobConfiguration
}

export interface Stage {
  readonly name: StageName
  /** How long the workflow waits for one of its jobs. */
  readonly timeoutSeconds: number
  /** Run one after the other. */
  readonly jobs: readonly JobBody[]
}

export interface PlannedSnapshot {
  readonly id: SnapshotId
  readonly arrivedAt: string
  readonly files: number
  readonly bytes: number
  readonly rows?: number
  readonly approved: boolean
  /** Objects of partitions that are, byte for byte, those of the snapshot before: not loaded, and their rows known. */
  readonly skipped?:
    | {
        readonly files: number
        readonly bytes: number
        readonly partitions: readonly { readonly start: string; readonly rows: number }[]
      }
    | undefined
  /** Of its objects and their generations: tells this delivery from a later one of the same id. */
  readonly fingerprint: string
  /** Of what its files hold, where the same files must not count twice. */
  readonly content?: string
  readonly landing: TableRef
  /** The rows as texts, where the feed lets bad rows pass: they are looked at one by one on their way to landing. */
  readonly raw?: TableRef
}

/** A text object that pins the files of a load job, one URI a line. It lies in the inbox, as BigQuery asks. */
export interface UriList {
  readonly object: string
  readonly snapshot: SnapshotId
  readonly bucket: string
  readonly files: readonly { readonly name: string; readonly generation: string }[]
}

/** A table that belongs to staging, as it was saved with a rollback point. */
export interface SavedTable {
  readonly table: TableRef
  readonly columns: readonly string[]
}

export interface RunPlan {
  readonly version: 1
  /** `rollback`: the tables go back to an earlier rollback point; `correction`: rows are changed in place. No snapshot lands then. */
  readonly kind: 'refresh' | 'rollback' | 'correction'
  readonly run: RunId
  readonly feed: FeedName
  /** The target. */
  readonly table: TableRef
  /** What the feed asks for. Which way is gone is decided once inspect has counted: `planApply`. */
  readonly strategy: Way
  /** Why, as one sentence. */
  readonly why: string
  /** In their order, oldest first. */
  readonly snapshots: readonly PlannedSnapshot[]
  /** Snapshots that a newer one makes pointless: they wait too, and end with this run. */
  readonly superseded: readonly { readonly id: SnapshotId; readonly fingerprint: string }[]
  /** Rows of staging when the plan was made. */
  readonly rowsBefore: number
  /** What the target is cloned from: made by a refresh, found again by a rollback. */
  readonly rollbackPoint: TableRef
  /** Saved with it: what the model keeps beside staging. */
  readonly beside?: readonly SavedTable[] | undefined
  /** What governed the target when the plan was made: it must be there afterwards too. */
  readonly governance?: Governance | undefined
  /** Of the feed as it was planned for: another feed of that name has to do with `stages` as they are. */
  readonly feedHash: string
  /** Columns that the table has, or gets by this run, beyond those of the feed. */
  readonly added?: readonly AddedColumn[]
  /** What staging held when the plan was made; absent where there was no staging. */
  readonly previous?: { readonly run: RunId; readonly newest: SnapshotId } | undefined
  /** A hash of the newest snapshot's objects, partition by partition, where their paths name it; and of what they mean. */
  readonly objects?: { readonly layout: string; readonly contents: Readonly<Record<string, string>> }
  readonly uriLists: readonly UriList[]
  /** Complete, with the one way that is always right; `planApply` may put others for `append` and `deduplicate`. */
  readonly stages: readonly Stage[]
}

export interface Warehouse {
  readonly projectId: string
  readonly location: string
  /** Freshet's own datasets. */
  readonly landing: string
  readonly staging: string
  /** The inbox bucket. */
  readonly inbox: string
}

export interface TableColumn {
  readonly name: string
  readonly type: string
}

/** What the run that wrote staging last had loaded, or left out in its turn: content and rows of each partition. */
export interface LandedObjects {
  readonly layout: string
  readonly partitions: Readonly<Record<string, { readonly content: string; readonly rows: number }>>
}

/** What a plan depends on beyond the feed and the snapshots. */
export interface RunState {
  readonly warehouse: Warehouse
  /** Staging as it is; absent before the first run. */
  readonly staging?: { readonly rows: number; readonly columns: readonly TableColumn[] }
  /** What governs the target; absent before the first run. */
  readonly target?: Governance | undefined
  /** The last run that refreshed the table. */
  readonly last?: {
    readonly run: RunId
    readonly newest: SnapshotId
    readonly rollbackPoint?: TableRef | undefined
    readonly beside?: readonly SavedTable[] | undefined
    /** Rows of staging may bear an older snapshot than the newest that had them. */
    readonly skipped?: boolean | undefined
    /** Rows that staging had when that run was over. */
    readonly published?: number | undefined
    /** By which its rows were told apart. */
    readonly model?: string | undefined
    /** Where paths name partitions, and that run's fingerprints hold. */
    readonly landed?: LandedObjects | undefined
  }
  /** Of snapshots whose rows are in the table, what their files held: where the same must not count twice. */
  readonly applied?: ReadonlyMap<SnapshotId, string>
}

/** A snapshot that waits; `generation` is that of its object in `pending/`, so each arrival is one of its own. */
export interface PendingSnapshot extends Snapshot {
  readonly generation: string
}
