/** One AppendRows call: what it remembers between requests, and what each request makes of the table. */
import type { DuckDBValue } from '@duckdb/node-api'
import { keyOf, type TableEntry, type TableId } from '../catalogue/entry.ts'
import { duckColumnType, type Field } from '../catalogue/field.ts'
import type { Changes } from '../changes/changes.ts'
import type { Deps } from '../jobs/run.ts'
import { getTable } from '../names.ts'
import { makeScope } from '../query/scope.ts'
import { parseExpression, translateExpression } from '../sql/index.ts'
import { checkChanges } from './check-changes.ts'
import { parseDescriptor, type RowType } from './descriptor.ts'
import { invalidArgument, unsupported } from './errors.ts'
import type { AppendRequest } from './proto.ts'
import { makeRowsReader, type RowError, type RowsReader } from './read-rows.ts'
import { parseStreamName, streamName } from './stream-name.ts'

export interface Answer {
  readonly writeStream: string
  readonly rowErrors?: readonly RowError[]
  /** The table's schema, when it is another than the connection knew. */
  readonly updatedSchema?: readonly Field[]
}

/** A reader and what it was made from. */
interface Known {
  readonly bytes: Buffer
  readonly type: RowType
  readonly schema: readonly Field[]
  readonly reader: RowsReader
}

const DEFAULT_VALUE = 2

async function readDefault(deps: Deps, field: Field, text: string): Promise<DuckDBValue> {
  const scope = makeScope(deps, deps.catalogue.view(), undefined)
  const { sql } = translateExpression(parseExpression(text), text, scope)
  return deps.engine.using(async connection => {
    const rows = await connection.runAndReadAll(`SELECT (${sql})::${duckColumnType(field)}`)
    return rows.getRows()[0]?.[0] ?? null
  })
}

/** Of the columns whose default stands in for what a row does not say. */
async function readDefaults(deps: Deps, schema: readonly Field[], request: AppendRequest) {
  const { missingValueInterpretations, defaultMissingValueInterpretation } = request
  const defaults = new Map<string, DuckDBValue>()
  for (const field of schema) {
    const wanted = missingValueInterpretations[field.name] ?? defaultMissingValueInterpretation
    const text = field.defaultValueExpression
    if (wanted === DEFAULT_VALUE && text !== undefined)
      defaults.set(field.name, await readDefault(deps, field, text))
  }
  return defaults
}

export function makeConnection(deps: Deps, changes: Changes) {
  const readers = new Map<string, Known>()
  const announced = new Map<string, readonly Field[]>()
  let stream = ''
  let descriptor: Buffer | undefined
  let kind: RowsReader['kind'] | undefined

  const readerFor = (id: TableId, table: TableEntry): RowsReader => {
    if (!descriptor) throw invalidArgument('The first request of a connection must have a writer schema.')
    const known = readers.get(keyOf(id))
    const isSame = known?.bytes.equals(descriptor) ?? false
    if (known && isSame && known.schema === table.schema) return known.reader
    const type = known && isSame ? known.type : parseDescriptor(descriptor)
    const reader = makeRowsReader(type, table)
    readers.set(keyOf(id), { bytes: descriptor, type, schema: table.schema, reader })
    return reader
  }
  const updateOf = (id: TableId, { schema }: TableEntry): Pick<Answer, 'updatedSchema'> => {
    const before = announced.get(keyOf(id))
    announced.set(keyOf(id), schema)
    return before && JSON.stringify(before) !== JSON.stringify(schema) ? { updatedSchema: schema } : {}
  }
  /** Throws `WriteError`. Call it again once it answered; the rows are stored once `stored` is settled. */
  return async (request: AppendRequest): Promise<{ answer: Answer; stored?: Promise<void> }> => {
    if (request.arrowRows.length > 0) throw unsupported('rows in the Arrow format')
    stream = request.writeStream || stream
    const id = parseStreamName(deps.project, stream)
    if (request.offset) throw invalidArgument('Offset must not be set for the default stream.')
    const sent = request.protoRows?.writerSchema?.protoDescriptor
    if (sent?.length) descriptor = Buffer.from(sent)
    const table = getTable(deps.project, deps.catalogue.view(), id)
    const reader = readerFor(id, table)
    kind ??= reader.kind
    if (kind !== reader.kind) throw invalidArgument('The given value is not a valid CHANGE_TYPE')
    checkChanges(deps.project, table, reader)
    const rows = request.protoRows?.rows?.serializedRows ?? []
    const needsDefaults = table.schema.some(field => field.defaultValueExpression !== undefined)
    const defaults = needsDefaults ? await readDefaults(deps, table.schema, request) : new Map()
    const batch = reader.read(rows, defaults)
    const head = { writeStream: streamName(deps.project, id), ...updateOf(id, table) }
    if (Array.isArray(batch)) return { answer: { ...head, rowErrors: batch } }
    const store = reader.kind === 'changes' ? changes.append : changes.insert
    return { answer: head, ...(batch.rows > 0 ? { stored: store(id, batch) } : {}) }
  }
}

export type Connection = ReturnType<typeof makeConnection>
