/** What Freshet keeps in its state bucket, object by object. Readable with any Cloud Storage tool. */
import { z } from 'zod'
import type { FeedName, RunId, TableRef } from '../feed/names.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import type { RefreshMessage } from '../message.ts'
import type { Applied } from '../plan/applied.ts'
import type { CorrectionRequest } from '../plan/plan-correction.ts'
import type { RollbackRequest } from '../plan/plan-rollback.ts'
import type { RunPlan, SavedTable } from '../plan/run-plan.ts'
import type { Verdict } from '../plan/verdict.ts'

/** `<feed>/lease.json`: who refreshes now, which run is under way, and which one refreshed the table last. */
export interface Lease {
  /** The workflow execution that holds it; absent when nobody does. */
  readonly holder?: string | undefined
  /** ISO 8601: after this anyone may take it over. */
  readonly until: string
  /** The run that is not closed yet: whoever holds the lease brings this one to its end first. */
  readonly run?: RunId | undefined
  readonly last?: LastRefresh | undefined
}

export interface LastRefresh {
  readonly run: RunId
  readonly newest: SnapshotId
  /** ISO 8601: when the newest snapshot arrived. */
  readonly arrivedAt?: string | undefined
  /** What the target was cloned from. */
  readonly rollbackPoint?: TableRef | undefined
  /** What was saved with it. */
  readonly beside?: readonly SavedTable[] | undefined
  /** Columns that had a value in that snapshot. */
  readonly filled?: readonly string[] | undefined
  /** Rows that the newest snapshot brought. */
  readonly rows: number
  /** Rows that staging and target had after that run. */
  readonly published?: number | undefined
  /** By which rows of staging are told apart, such as `unique by id`. */
  readonly model?: string | undefined
  /** Some run left rows as they were, so that they bear an older snapshot than the newest that had them. */
  readonly skipped?: boolean | undefined
}

/** `<feed>/runs/<run>.json`: the plan, then the verdict, then what it did. The plan never changes. */
export interface RunRecord {
  readonly plan: RunPlan
  /** ISO 8601 */
  readonly plannedAt: string
  /** The request that a rollback does. */
  readonly rollback?: RollbackRequest
  /** The request that a correction does. */
  readonly correction?: CorrectionRequest
  readonly verdict?: Verdict
  /** How a run that was let pass goes on; written with its verdict, once. */
  readonly applied?: Applied
  /** The messages that the run sends; kept for ever, they are its receipt. */
  readonly messages?: readonly RefreshMessage[]
  /** ISO 8601: set when the messages were sent and the snapshots settled. */
  readonly closedAt?: string
}

/** `<feed>/settled/<snapshot>.json`: a snapshot that a run ended with; the same files again change nothing. */
export interface Settled {
  readonly fingerprint: string
  readonly outcome: 'refreshed' | 'unchanged' | 'superseded' | 'held' | 'rejected'
  readonly run: string
  /** The run that added its rows, and what its files held, where the same must not count twice; kept from then on. */
  readonly applied?: { readonly run: RunId; readonly content: string } | undefined
}

const snapshotId = z.string().transform(text => text as SnapshotId)
const runId = z.string().transform(text => text as RunId)
const tableRef = z.object({ projectId: z.string(), datasetId: z.string(), tableId: z.string() })
/** Our own files are read strictly enough to notice a hand that went wrong. */
export const leaseSchema: z.ZodType<Lease> = z.object({
  holder: z.string().optional(),
  until: z.iso.datetime(),
  run: runId.optional(),
  last: z
    .object({
      run: runId,
      newest: snapshotId,
      arrivedAt: z.string().optional(),
      rows: z.number(),
      published: z.number().optional(),
      model: z.string().optional(),
      rollbackPoint: tableRef.optional(),
      beside: z.array(z.object({ table: tableRef, columns: z.array(z.string()) })).optional(),
      filled: z.array(z.string()).optional(),
      skipped: z.boolean().optional(),
    })
    .optional(),
})

export const pathsOf = (feed: FeedName) => ({
  pending: `${feed}/pending/`,
  pendingOf: (snapshot: string) => `${feed}/pending/${snapshot}.json`,
  lease: `${feed}/lease.json`,
  runOf: (run: string) => `${feed}/runs/${run}.json`,
  settledOf: (snapshot: string) => `${feed}/settled/${snapshot}.json`,
  runs: `${feed}/runs/`,
  /** The lateness that was told last: it is told once. */
  late: `${feed}/late.json`,
  /** Why the last run that failed did. */
  failed: `${feed}/failed.json`,
  /** A rollback that somebody asked for and no run has done yet. */
  rollback: `${feed}/rollback.json`,
  /** When the inbox was looked through last for snapshots that no event told of. */
  looked: `${feed}/looked.json`,
  /** Objects of a snapshot that were found wrong before they could wait: they are told once. */
  refusedOf: (snapshot: string) => `${feed}/refused/${snapshot}.json`,
  /** A correction that somebody asked for and no run has done yet. */
  correction: `${feed}/correction.json`,
})
