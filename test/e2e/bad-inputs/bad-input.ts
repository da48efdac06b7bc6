/** A bad input: what is sent, what has to become of it, and which words have to explain it. */
import type { RefreshMessage } from '../../../functions/message.ts'
import type { Bed, Files } from './bed.ts'

export interface Delivery {
  readonly bed: Bed
  /** The snapshot's own id, and its folder in the inbox with a slash at the end. */
  readonly id: string
  readonly folder: string
}

export interface BadInput {
  readonly name: string
  /** Which report of what went wrong for others it stands for. */
  readonly report?: number
  /** Objects of the snapshot's folder; what completes the snapshot is put last, unless `files` has it. */
  readonly files?: Files
  /** Instead of `files`, where the order of things is what is bad. */
  readonly deliver?: (to: Delivery) => Promise<void>
  /** How many messages there have to be about the snapshot; the last one is looked at. One, unless two objects complete it. */
  readonly answers?: number
  /** The snapshot id, where that is what is bad. */
  readonly id?: string
  readonly status: RefreshMessage['status']
  /** Every one of these has to stand in the message's reason, which ends with the hint. */
  readonly says: readonly string[]
}

/** Inputs of one feed, sent one after the other between two good snapshots. */
export interface Group {
  readonly feed: string
  readonly feedText: string
  /** Ids of the good snapshots before and after, where snapshots have no whole numbers. */
  readonly ids?: { readonly first: string; readonly last: string }
  readonly good: Files
  readonly cases: readonly BadInput[]
}
