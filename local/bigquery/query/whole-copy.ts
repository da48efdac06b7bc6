/** INSERT … SELECT of a whole table: the target takes the source's segments, as a copy job does, and no row is moved. */

import type { SegmentRef, TableEntry } from '../catalogue/entry.ts'
import type { Field } from '../catalogue/field.ts'
import { findField } from '../catalogue/field.ts'
import { sqlUnexpired } from '../catalogue/relation.ts'
import type { Insert, TableName } from '../sql/index.ts'
import type { Session } from './session.ts'

/** The table that is selected from, when nothing else is done to its rows, and its columns in order. */
function readSource({ query }: Insert): { name: TableName; columns: string[] } | undefined {
  if (!query || query.ctes.length > 0 || query.limit || query.offset || query.orderBy.length > 0)
    return undefined
  const { body } = query
  if (body.kind !== 'select' || body.from?.kind !== 'table' || body.from.asOf) return undefined
  const { distinct, as, where, groupBy, grouping, having, qualify, items } = body
  if (distinct || as || where || groupBy.length > 0 || grouping || having || qualify) return undefined
  const columns = items.flatMap(item =>
    item.kind === 'expr' && item.expr.kind === 'path' && item.expr.parts.length === 1 ? item.expr.parts : [],
  )
  return columns.length === items.length ? { name: body.from.name, columns } : undefined
}

/** A value of the one column is one of the other, without a look at it. */
function isSame(target: Field, source: Field | undefined): boolean {
  if (!source || target.type !== source.type || target.fields || source.fields) return false
  const looser = (target.mode === 'NULLABLE' && source.mode === 'REQUIRED') || target.mode === source.mode
  const { maxLength, precision, scale } = target
  return looser && maxLength === source.maxLength && precision === source.precision && scale === source.scale
}

/** `undefined` when rows must be written. */
export function wholeCopy(
  session: Session,
  statement: Insert,
  target: TableEntry,
): readonly SegmentRef[] | undefined {
  const from = readSource(statement)
  const names = target.schema.map(field => field.name.toLowerCase())
  const given = statement.columns.length > 0 ? statement.columns : target.schema.map(field => field.name)
  if (!from || given.length !== names.length) return undefined
  // Every column of the target, each from the column of its own name.
  if (given.some((name, at) => name.toLowerCase() !== from.columns[at]?.toLowerCase())) return undefined
  const draft = session.view()
  const source = draft.table(session.target(from.name))
  if (source?.kind !== 'TABLE' || source.schema.length !== names.length) return undefined
  const alias = source.table.toLowerCase()
  // There the name could mean the whole row.
  if (names.includes(alias)) return undefined
  if (!target.schema.every(field => isSame(field, findField(source.schema, field.name)))) return undefined
  const segments = source.segments.map(ref => draft.segment(ref.segment))
  if (sqlUnexpired(source, segments, draft.now)) return undefined
  session.run.defer(session.run.catalogue.pin(source.segments.map(ref => ref.segment)))
  return source.segments
}
