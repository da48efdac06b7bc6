/** Writing rows to a table: what each disposition allows, keeps and replaces. */
import type { Draft } from '../catalogue/draft.ts'
import type { Partitioning, SegmentRef, TableEntry, TableId } from '../catalogue/entry.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { knownRows } from '../catalogue/relation.ts'
import { checkNoMutation } from '../changes/refusals.ts'
import { BigQueryError, invalid } from '../errors.ts'
import { checkTableId, getDataset, spell, tableNotFound } from '../names.ts'

export const writeDispositions = [
  'WRITE_TRUNCATE',
  'WRITE_TRUNCATE_DATA',
  'WRITE_APPEND',
  'WRITE_EMPTY',
] as const
export const createDispositions = ['CREATE_IF_NEEDED', 'CREATE_NEVER'] as const

export interface WriteSpec {
  readonly id: TableId
  readonly write: (typeof writeDispositions)[number]
  readonly create: (typeof createDispositions)[number]
  /** Of the rows to write. */
  readonly schema: readonly Field[]
  readonly partitioning?: Partitioning | undefined
  readonly clustering?: readonly string[] | undefined
  readonly described?: Partial<TableEntry>
  readonly anonymous?: boolean
}

export interface WritePlan {
  /** The table's schema afterwards: the rows must come in it, in this order. */
  readonly schema: readonly Field[]
  readonly existing?: TableEntry
  readonly partitioning?: Partitioning
}

function sameFields(a: readonly Field[], b: readonly Field[]): boolean {
  return a.length === b.length && a.every((f, i) => b[i] !== undefined && sameField(f, b[i]))
}

function sameField(a: Field, b: Field): boolean {
  const repeated = (f: Field) => f.mode === 'REPEATED'
  return a.type === b.type && repeated(a) === repeated(b) && sameFields(a.fields ?? [], b.fields ?? [])
}

/** Rows of `given` must fit `kept`: no field more, no other type; a missing one must be able to be NULL. */
export function checkFits(
  project: string,
  id: TableId,
  kept: readonly Field[],
  given: readonly Field[],
): void {
  const wrong = `Provided Schema does not match Table ${spell(project, id)}.`
  for (const field of given) {
    const own = findField(kept, field.name)
    if (!own) throw invalid(`${wrong} Cannot add fields (field: ${field.name})`)
    if (own.type !== field.type) {
      throw invalid(`${wrong} Field ${own.name} has changed type from ${own.type} to ${field.type}`)
    }
    if ((own.mode === 'REPEATED') !== (field.mode === 'REPEATED')) {
      throw invalid(`${wrong} Field ${own.name} has changed mode from ${own.mode} to ${field.mode}`)
    }
    if (!sameField(own, field)) throw invalid(`${wrong} Field ${own.name} has changed its nested fields`)
  }
  for (const own of kept) {
    if (own.mode === 'REQUIRED' && !findField(given, own.name) && own.defaultValueExpression === undefined) {
      throw invalid(`${wrong} Field ${own.name} is missing in new schema`)
    }
  }
}

function describeSpec(partitioning: Partitioning | undefined): string {
  if (!partitioning) return 'none'
  if (partitioning.kind === 'range') return `range(field:${partitioning.column})`
  return `interval(type:${partitioning.unit?.toLowerCase()},field:${partitioning.column})`
}

export function samePartitioning(a: Partitioning | undefined, b: Partitioning | undefined): boolean {
  return (
    describeSpec(a).toLowerCase() === describeSpec(b).toLowerCase() &&
    JSON.stringify(a?.range) === JSON.stringify(b?.range)
  )
}

function checkPartitioning(existing: TableEntry, spec: WriteSpec): void {
  if (!spec.partitioning || samePartitioning(existing.partitioning, spec.partitioning)) return
  throw invalid(
    `Incompatible table partitioning specification. Expects partitioning specification ${describeSpec(existing.partitioning)}, but input partitioning specification is ${describeSpec(spec.partitioning)}`,
  )
}

/** https://cloud.google.com/bigquery/docs/schemas#column_names; this engine keeps two of them beside a table's columns. */
const reserved =
  /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i

export function checkColumnNames(schema: readonly Field[]): void {
  const bad = schema.find(({ name }) => reserved.test(name))
  if (bad)
    throw invalid(
      `Invalid field name "${bad.name}". Field names are not allowed to start with the (case-insensitive) prefixes _PARTITION, _TABLE_, _FILE_, _ROW_TIMESTAMP, __ROOT__, _COLIDENTIFIER and _CHANGE_.`,
    )
}

/** https://cloud.google.com/bigquery/docs/partitioned-tables and .../clustered-tables: which columns may do it. */
export function checkLayout(
  schema: readonly Field[],
  partitioning: Partitioning | undefined,
  clustering: readonly string[] | undefined,
): void {
  checkColumnNames(schema)
  if (partitioning) {
    const field = findField(schema, partitioning.column)
    if (!field)
      throw invalid(
        `The field specified for partitioning cannot be found in the schema: ${partitioning.column}`,
      )
    const types = partitioning.kind === 'range' ? ['INTEGER'] : ['DATE', 'TIMESTAMP', 'DATETIME']
    if (!types.includes(field.type) || field.mode === 'REPEATED') {
      throw invalid(
        `The field specified for partitioning has type ${field.type}, which can't be used: ${field.name}`,
      )
    }
  }
  if ((clustering?.length ?? 0) > 4) throw invalid('Too many clustering columns: at most 4 are allowed')
  for (const name of clustering ?? []) {
    if (!findField(schema, name))
      throw invalid(`The field specified for clustering cannot be found in the schema: ${name}`)
  }
}

/** Checks everything that can be known before a row is read. Run again when the rows are ready. */
export function planWrite(project: string, draft: Draft, spec: WriteSpec): WritePlan {
  const { id, write } = spec
  if (!spec.anonymous) getDataset(project, draft, id.dataset)
  const existing = draft.table(id)
  if (!existing) {
    if (spec.create === 'CREATE_NEVER') throw tableNotFound(project, id)
    checkTableId(id.table)
    checkLayout(spec.schema, spec.partitioning, spec.clustering)
    return { schema: spec.schema, ...(spec.partitioning ? { partitioning: spec.partitioning } : {}) }
  }
  if (existing.kind !== 'TABLE') {
    throw invalid(`${spell(project, id)} is a ${existing.kind.toLowerCase()}, which can't be written to.`)
  }
  if (write === 'WRITE_EMPTY' && knownRows(existing, draft) !== 0) {
    throw new BigQueryError('duplicate', `Already Exists: Table ${spell(project, id)}`)
  }
  if (write === 'WRITE_TRUNCATE_DATA') checkNoMutation(project, existing, write)
  checkPartitioning(existing, spec)
  const kept = existing.partitioning ? { partitioning: existing.partitioning } : {}
  const replaces = write === 'WRITE_TRUNCATE' || existing.schema.length === 0
  if (replaces) checkLayout(spec.schema, existing.partitioning, existing.clustering)
  else checkFits(project, id, existing.schema, spec.schema)
  return { schema: replaces ? spec.schema : existing.schema, existing, ...kept }
}

function newExpiry(draft: Draft, spec: WriteSpec): Partial<TableEntry> {
  const standard = draft.dataset(spec.id.dataset)?.defaultTableExpirationMs
  return standard === undefined ? {} : { expirationTime: draft.now + standard }
}

/** A new partitioned table takes the dataset's default partition expiration when it says none itself. */
export function withDefaultExpiry(draft: Draft, dataset: string, partitioning: Partitioning): Partitioning {
  const standard = draft.dataset(dataset)?.defaultPartitionExpirationMs
  if (partitioning.kind !== 'time' || partitioning.expirationMs !== undefined || standard === undefined)
    return partitioning
  return { ...partitioning, expirationMs: standard }
}

/** Puts the rows in their place. */
export function applyWrite(
  project: string,
  draft: Draft,
  spec: WriteSpec,
  refs: readonly SegmentRef[],
): void {
  const { schema, existing } = planWrite(project, draft, spec)
  if (existing) {
    const append = spec.write === 'WRITE_APPEND' || spec.write === 'WRITE_EMPTY'
    const segments = append ? [...existing.segments, ...refs] : refs
    const { primaryKey, rowPolicies, upserts, ...rest } = existing
    // WRITE_TRUNCATE makes the table anew, so that constraints and row access policies go; the others keep them.
    const kept = spec.write !== 'WRITE_TRUNCATE'
    const keyed = { ...(kept && primaryKey && { primaryKey }), ...(kept && rowPolicies && { rowPolicies }) }
    draft.putTable({ ...rest, ...keyed, ...(append && upserts ? { upserts } : {}), schema, segments })
    return
  }
  const { id, partitioning, clustering } = spec
  draft.putTable({
    kind: 'TABLE',
    ...id,
    schema,
    segments: refs,
    ...(partitioning ? { partitioning: withDefaultExpiry(draft, id.dataset, partitioning) } : {}),
    ...(clustering?.length ? { clustering } : {}),
    ...newExpiry(draft, spec),
    ...(spec.anonymous ? { anonymous: true } : {}),
    ...spec.described,
  })
}
