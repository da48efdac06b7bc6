/** A feed as the rest of Freshet knows it: checked, with every default filled in. */
import type { Granularity } from './column-type.ts'
import type { FeedName, Identifier } from './names.ts'
import type { PathPattern } from './path-pattern.ts'
import type { SnapshotKind } from './snapshot-id.ts'

export interface Column {
  readonly name: Identifier
  /** A BigQuery type, such as `NUMERIC(10, 2)`. */
  readonly type: string
  readonly description?: string
  /** The files may lack it. */
  readonly optional: boolean
}

export type Complete =
  | { readonly kind: 'manifest'; readonly object: PathPattern }
  | { readonly kind: 'marker'; readonly object: PathPattern }
  | { readonly kind: 'single-file' }

export type Format =
  | { readonly kind: 'parquet' | 'ndjson' | 'avro' | 'orc' }
  | { readonly kind: 'csv'; readonly header: boolean; readonly delimiter: string; readonly nullText: string }

export interface Source {
  readonly path: PathPattern
  readonly snapshot: SnapshotKind
  readonly onNewColumn: 'reject' | 'add'
  /** How often a snapshot is expected. */
  readonly everySeconds?: number
  readonly complete: Complete
  readonly format: Format
  /** The share of rows, 0 to 1, that may be bad and go to the quarantine table; absent: none may. */
  readonly badRows?: number
}

export interface Table {
  /** The serving dataset and the target's name in it. */
  readonly datasetId: string
  readonly tableId: string
  readonly description?: string
  /** Every column of the table, the one that is filled from the snapshot id included. */
  readonly columns: readonly Column[]
  readonly partition?: { readonly by: Identifier; readonly every: Granularity; readonly keepDays?: number }
  readonly cluster: readonly Identifier[]
}

/** A row with one of the values in the column deletes its key. */
export interface DeleteWhen {
  readonly column: Identifier
  /** Of the column's type: STRING, INT64 or BOOL. */
  readonly values: readonly (string | number | boolean)[]
}

/** What every model says of its rows; a planner that only needs this serves them all. */
interface Rows {
  /** The columns that make a row unique; none where rows are no more than appended. */
  readonly key: readonly Identifier[]
  /** What makes a row newer: columns of the data, compared in order (none: arrival alone), or the one column of the snapshot id. */
  readonly sequence: { readonly from: 'column' | 'snapshot'; readonly columns: readonly Identifier[] }
  readonly missingRows: 'keep' | 'delete'
  /** Which rows say that their key is gone; absent: none do. */
  readonly deleteWhen?: DeleteWhen
  /** A partition that a snapshot has rows of becomes those rows. */
  readonly replacePartitions?: true
}
export interface Unique extends Rows {
  readonly kind: 'unique'
}
export interface Duplicate extends Rows {
  readonly kind: 'duplicate'
}
/** How the values of a key's rows become one. */
export const COMBINES = ['sum', 'min', 'max', 'replace', 'replace_if_not_null', 'hll'] as const
export type Combine = (typeof COMBINES)[number]
export interface CombinedColumn {
  readonly column: Identifier
  readonly how: Combine
  /** Its type in the files; that of the table is another where sketches are kept instead of values. */
  readonly type: string
}
export interface Aggregate extends Rows {
  readonly kind: 'aggregate'
  /** Every column that is not part of the key. */
  readonly values: readonly CombinedColumn[]
}
export type Model = Unique | Duplicate | Aggregate

/** Whether the order in which snapshots are applied tells in the table. */
export const ordersArrival = ({ values }: Aggregate): boolean =>
  values.some(({ how }) => how === 'replace' || how === 'replace_if_not_null')

/** Rows that come twice would count twice: nothing of a row says that it is there already. */
export const accumulates = ({ model }: Pick<Feed, 'model'>): boolean =>
  model.kind !== 'unique' && !model.replacePartitions

export interface Gates {
  readonly zeroRows: 'hold' | 'reject' | 'allow'
  /** 0 to 1. */
  readonly minRowsVsLast: number
  readonly duplicateKeys: 'hold' | 'reject' | 'newest'
  readonly nullKeys: 'reject' | 'hold' | 'allow'
  readonly nullPartitions: 'hold' | 'reject' | 'allow'
  readonly outsideWindow: 'hold' | 'reject' | 'allow'
  readonly emptiedColumns: 'hold' | 'reject' | 'allow'
  /** 0 to 1. */
  readonly maxDeleted: number
}

/** How staging is brought up to date: docs/strategies.md. */
export const STRATEGIES = ['rewrite', 'changed-partitions'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** How rows reach a table that is served elsewhere: docs/serving.md. */
export const WAYS = ['auto', 'delta', 'swap', 'apart'] as const
export interface ServedInPostgres {
  readonly kind: 'postgres'
  /** What the feed calls the database; its address is in the environment. */
  readonly database: string
  readonly table: { readonly schema: string; readonly table: string }
  readonly way: (typeof WAYS)[number]
  /** Connections that a load uses at a time. */
  readonly workers: number
  /** How long a table that was swapped out is kept. */
  readonly graceSeconds: number
  /** Where way apart builds; absent in the other ways. */
  readonly apart?: ServedApart
}

export interface ServedApart {
  /** The database that builds, and that readers are led to. */
  readonly database: string
  /** The foreign server of the live database that leads there. */
  readonly server: string
  /** The role that reads for the live database. */
  readonly reader?: string
}

export interface Feed {
  readonly name: FeedName
  readonly source: Source
  readonly table: Table
  readonly model: Model
  readonly refresh: {
    readonly strategy: Strategy
    readonly withinSeconds: number
    readonly rollbackDays: number
    /** The reservation that the jobs run in: a name of this project, or a full resource name. */
    readonly reservation?: string
  }
  readonly gates: Gates
  /** Tables that show the target's rows elsewhere; absent where there is none. */
  readonly serve?: readonly ServedInPostgres[]
}

/** A column that the files brought and the feed does not name. */
export interface AddedColumn {
  readonly name: Identifier
  readonly type: string
}

/** The feed with columns that were added to its table; each stands at the end, where BigQuery adds it. */
export function extendFeed(feed: Feed, added: readonly AddedColumn[]): Feed {
  const known = new Set<string>(feed.table.columns.map(({ name }) => name.toLowerCase()))
  const fresh = added.filter(({ name }) => known.size !== known.add(name.toLowerCase()).size)
  if (fresh.length === 0) return feed
  const columns = [...feed.table.columns, ...fresh.map(column => ({ ...column, optional: true }))]
  return { ...feed, table: { ...feed.table, columns } }
}

/** A column with the type that it has in the files and in landing. */
export function columnInFiles({ model }: Feed, column: Column): Column {
  const combined = model.kind === 'aggregate' && model.values.find(value => value.column === column.name)
  return combined ? { ...column, type: combined.type } : column
}

/** The columns that come from the files, with their types there: all but the one that the snapshot id fills. */
export function sourceColumns(feed: Feed): readonly Column[] {
  const { sequence } = feed.model
  const filled = sequence.from === 'snapshot' ? sequence.columns : []
  return feed.table.columns
    .filter(({ name }) => !filled.includes(name))
    .map(column => columnInFiles(feed, column))
}
