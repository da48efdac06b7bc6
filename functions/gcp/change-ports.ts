/** What change feeds need of Google Cloud beyond ports.ts, as interfaces: the adapters beside this file serve them. */
import type { TableRef } from '../feed/names.ts'
import type { ChangeTableFacts } from '../plan/changes/change-table.ts'

export interface ObjectStreams {
  /** The bytes of one generation as stored, packed ones not unpacked. Reading throws `not-found` when it is gone. */
  openRead(bucket: string, name: string, generation: string): AsyncIterable<Uint8Array>
}

export interface ChangeTables {
  /** Of a table that changes stream into; `undefined` when it is not there. */
  readChangeTable(table: TableRef): Promise<ChangeTableFacts | undefined>
}

/** One field of the protobuf message that rows are. */
export interface WireField {
  readonly name: string
  readonly number: number
  readonly label: 'LABEL_OPTIONAL' | 'LABEL_REQUIRED'
  readonly type: 'TYPE_INT64' | 'TYPE_INT32' | 'TYPE_DOUBLE' | 'TYPE_BOOL' | 'TYPE_STRING' | 'TYPE_BYTES'
  /** The column's own name, where protobuf would not take it. */
  readonly columnName?: string
}

/** A `google.protobuf.DescriptorProto`, as far as it is needed. */
export interface WireDescriptor {
  readonly name: string
  readonly fields: readonly WireField[]
}

/** What BigQuery says to an append: all of its rows are stored, or none. */
export type AppendAnswer =
  | { readonly kind: 'stored' }
  /** Rows that are wrong, by their place in the request. */
  | {
      readonly kind: 'bad-rows'
      readonly rows: readonly { readonly index: number; readonly message: string }[]
    }
  /** Not a matter of the rows, and no other try would help. */
  | { readonly kind: 'refused'; readonly message: string }

/** A connection to a table's default stream. Answers come in the order of the appends. */
export interface AppendConnection {
  /** Rejects on passing trouble: then nobody knows what was stored, and the connection is of no more use. */
  append(rows: readonly Buffer[]): Promise<AppendAnswer>
  close(): void
}

export interface ChangeStreams {
  connect(table: TableRef, descriptor: WireDescriptor): Promise<AppendConnection>
}

export interface ApplyStarter {
  /** Starts the workflow `apply-changes` for a file; several at once are harmless. */
  startApply(feed: string, delivery: string): Promise<void>
}
