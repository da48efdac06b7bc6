/** Turns a feed file that was checked into the feed that the rest of Freshet knows. */
import { parseDuration } from './duration.ts'
import type {
  Column,
  CombinedColumn,
  Complete,
  DeleteWhen,
  Feed,
  Format,
  Gates,
  Model,
  ServedInPostgres,
  Table,
} from './feed.ts'
import { type Identifier, parseFeedName, parseIdentifier, parseServedTable } from './names.ts'
import { parsePathPattern } from './path-pattern.ts'
import type { AggregateFile, FeedFile, UniqueFile } from './schema.ts'
import { SNAPSHOT_TYPES } from './snapshot-id.ts'

function toComplete({ complete, snapshot }: FeedFile['source']): Complete {
  if (complete === 'single-file') return { kind: 'single-file' }
  return 'manifest' in complete
    ? { kind: 'manifest', object: parsePathPattern(complete.manifest, snapshot) }
    : { kind: 'marker', object: parsePathPattern(complete.marker, snapshot) }
}

function toFormat({ format, csv }: FeedFile['source']): Format {
  if (format !== 'csv') return { kind: format }
  return {
    kind: 'csv',
    header: csv?.header ?? true,
    delimiter: csv?.delimiter ?? ',',
    nullText: csv?.null_text ?? '',
  }
}

/** Only for texts that the schema has let pass. */
export function sure<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} passed the check without being one`)
  return value
}
export const identifier = (text: string): Identifier => sure(parseIdentifier(text), text)

export function toColumn([name, column]: [string, FeedFile['table']['columns'][string]]): Column {
  if (typeof column === 'string') return { name: identifier(name), type: column, optional: false }
  const { type, description, optional } = column
  return { name: identifier(name), type, optional, ...(description !== undefined && { description }) }
}

function toColumns(file: FeedFile): Column[] {
  const columns = Object.entries(file.table.columns).map(toColumn)
  const { model } = file
  if (model.kind === 'aggregate')
    return columns.map(column =>
      model.values[column.name] === 'hll' ? { ...column, type: 'BYTES' } : column,
    )
  const { sequence } = model
  if (typeof sequence !== 'object' || Array.isArray(sequence)) return columns
  return [
    ...columns,
    { name: identifier(sequence.as), type: SNAPSHOT_TYPES[file.source.snapshot], optional: false },
  ]
}

export const seconds = (text: string) => sure(parseDuration(text), text)
const days = (text: string) => Math.ceil(seconds(text) / 86_400)
const share = (text: string) => Number.parseFloat(text) / 100

export function toTable(
  table: Omit<FeedFile['table'], 'cluster'>,
  columns: readonly Column[],
  cluster: readonly Identifier[],
): Table {
  const { partition, description } = table
  return {
    ...sure(parseServedTable(table.name), table.name),
    columns,
    cluster,
    ...(description !== undefined && { description }),
    ...(partition && {
      partition: {
        by: identifier(partition.by),
        every: partition.every,
        ...(partition.keep && { keepDays: days(partition.keep) }),
      },
    }),
  }
}

function toSequence(sequence: UniqueFile['sequence']): Model['sequence'] {
  if (sequence === undefined) return { from: 'column', columns: [] }
  if (typeof sequence === 'string') return { from: 'column', columns: [identifier(sequence)] }
  return Array.isArray(sequence)
    ? { from: 'column', columns: sequence.map(identifier) }
    : { from: 'snapshot', columns: [identifier(sequence.as)] }
}

function toDeleteWhen(sign: NonNullable<UniqueFile['delete_when']>): DeleteWhen {
  if (typeof sign === 'string') return { column: identifier(sign), values: [true] }
  return { column: identifier(sign.column), values: sign.values }
}

/** In the order of the table. */
function toCombined(file: FeedFile, { values }: AggregateFile): CombinedColumn[] {
  return Object.entries(file.table.columns).flatMap(([name, column]) => {
    const how = Object.hasOwn(values, name) ? values[name] : undefined
    const type = typeof column === 'string' ? column : column.type
    return how === undefined ? [] : [{ column: identifier(name), how, type }]
  })
}

function toModel(file: FeedFile): Model {
  const { model } = file
  if (model.kind === 'aggregate') {
    const values = toCombined(file, model)
    const key = model.key.map(identifier)
    return { kind: model.kind, key, missingRows: 'keep', sequence: toSequence(undefined), values }
  }
  const rows = {
    sequence: toSequence(model.sequence),
    ...(model.replace_partitions && { replacePartitions: true as const }),
  }
  if (model.kind === 'duplicate') return { kind: model.kind, key: [], missingRows: 'keep', ...rows }
  return {
    kind: model.kind,
    key: model.key.map(identifier),
    missingRows: model.missing_rows,
    ...(model.delete_when !== undefined && { deleteWhen: toDeleteWhen(model.delete_when) }),
    ...rows,
  }
}

/** A delivery of a whole table has about as many rows as the last one; one of new rows alone has not. */
const wholeTables = ({ model }: FeedFile) => model.kind === 'unique' && !model.replace_partitions

function toGates(file: FeedFile): Gates {
  const { gates } = file
  return {
    zeroRows: gates.zero_rows,
    minRowsVsLast: share(gates.min_rows_vs_last ?? (wholeTables(file) ? '50%' : '0%')),
    // Several rows of a key are what such a model is for.
    duplicateKeys: file.model.kind === 'aggregate' ? 'newest' : gates.duplicate_keys,
    nullKeys: gates.null_keys,
    nullPartitions: gates.null_partitions,
    outsideWindow: gates.outside_window,
    emptiedColumns: gates.emptied_columns,
    maxDeleted: share(gates.max_deleted),
  }
}

function toServed({ postgres }: FeedFile['serve'][number]): ServedInPostgres {
  const { database, way, workers, grace, apart } = postgres
  const [schema = '', table = ''] = postgres.table.split('.')
  return {
    kind: 'postgres',
    database,
    table: { schema, table },
    way,
    workers,
    graceSeconds: seconds(grace),
    ...(apart && {
      apart: {
        database: apart.database,
        server: apart.server,
        ...(apart.reader !== undefined && { reader: apart.reader }),
      },
    }),
  }
}

/** `file` has passed every check. */
export function toFeed(file: FeedFile): Feed {
  const { name, source, refresh } = file
  return {
    name: sure(parseFeedName(name), name),
    source: {
      path: parsePathPattern(source.path, source.snapshot),
      snapshot: source.snapshot,
      onNewColumn: source.on_new_column,
      ...(source.every !== undefined && { everySeconds: seconds(source.every) }),
      complete: toComplete(source),
      format: toFormat(source),
      ...(source.bad_rows && { badRows: share(source.bad_rows.at_most) }),
    },
    table: toTable(file.table, toColumns(file), (file.table.cluster ?? []).map(identifier)),
    model: toModel(file),
    refresh: {
      strategy: refresh.strategy,
      withinSeconds: seconds(refresh.within),
      rollbackDays: days(refresh.rollback),
      ...(refresh.reservation !== undefined && { reservation: refresh.reservation }),
    },
    gates: toGates(file),
    ...(file.serve.length > 0 && { serve: file.serve.map(toServed) }),
  }
}
