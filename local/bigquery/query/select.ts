/** A query's rows into a segment: into the table that the job names, or into one of its own that lasts a day. */

import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { SegmentRef, TableId } from '../catalogue/entry.ts'
import { duckColumnType, type Field, fieldOf, findField, quote } from '../catalogue/field.ts'
import { bytesOf, rowsOf } from '../catalogue/relation.ts'
import { type Fill, fillFrom, fillInOrder, type NewSegment, writeNewSegment } from '../catalogue/segments.ts'
import { readNumber } from '../engine.ts'
import { invalid } from '../errors.ts'
import type { Outcome, Run } from '../jobs/run.ts'
import { applyWrite, planWrite, type WriteSpec } from '../jobs/write.ts'
import type { Query, Translation } from '../sql/index.ts'
import type { Session } from './session.ts'
import { takeWholeRows } from './whole-rows.ts'

/** Results without destination are kept for about a day (https://cloud.google.com/bigquery/docs/cached-results). */
const resultLife = 86_400_000

export function anonymousId(jobId: string): TableId {
  return {
    dataset: '_results',
    table: `anon${createHash('sha256').update(jobId).digest('hex').slice(0, 32)}`,
  }
}

export function resultSchema({ columns }: Translation): Field[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { name } of columns) {
    if (seen.has(name.toLowerCase())) twice.add(name)
    seen.add(name.toLowerCase())
  }
  if (twice.size > 0) {
    const names = [...twice].join(', ')
    throw invalid(
      `Duplicate column names in the result are not supported. Found duplicate(s): ${names}`,
      'query',
    )
  }
  return columns.map(fieldOf)
}

/** The query's rows in the shape of `schema`: as they are where the columns agree, else picked by name. */
export function sqlShaped(sql: string, given: readonly Field[], schema: readonly Field[]): string {
  const same = given.length === schema.length && given.every((f, i) => f.name === schema[i]?.name)
  if (same) return sql
  const columns = schema.map(field => {
    const own = findField(given, field.name)
    const name = quote(field.name)
    return own ? `${quote(own.name)} AS ${name}` : `NULL::${duckColumnType(field)} AS ${name}`
  })
  return `SELECT ${columns.join(', ')} FROM (${sql})`
}

/** What a column's mode and parameters forbid, as a DuckDB condition, with what to say of it. */
function* sqlForbidden({
  name,
  mode,
  type,
  maxLength,
  precision,
  scale,
}: Field): Generator<[string, string]> {
  const column = quote(name)
  if (mode === 'REQUIRED') yield [`${column} IS NULL`, `Required field ${name} cannot be null`]
  if (mode === 'REPEATED') return
  if (maxLength !== undefined) {
    const length = type === 'BYTES' ? 'octet_length' : 'length'
    const message = `Field ${name}: ${type}(${maxLength}) has maximum length ${maxLength} but got a longer value`
    yield [`${length}(${column}) > ${maxLength}`, message]
  }
  if (precision === undefined) return
  const digits = scale ?? 0
  const bound = `1${'0'.repeat(precision - digits)}`
  const message = `Field ${name}: a value does not fit NUMERIC(${precision}, ${digits})`
  yield [`${column} <> round(${column}, ${digits}) OR abs(${column}) >= ${bound}`, message]
}

/** REQUIRED and parameterized types: looked up after the fact, where statistics make it cheap. */
export async function checkValues(connection: DuckDBConnection, segment: string, schema: readonly Field[]) {
  for (const field of schema) {
    for (const [condition, message] of sqlForbidden(field)) {
      const sql = `SELECT count(*) FROM (SELECT 1 FROM ${segment} WHERE ${condition} LIMIT 1)`
      if ((await readNumber(connection, sql)) > 0) throw invalid(message)
    }
  }
}

/** Fills a segment for `spec`'s table and says what makes it true. */
export async function writeRows(run: Run, spec: WriteSpec, fillFor: (schema: readonly Field[]) => Fill) {
  const { catalogue, connection, project } = run
  const plan = planWrite(project, catalogue.view(), spec)
  const checked: Fill = async (own, name) => {
    const rows = await fillFor(plan.schema)(own, name)
    await checkValues(own, name, plan.schema)
    return rows
  }
  const partitioning = plan.partitioning ?? spec.partitioning
  const made: NewSegment = await writeNewSegment(catalogue, connection, plan.schema, checked, partitioning)
  run.defer(made.release)
  const { segment } = made
  const refs = segment.rows > 0 ? [{ segment: segment.id }] : []
  return { segment, refs }
}

/** Of all columns and not just some: those that are missing would be NULL. */
async function takeWhole(session: Session, query: Query, spec: WriteSpec): Promise<Rows | undefined> {
  const { project, catalogue } = session.run
  const { schema, existing } = planWrite(project, catalogue.view(), spec)
  const columns = spec.schema.map(({ name }) => name)
  const refs = await takeWholeRows(session, query, { schema, columns, segments: existing?.segments ?? [] })
  if (!refs) return undefined
  const view = catalogue.view()
  return { rows: rowsOf(refs, view), bytes: bytesOf({ segments: refs }, view), refs }
}

/** Into the table that a job names; rows that are taken whole are not moved. */
export async function writeDestination(
  session: Session,
  query: Query,
  translation: Translation,
  spec: Omit<WriteSpec, 'schema'>,
): Promise<Outcome> {
  const full: WriteSpec = { ...spec, schema: resultSchema(translation) }
  const taken = await takeWhole(session, query, full)
  return taken ? outcomeOf(session.run, full, taken) : writeQuery(session.run, translation, spec)
}

interface Rows {
  readonly rows: number
  readonly bytes: number
  readonly refs: readonly SegmentRef[]
}

function outcomeOf({ project }: Run, spec: WriteSpec, { rows, bytes, refs }: Rows): Outcome {
  return {
    statistics: { rows, bytes },
    result: spec.id,
    apply(draft) {
      applyWrite(project, draft, spec, refs)
      return undefined
    },
  }
}

/** `ordered` keeps the rows' order, for results that people read. */
async function writeQuery(
  run: Run,
  translation: Translation,
  spec: Omit<WriteSpec, 'schema'>,
): Promise<Outcome> {
  const schema = resultSchema(translation)
  const full: WriteSpec = { ...spec, schema }
  const { segment, refs } = await writeRows(run, full, wanted =>
    spec.anonymous
      ? fillInOrder(run.engine, translation.sql, wanted)
      : fillFrom(sqlShaped(translation.sql, schema, wanted)),
  )
  return outcomeOf(run, full, { rows: segment.rows, bytes: segment.bytes, refs })
}

export function writeAnonymous(run: Run, translation: Translation): Promise<Outcome> {
  return writeQuery(run, translation, {
    id: anonymousId(run.jobId),
    write: 'WRITE_TRUNCATE',
    create: 'CREATE_IF_NEEDED',
    anonymous: true,
    described: { expirationTime: run.clock.now() + resultLife },
  })
}
