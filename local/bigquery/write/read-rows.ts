/** The rows of one request, decoded and checked: a batch for the table, or what is wrong with which row. */
import type { DuckDBValue } from '@duckdb/node-api'
import type { TableEntry } from '../catalogue/entry.ts'
import type { ChangeBatch } from '../changes/batch.ts'
import { parseSequence } from '../changes/position.ts'
import { Problem } from '../load/problem.ts'
import type { RowType } from './descriptor.ts'
import { invalidArgument } from './errors.ts'
import { type ColumnReader, matchFields, readColumn } from './row-reader.ts'

const changeType = '_CHANGE_TYPE'
const sequenceNumber = '_CHANGE_SEQUENCE_NUMBER'

export interface RowError {
  readonly index: number
  readonly message: string
}

/** How the rows of one connection are read while its descriptor and the table's schema stay the same. */
export interface RowsReader {
  readonly kind: 'changes' | 'inserts'
  /** Whether changes come with a sequence number. */
  readonly sequenced: boolean
  /** A batch of all rows, or an error for each bad one. */
  read(rows: readonly Uint8Array[], defaults: ReadonlyMap<string, DuckDBValue>): ChangeBatch | RowError[]
}

interface Plan {
  readonly type: RowType
  readonly columns: readonly ColumnReader[]
  readonly key: ReadonlySet<string>
  readonly path: string
  readonly sequenced: boolean
  readonly kind: RowsReader['kind']
}

/** Rows in columns, while they are read. */
interface Columns {
  readonly values: readonly DuckDBValue[][]
  readonly sequences: string[]
  readonly deletes: boolean[]
}

function readChange(type: unknown): boolean {
  if (type === 'UPSERT') return false
  if (type === 'DELETE') return true
  // https://cloud.google.com/bigquery/docs/change-data-capture#limitations
  throw new Problem('The given value is not a valid CHANGE_TYPE')
}

function readSequence(text: unknown): string {
  const sequence = parseSequence(String(text))
  if (sequence !== undefined) return sequence
  throw new Problem(
    `Invalid _CHANGE_SEQUENCE_NUMBER "${text}": it has one to four sections of 1 to 16 hexadecimal digits, separated by "/"`,
  )
}

/** A delete needs its key only. */
function readValue(plan: Plan, column: ColumnReader, message: Message, gone: boolean): DuckDBValue {
  const { field } = column
  if (plan.kind === 'changes' && plan.key.has(field.name)) {
    const value = column.read(message)
    if (value === null) throw new Problem(`Primary key column ${plan.path}.${field.name} must not be NULL.`)
    return value
  }
  return gone ? column.read(message) : readColumn(column, message, plan.path)
}

type Message = Readonly<Record<string, unknown>>

function readRow(
  plan: Plan,
  bytes: Uint8Array,
  into: Columns,
  defaults: ReadonlyMap<string, DuckDBValue>,
): void {
  const message = plan.type.decode(bytes)
  const gone = plan.kind === 'changes' && readChange(message[changeType])
  const sequence = plan.sequenced ? readSequence(message[sequenceNumber]) : ''
  const row = plan.columns.map(column => {
    const fallback = column.isSet(message) ? undefined : defaults.get(column.field.name)
    return fallback ?? readValue(plan, column, message, gone)
  })
  for (const [i, value] of row.entries()) into.values[i]?.push(value)
  into.sequences.push(sequence)
  into.deletes.push(gone)
}

function readAll(
  plan: Plan,
  rows: readonly Uint8Array[],
  defaults: ReadonlyMap<string, DuckDBValue>,
): ChangeBatch | RowError[] {
  const into: Columns = { values: plan.columns.map(() => []), sequences: [], deletes: [] }
  const errors: RowError[] = []
  for (const [index, bytes] of rows.entries()) {
    try {
      readRow(plan, bytes, into, defaults)
    } catch (error) {
      // Whatever protobufjs finds wrong with the bytes is wrong with the row.
      errors.push({ index, message: error instanceof Error ? error.message : String(error) })
    }
  }
  if (errors.length > 0) return errors
  const columns = new Map(plan.columns.map(({ field }, i) => [field.name, into.values[i] ?? []]))
  const sequences = plan.sequenced ? into.sequences : undefined
  return { rows: rows.length, columns, sequences, deletes: into.deletes }
}

/** Throws `WriteError` where the descriptor does not fit the table. */
export function makeRowsReader(type: RowType, table: TableEntry): RowsReader {
  const pseudo = type.fields.filter(({ name }) => name === changeType || name === sequenceNumber)
  const own = type.fields.filter(field => !pseudo.includes(field))
  const path = table.table
  if (pseudo.length === 1 && pseudo[0]?.name === sequenceNumber)
    throw invalidArgument('_CHANGE_SEQUENCE_NUMBER is only for rows with _CHANGE_TYPE.')
  const plan: Plan = {
    type,
    columns: matchFields(own, table.schema, path),
    key: new Set(
      table.schema
        .map(f => f.name)
        .filter(name => table.primaryKey?.some(k => k.toLowerCase() === name.toLowerCase())),
    ),
    path,
    sequenced: pseudo.some(({ name }) => name === sequenceNumber),
    kind: pseudo.some(({ name }) => name === changeType) ? 'changes' : 'inserts',
  }
  return {
    kind: plan.kind,
    sequenced: plan.sequenced,
    read: (rows, defaults) => readAll(plan, rows, defaults),
  }
}
