/** A feed whose files hold only changed rows, each with an operation and something that orders it. */
import type { Column, Table } from '../feed.ts'
import type { FeedName, Identifier } from '../names.ts'

/** How one field becomes one section of the sequence number. docs/cdc.md lists what each takes. */
export type SequencePart = { readonly field: string } & (
  | { readonly as: 'integer' | 'timestamp' | 'timestamp-milliseconds' | 'hexadecimal' }
  /** The field's value by its place in the list: the first is the oldest. */
  | { readonly as: 'state'; readonly states: readonly string[] }
)

export type ChangeFormat =
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string; readonly nullText: string }

/** The objects that belong to the feed: every one is a delivery of its own. */
export interface ObjectPattern {
  readonly text: string
  matches(name: string): boolean
  /** The folder below which all of them lie, with its slash; empty for the bucket itself. */
  readonly folder: string
}

export interface ChangeFeed {
  readonly delivers: 'changes'
  readonly name: FeedName
  readonly source: {
    readonly path: ObjectPattern
    readonly format: ChangeFormat
    /** Fields of the files that are read over. */
    readonly ignore: readonly string[]
  }
  /** The table into which changes stream; it is the target itself. `cluster` are the first key columns. */
  readonly table: Table
  readonly key: readonly Identifier[]
  readonly changes: {
    readonly operation: string
    readonly upsert: readonly string[]
    readonly delete: readonly string[]
    readonly sequence: readonly SequencePart[]
  }
  readonly refresh: {
    readonly maxStalenessSeconds: number
    /** When `refreshed` is said: once the changes are in the table's own storage, or at once, as `pending`. */
    readonly announce: 'applied' | 'pending'
    readonly withinSeconds: number
  }
}

/** Key columns first, as the rows on the wire have them. */
export function wireColumns({ key, table }: ChangeFeed): readonly Column[] {
  const isKey = (column: Column) => key.includes(column.name)
  return [...table.columns.filter(isKey), ...table.columns.filter(column => !isKey(column))]
}
