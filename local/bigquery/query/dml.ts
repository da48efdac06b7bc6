/** INSERT, UPDATE, DELETE, MERGE, TRUNCATE: segments never change, so that rows go into a new one. */
import type { SegmentRef, TableEntry } from '../catalogue/entry.ts'
import { knownRows, rowsOf } from '../catalogue/relation.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import { checkNoMutation } from '../changes/refusals.ts'
import { invalid } from '../errors.ts'
import type { Outcome } from '../jobs/run.ts'
import { getTable, spell } from '../names.ts'
import { type Dml, type DmlPlan, translateDml } from '../sql/index.ts'
import { readExcluded } from './exclude.ts'
import { checkValues } from './select.ts'
import type { Session } from './session.ts'
import { wholePartitions } from './whole-partitions.ts'
import { takeWholeRows } from './whole-rows.ts'

interface Counts {
  readonly insertedRowCount?: string
  readonly updatedRowCount?: string
  readonly deletedRowCount?: string
}

async function readCounts(session: Session, plan: Extract<DmlPlan, { kind: 'replace' }>): Promise<Counts> {
  const row = (await session.run.connection.runAndReadAll(plan.counts)).getRows()[0] ?? []
  const [insertedRowCount, updatedRowCount, deletedRowCount] = row.map(value => String(value ?? 0))
  return {
    insertedRowCount: insertedRowCount ?? '0',
    updatedRowCount: updatedRowCount ?? '0',
    deletedRowCount: deletedRowCount ?? '0',
  }
}

function total(counts: Counts): string {
  return String(Object.values(counts).reduce((sum, count) => sum + Number(count), 0))
}

/** What a statement makes of its target. */
interface Effect {
  readonly kind: DmlPlan['kind']
  readonly refs: readonly SegmentRef[]
  readonly counts: Counts
}

/** `undefined` when rows must be rewritten. */
async function excludePartitions(
  session: Session,
  statement: Dml,
  table: TableEntry,
): Promise<Effect | undefined> {
  const partitions =
    statement.kind === 'delete'
      ? wholePartitions(statement.where, table, statement.alias ?? statement.name.table)
      : undefined
  const column = table.partitioning?.column
  if (!partitions || column === undefined) return undefined
  const left = await readExcluded(session, table, column, partitions)
  return left && { kind: 'replace', refs: left.refs, counts: { deletedRowCount: String(left.deleted) } }
}

/** `undefined` when rows must be written. */
async function takeWhole(session: Session, statement: Dml, table: TableEntry): Promise<Effect | undefined> {
  if (statement.kind !== 'insert' || !statement.query) return undefined
  const { schema, segments } = table
  const columns = statement.columns.length > 0 ? statement.columns : schema.map(({ name }) => name)
  const refs = await takeWholeRows(session, statement.query, { schema, columns, segments })
  return refs && { kind: 'append', refs, counts: { insertedRowCount: String(rowsOf(refs, session.view())) } }
}

async function rewrite(session: Session, plan: DmlPlan, table: TableEntry): Promise<Effect> {
  const { run } = session
  if (plan.kind === 'truncate') {
    const deleted = String(knownRows(table, session.view()) ?? 0)
    return { kind: plan.kind, refs: [], counts: { deletedRowCount: deleted } }
  }
  const early = plan.kind === 'replace' ? await readCounts(session, plan) : undefined
  const fill = async (...[connection, name]: Parameters<ReturnType<typeof fillFrom>>) => {
    const rows = await fillFrom(plan.sql)(connection, name)
    await checkValues(connection, name, table.schema)
    return rows
  }
  const made = await writeNewSegment(run.catalogue, run.connection, table.schema, fill, table.partitioning)
  run.defer(made.release)
  const refs = made.segment.rows > 0 ? [{ segment: made.segment.id }] : []
  return { kind: plan.kind, refs, counts: early ?? { insertedRowCount: String(made.segment.rows) } }
}

export async function runDml(session: Session, statement: Dml): Promise<Outcome> {
  const { run } = session
  const id = session.target(statement.name)
  const table = getTable(run.project, session.view(), id)
  if (table.kind !== 'TABLE') {
    throw invalid(
      `${spell(run.project, id)} is not allowed for this operation because it is currently a ${table.kind}.`,
      'query',
    )
  }
  if (statement.kind !== 'insert') checkNoMutation(run.project, table, statement.kind)
  const scope = session.scope()
  const plan = translateDml(statement, scope, session.parameters)
  const excluded = await excludePartitions(session, statement, table)
  const moved = excluded ?? (await takeWhole(session, statement, table))
  const { kind, refs, counts } = moved ?? (await rewrite(session, plan, table))
  // A delete of whole partitions reads nothing: https://cloud.google.com/bigquery/docs/using-dml-with-partitioned-tables#using_dml_delete_to_delete_partitions
  const bytes = excluded ? 0 : scope.bytesRead()
  return {
    statistics: { bytes, dmlStats: counts, numDmlAffectedRows: total(counts) },
    apply(draft) {
      const now = getTable(run.project, draft, id)
      draft.putTable({ ...now, segments: kind === 'append' ? [...now.segments, ...refs] : refs })
      return undefined
    },
  }
}
