/** A job as it is kept: what was asked, how it stands, what came of it. */
import type { TableId } from '../catalogue/entry.ts'
import type { ErrorProto } from '../errors.ts'

/** Whose jobs they are: there is one person. */
export const user = 'local@freshet.invalid'

export type JobState = 'PENDING' | 'RUNNING' | 'DONE'

export interface JobEntry {
  readonly id: string
  readonly location: string
  /** `apply` is a background apply of streamed changes, which nobody asked for. */
  readonly kind: 'query' | 'load' | 'copy' | 'apply'
  /** REST's `configuration`, completed (an anonymous destination, say). */
  readonly configuration: Readonly<Record<string, unknown>>
  readonly state: JobState
  /** Milliseconds since 1970. */
  readonly created: number
  readonly started?: number
  readonly ended?: number
  /** The kind's own part of `statistics`, plus totalBytesProcessed and totalSlotMs, as REST has them. */
  readonly statistics: Readonly<Record<string, unknown>>
  readonly error?: ErrorProto
  readonly errors?: readonly ErrorProto[]
  /** Where a query's rows are. */
  readonly result?: TableId
}
