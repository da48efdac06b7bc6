/** SELECT of whole tables or whole partitions into a table: it takes their segments, as a copy job does; no row is moved. */

import type { SegmentRef, TableEntry } from '../catalogue/entry.ts'
import { endOfTime, firstTime, lessSpans, type Partitions, rowsIn } from '../catalogue/exclusion.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { sqlUnexpired } from '../catalogue/relation.ts'
import type { Expr, Query, TableName } from '../sql/index.ts'
import { readExcluded } from './exclude.ts'
import type { Session } from './session.ts'
import { wholePartitions } from './whole-partitions.ts'

/** One SELECT of columns as they are, from one table. */
interface Source {
  readonly name: TableName
  readonly alias: string
  readonly columns: readonly string[]
  readonly where?: Expr | undefined
}

function readSource(body: Query['body']): Source | undefined {
  if (body.kind !== 'select' || body.from?.kind !== 'table' || body.from.asOf) return undefined
  const { distinct, as, where, groupBy, grouping, having, qualify, items, from } = body
  if (distinct || as || groupBy.length > 0 || grouping || having || qualify) return undefined
  if (from.sample !== undefined) return undefined
  const columns = items.flatMap(item =>
    item.kind === 'expr' && item.expr.kind === 'path' && item.expr.parts.length === 1 ? item.expr.parts : [],
  )
  if (columns.length !== items.length) return undefined
  return { name: from.name, alias: from.alias ?? from.name.table, columns, where }
}

/** What is put together by UNION ALL; `undefined` when something else is done to the rows. */
function readSources({ ctes, limit, offset, orderBy, body }: Query): Source[] | undefined {
  if (ctes.length > 0 || limit || offset || orderBy.length > 0) return undefined
  const sources: (Source | undefined)[] = []
  const bodies = [body]
  for (let next = bodies.pop(); next; next = bodies.pop()) {
    if (next.kind === 'set' && next.op === 'UNION ALL') bodies.push(next.right, next.left)
    else sources.push(readSource(next))
  }
  const found = sources.filter(source => source !== undefined)
  return found.length === sources.length ? found : undefined
}

/** A value of the one column is one of the other, without a look at it. */
function isSame(target: Field, source: Field | undefined): boolean {
  if (!source || target.type !== source.type || target.fields || source.fields) return false
  const looser = (target.mode === 'NULLABLE' && source.mode === 'REQUIRED') || target.mode === source.mode
  const { maxLength, precision, scale } = target
  return looser && maxLength === source.maxLength && precision === source.precision && scale === source.scale
}

/** The table, when its rows can be taken for rows of `schema` by way of `names`, the columns written in order. */
function findTable(
  session: Session,
  source: Source,
  schema: readonly Field[],
  names: readonly string[],
): TableEntry | undefined {
  if (names.some((name, at) => name.toLowerCase() !== source.columns[at]?.toLowerCase())) return undefined
  const draft = session.view()
  const table = draft.table(session.target(source.name))
  if (table?.kind !== 'TABLE' || table.schema.length !== schema.length) return undefined
  // There the name could mean the whole row.
  if (findField(table.schema, source.alias)) return undefined
  if (!schema.every(field => isSame(field, findField(table.schema, field.name)))) return undefined
  const segments = table.segments.map(ref => draft.segment(ref.segment))
  return sqlUnexpired(table, segments, draft.now) ? undefined : table
}

const allBut = ({ spans, nulls }: Partitions): Partitions => ({
  spans: lessSpans([[firstTime, endOfTime]], spans),
  nulls: !nulls,
})

async function readPart(
  session: Session,
  { where, alias }: Source,
  table: TableEntry,
): Promise<readonly SegmentRef[] | undefined> {
  session.run.defer(session.run.catalogue.pin(table.segments.map(ref => ref.segment)))
  if (!where) return table.segments
  const column = table.partitioning?.column
  const partitions = wholePartitions(where, table, alias)
  if (!partitions || column === undefined) return undefined
  const left = await readExcluded(session, table, column, allBut(partitions))
  return left?.refs
}

/** Rows that are not wanted stay on disk for as long as the table has the segment: more of them than others are too many. */
function isWasteful(session: Session, refs: readonly SegmentRef[], held: ReadonlySet<number>): boolean {
  const draft = session.view()
  return refs.some(ref => {
    const segment = draft.segment(ref.segment)
    return !held.has(ref.segment) && 2 * rowsIn(ref, segment) < segment.rows
  })
}

/** Where the rows go. */
export interface Taker {
  readonly schema: readonly Field[]
  /** Those that are written, in order. */
  readonly columns: readonly string[]
  /** What it has already. */
  readonly segments: readonly SegmentRef[]
}

/** `undefined` when rows must be written. */
export async function takeWholeRows(
  session: Session,
  query: Query,
  { schema, columns, segments }: Taker,
): Promise<readonly SegmentRef[] | undefined> {
  const sources = columns.length === schema.length ? readSources(query) : undefined
  if (!sources) return undefined
  const refs: SegmentRef[] = []
  for (const source of sources) {
    const table = findTable(session, source, schema, columns)
    const part = table && (await readPart(session, source, table))
    if (!part) return undefined
    refs.push(...part)
  }
  const held = new Set(segments.map(ref => ref.segment))
  return isWasteful(session, refs, held) ? undefined : refs
}
