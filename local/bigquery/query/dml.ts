/** INSERT, UPDATE, DELETE, MERGE, TRUNCATE: segments never change, so that rows go into a new one. */
import type { SegmentRef } from '../catalogue/entry.ts'
import { knownRows } from '../catalogue/relation.ts'
import { fillFrom, writeNewSegment } from '../catalogue/segments.ts'
import { invalid } from '../errors.ts'
import type { Outcome } from '../jobs/run.ts'
import { getTable, spell } from '../names.ts'
import { type Dml, type DmlPlan, translateDml } from '../sql/index.ts'
import { checkValues } from './select.ts'
import type { Session } from './session.ts'

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
  const scope = session.scope()
  const plan = translateDml(statement, scope, session.parameters)
  let refs: readonly SegmentRef[] = []
  let counts: Counts = { deletedRowCount: String(knownRows(table, session.view()) ?? 0) }
  if (plan.kind !== 'truncate') {
    const early = plan.kind === 'replace' ? await readCounts(session, plan) : undefined
    const fill = async (...[connection, name]: Parameters<ReturnType<typeof fillFrom>>) => {
      const rows = await fillFrom(plan.sql)(connection, name)
      await checkValues(connection, name, table.schema)
      return rows
    }
    const made = await writeNewSegment(run.catalogue, run.connection, table.schema, fill, table.partitioning)
    run.defer(made.release)
    refs = made.segment.rows > 0 ? [{ segment: made.segment.id }] : []
    counts = early ?? { insertedRowCount: String(made.segment.rows) }
  }
  return {
    statistics: { bytes: scope.bytesRead(), dmlStats: counts, numDmlAffectedRows: total(counts) },
    apply(draft) {
      const now = getTable(run.project, draft, id)
      const segments = plan.kind === 'append' ? [...now.segments, ...refs] : refs
      draft.putTable({ ...now, segments })
      return undefined
    },
  }
}
