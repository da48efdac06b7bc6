/** CREATE TABLE and CREATE TABLE … AS SELECT. */

import type { Draft } from '../catalogue/draft.ts'
import type { Partitioning, TableEntry } from '../catalogue/entry.ts'
import { duckColumnType, type Field, fieldOf, quote } from '../catalogue/field.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import { BigQueryError, invalid, unsupported } from '../errors.ts'
import type { Outcome } from '../jobs/run.ts'
import { checkLayout, samePartitioning, withDefaultExpiry } from '../jobs/write.ts'
import { checkTableId, getDataset, spell } from '../names.ts'
import { encodeReference } from '../rest/table-resource.ts'
import { type ColumnDefinition, type CreateTable, type PartitionBy, translateQuery } from '../sql/index.ts'
import { readOptions, withOptions } from './options.ts'
import { checkValues, resultSchema } from './select.ts'
import type { Session } from './session.ts'

export function fieldFrom({ name, type, mode, options, default: fallback }: ColumnDefinition): Field {
  const description = options.description
  const text = description?.kind === 'literal' ? description.value : undefined
  for (const option of Object.keys(options))
    if (option !== 'description') throw unsupported(`Column option ${option}`)
  const field = fieldOf({ name, type })
  return {
    ...field,
    mode: field.mode === 'REPEATED' ? 'REPEATED' : mode,
    ...(typeof text === 'string' ? { description: text } : {}),
    ...(fallback === undefined ? {} : { defaultValueExpression: fallback }),
  }
}

export function partitioningFrom(by: PartitionBy | undefined): Partitioning | undefined {
  if (!by) return undefined
  if (by.kind === 'ingestion') throw unsupported('Partitioning by ingestion time')
  if (by.kind === 'time') return { kind: 'time', column: by.column, unit: by.unit }
  const { column, start, end, interval } = by
  return { kind: 'range', column, range: { start, end, interval } }
}

/** Whether a CREATE may go on: `skip` for IF NOT EXISTS of what exists. */
export function checkCreate(
  session: Session,
  draft: Draft,
  statement: Pick<CreateTable, 'name' | 'orReplace' | 'ifNotExists'>,
): 'CREATE' | 'REPLACE' | 'SKIP' {
  const { project } = session.run
  const id = session.target(statement.name)
  getDataset(project, draft, id.dataset)
  checkTableId(id.table)
  if (!draft.table(id)) return 'CREATE'
  if (statement.orReplace) return 'REPLACE'
  if (statement.ifNotExists) return 'SKIP'
  throw new BigQueryError('duplicate', `Already Exists: Table ${spell(project, id)}`)
}

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/data-definition-language: DROP it first. */
export function checkReplaceable(
  before: TableEntry | undefined,
  after: Pick<TableEntry, 'partitioning' | 'clustering'>,
) {
  if (!before) return
  if (!samePartitioning(before.partitioning, after.partitioning)) {
    throw invalid(
      'Cannot replace a table with a different partitioning spec. Instead, DROP the table, and then recreate it.',
      'query',
    )
  }
  const columns = (entry: Pick<TableEntry, 'clustering'>) =>
    JSON.stringify((entry.clustering ?? []).map(c => c.toLowerCase()))
  if (columns(before) !== columns(after)) {
    throw invalid(
      'Cannot replace a table with a different clustering spec. Instead, DROP the table, and then recreate it.',
      'query',
    )
  }
}

export function ddl(session: Session, name: CreateTable['name'], operation: string) {
  const id = session.target(name)
  return { ddlOperationPerformed: operation, ddlTargetTable: encodeReference(session.run.project, id) }
}

function declaredSchema(statement: CreateTable, given: readonly Field[]): readonly Field[] {
  const { columns } = statement
  if (columns.length === 0) return given
  if (given.length > 0 && given.length !== columns.length) {
    throw invalid(
      `The number of columns in the column definition list does not match the number of columns produced by the query`,
      'query',
    )
  }
  return columns.map(fieldFrom)
}

async function writeSelected(
  session: Session,
  statement: CreateTable,
  partitioning: Partitioning | undefined,
) {
  const { as } = statement
  if (!as) return { schema: declaredSchema(statement, []), refs: [], bytes: 0, references: [] }
  const scope = session.scope()
  const translation = translateQuery({ query: as, script: statement.script }, scope, session.parameters)
  const given = resultSchema(translation)
  const schema = declaredSchema(statement, given)
  const columns = schema.map(
    (f, i) => `${quote(given[i]?.name ?? '')}::${duckColumnType(f)} AS ${quote(f.name)}`,
  )
  const wide = schema.find((f, i) => f.type === 'BIGNUMERIC' && given[i]?.type !== 'BIGNUMERIC')
  if (wide) throw unsupported(`A column of another type as BIGNUMERIC column ${wide.name} (CAST it)`)
  const same = schema === given
  const sql = same ? translation.sql : `SELECT ${columns.join(', ')} FROM (${translation.sql})`
  const { run } = session
  const fill = async (...[connection, name]: Parameters<ReturnType<typeof fillFrom>>) => {
    const rows = await fillFrom(sql)(connection, name)
    await checkValues(connection, name, schema)
    return rows
  }
  const { segment, release } = await writeNewSegment(
    run.catalogue,
    run.connection,
    schema,
    fill,
    partitioning,
  )
  run.defer(release)
  return { schema, refs: [{ segment: segment.id }], bytes: scope.bytesRead(), references: scope.tablesRead() }
}

export async function createTable(session: Session, statement: CreateTable): Promise<Outcome> {
  const { run } = session
  const id = session.target(statement.name)
  if (checkCreate(session, session.view(), statement) === 'SKIP')
    return { statistics: ddl(session, statement.name, 'SKIP') }
  const partitioning = partitioningFrom(statement.partitionBy)
  const options = await readOptions(session, statement.options, statement.text)
  const { schema, refs, bytes, references } = await writeSelected(session, statement, partitioning)
  if (schema.length === 0) throw invalid('A table must have at least one column', 'query')
  const { clusterBy, primaryKey } = statement
  checkLayout(schema, partitioning, clusterBy)
  const entry = withOptions(
    {
      kind: 'TABLE' as const,
      ...id,
      schema,
      segments: refs,
      ...(partitioning ? { partitioning: withDefaultExpiry(session.view(), id.dataset, partitioning) } : {}),
      ...(clusterBy.length > 0 ? { clustering: clusterBy } : {}),
      ...(primaryKey.length > 0 ? { primaryKey } : {}),
      ...defaultExpiry(session, id.dataset),
    },
    options,
  )
  return {
    statistics: { bytes, references: references.map(r => encodeReference(run.project, r)) },
    apply(draft) {
      const operation = checkCreate(session, draft, statement)
      checkReplaceable(draft.table(id), entry)
      draft.putTable(entry)
      return ddl(session, statement.name, operation)
    },
  }
}

export function defaultExpiry(session: Session, dataset: string): Pick<TableEntry, 'expirationTime'> {
  const standard = session.view().dataset(dataset)?.defaultTableExpirationMs
  return standard === undefined ? {} : { expirationTime: session.run.clock.now() + standard }
}
