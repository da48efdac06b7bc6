/** A correction file: rows that a person changes or deletes by condition, or with values from another table. */
import { parse, YAMLParseError } from 'yaml'
import { z } from 'zod'
import type { Column, Feed } from './feed.ts'
import { type Identifier, parseIdentifier, parseServedTable } from './names.ts'

/** As YAML writes it; numbers beyond 2^53 as text. */
export type Scalar = string | number | boolean | null
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const listed = z.union([scalar, z.array(scalar).min(1)])
const range = z
  .strictObject({
    from: scalar.optional().describe('This value or a greater one'),
    after: scalar.optional(),
    to: scalar.optional().describe('This value or a lesser one'),
    before: scalar.optional(),
    not: listed.optional().describe('None of these; NULL counts as a value'),
  })
  .refine(given => Object.keys(given).length > 0, {
    error: 'says nothing; give from, after, to, before or not',
  })
const condition = z.union([listed, range])
const where = z.union([z.literal('all'), z.record(z.string(), condition)])

const change = z.strictObject({
  set: z.record(z.string(), scalar).describe('The new values'),
  where,
})
const join = z.strictObject({
  from: z.string().describe('dataset.table with the key of the feed and the columns to set'),
  set: z.array(z.string()).min(1).describe('The columns whose values are taken from there'),
})

const file = z
  .strictObject({
    why: z.string().min(1).max(500).describe('What it is for; it is part of the receipt'),
    update: z.union([change, join]).optional(),
    delete: z.strictObject({ where }).optional(),
  })
  .refine(given => (given.update === undefined) !== (given.delete === undefined), {
    error: 'needs either update or delete',
  })

export type Bound = 'from' | 'after' | 'to' | 'before'
export interface Test {
  readonly column: Column
  readonly values?: readonly Scalar[]
  readonly not?: readonly Scalar[]
  readonly bounds: { readonly [Name in Bound]?: Scalar | undefined }
}
export type Correction = { readonly why: string } & (
  | {
      readonly kind: 'update'
      readonly set: readonly { readonly column: Column; readonly value: Scalar }[]
      /** All of them; none: every row. */
      readonly where: readonly Test[]
    }
  | { readonly kind: 'delete'; readonly where: readonly Test[] }
  | {
      readonly kind: 'join'
      readonly from: { readonly datasetId: string; readonly tableId: string }
      readonly set: readonly Identifier[]
    }
)
export type ParsedCorrection =
  | { readonly kind: 'correction'; readonly correction: Correction }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

class Wrong extends Error {}

const listOf = (given: z.infer<typeof listed>): readonly Scalar[] => (Array.isArray(given) ? given : [given])

function columnOf({ name, table }: Feed, path: string, text: string): Column {
  const identifier = parseIdentifier(text)
  const column = table.columns.find(known => known.name === identifier)
  if (column) return column
  throw new Wrong(`${path}: ${text} is no column of ${name}`)
}

/** What makes a row the row that it is stays: else keys could meet, and a row's age would be untrue. */
function settable(feed: Feed, path: string, text: string): Column {
  const column = columnOf(feed, path, text)
  const { key, sequence } = feed.model
  const is = key.includes(column.name)
    ? 'key'
    : sequence.columns.includes(column.name)
      ? 'sequence'
      : undefined
  if (is)
    throw new Wrong(
      `${path}.${text}: is part of the ${is}, which stays; delete the rows, or have them sent anew`,
    )
  return column
}

function toTest(feed: Feed, path: string, name: string, given: z.infer<typeof condition>): Test {
  const column = columnOf(feed, path, name)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { column, values: listOf(given), bounds: {} }
  const { not, ...bounds } = given
  if (Object.values(bounds).includes(null))
    throw new Wrong(`${path}.${name}: nothing is more or less than NULL`)
  return { column, bounds, ...(not !== undefined && { not: listOf(not) }) }
}

function toWhere(feed: Feed, path: string, given: z.infer<typeof where>): Test[] {
  if (given === 'all') return []
  const tests = Object.entries(given).map(([name, test]) => toTest(feed, path, name, test))
  if (tests.length > 0) return tests
  throw new Wrong(`${path}: names no rows; write all to mean every one`)
}

function toJoin(feed: Feed, { from, set }: z.infer<typeof join>): Correction & { kind: 'join' } {
  const table = parseServedTable(from)
  if (!table) throw new Wrong(`update.from: ${from} is no table; write it as dataset.table`)
  if (feed.model.key.length === 0)
    throw new Wrong(`update.from: ${feed.name} has no key by which rows of ${from} could be found; use where`)
  const columns = set.map(name => settable(feed, 'update.set', name).name)
  return { kind: 'join', why: '', from: table, set: columns }
}

function toCorrection(feed: Feed, given: z.infer<typeof file>): Correction {
  const { why, update } = given
  if (update && 'from' in update) return { ...toJoin(feed, update), why }
  if (update) {
    const set = Object.entries(update.set).map(([name, value]) => ({
      column: settable(feed, 'update.set', name),
      value,
    }))
    if (set.length === 0) throw new Wrong('update.set: is empty')
    return { kind: 'update', why, set, where: toWhere(feed, 'update.where', update.where) }
  }
  return { kind: 'delete', why, where: toWhere(feed, 'delete.where', given.delete?.where ?? {}) }
}

/** Values are held against their columns' types only by BigQuery, when the rows are counted. */
export function parseCorrection(feed: Feed, text: string): ParsedCorrection {
  try {
    const checked = file.safeParse(parse(text))
    if (checked.success) return { kind: 'correction', correction: toCorrection(feed, checked.data) }
    const problems = checked.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'file'}: ${message}`,
    )
    return { kind: 'problems', problems }
  } catch (error) {
    if (error instanceof Wrong || error instanceof YAMLParseError)
      return { kind: 'problems', problems: [error.message] }
    throw error
  }
}
