/** The message on the topic `freshet-refreshed`: what subscribers read. Its schema is message.avsc. */

export const STATUSES = ['refreshed', 'pending', 'unchanged', 'held', 'rejected', 'failed', 'late'] as const
export type Status = (typeof STATUSES)[number]

/** Counts of rows. `updated` are rows of the snapshots whose key was in the table already. */
export interface RowCounts {
  readonly before: number
  readonly loaded: number
  /** Bad rows of the snapshots that went to the quarantine table instead. */
  readonly quarantined: number
  readonly inserted: number
  readonly updated: number
  readonly kept: number
  readonly deleted: number
  readonly after: number
}

/**
 * One pass over one feed, told to whoever subscribes. Delivered at least once: `run` and `status` are the key
 * against a second copy, for a run that is resumed tells `failed` first and `refreshed` later. Texts are empty and numbers 0 where they do not apply, so that the JSON is plain.
 */
export interface RefreshMessage {
  readonly version: 1
  readonly status: Status
  readonly feed: string
  /** `project.dataset.table` */
  readonly table: string
  /** In their order, oldest first. */
  readonly snapshots: readonly string[]
  readonly run: string
  readonly strategy: string
  readonly rows: RowCounts
  readonly partitions: { readonly total: number; readonly changed: number }
  /** ISO 8601 */
  readonly arrivedAt: string
  readonly finishedAt: string
  /** From the arrival of the last object to the end of the run. */
  readonly withinSeconds: number
  readonly bytesProcessed: number
  readonly slotMs: number
  /** `project.dataset.table` of the rollback point. */
  readonly rollbackPoint: string
  /** Why a run did not refresh the table, and what to do; empty when it did. */
  readonly reason: string
}

export const NO_ROWS: RowCounts = {
  before: 0,
  loaded: 0,
  quarantined: 0,
  inserted: 0,
  updated: 0,
  kept: 0,
  deleted: 0,
  after: 0,
}

/** Attributes for subscription filters. */
export function encodeAttributes(message: RefreshMessage): Record<string, string> {
  const { feed, table, status, snapshots } = message
  return { feed, table, status, snapshot: snapshots.at(-1) ?? '' }
}

/** A message as the workflow publishes it: it need not know the form of what it sends. */
export interface Envelope {
  readonly message: RefreshMessage
  readonly attributes: Readonly<Record<string, string>>
  readonly orderingKey: string
}

export function encodeEnvelope(message: RefreshMessage): Envelope {
  return { message, attributes: encodeAttributes(message), orderingKey: message.feed }
}
