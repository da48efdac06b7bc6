/** A query job's statements, one after another: each is settled before the next begins, the last together with the job. */

import type { TableId } from '../catalogue/entry.ts'
import { invalid } from '../errors.ts'
import type { Outcome, Run } from '../jobs/run.ts'
import type { WriteSpec } from '../jobs/write.ts'
import { encodeSchema } from '../rest/schema.ts'
import { encodeReference } from '../rest/table-resource.ts'
import { parseScript, type SelectStatement, type Statement, translateQuery } from '../sql/index.ts'
import { alterTable } from './alter-table.ts'
import { createFromTable } from './create-from.ts'
import { createTable } from './create-table.ts'
import { runDml } from './dml.ts'
import { createSchema, createView, drop, dropSchema } from './drop.ts'
import type { QueryConfig } from './query-config.ts'
import { resultSchema, writeAnonymous, writeDestination } from './select.ts'
import { makeSession, type Session } from './session.ts'

type Destination = Omit<WriteSpec, 'schema'>

async function select(
  session: Session,
  statement: SelectStatement,
  destination?: Destination,
): Promise<Outcome> {
  const { run } = session
  const scope = session.scope()
  const translation = translateQuery(statement, scope, session.parameters)
  const outcome = await (destination
    ? writeDestination(session, statement.query, translation, destination)
    : writeAnonymous(run, translation))
  const references = scope.tablesRead().map(id => encodeReference(run.project, id))
  const schema = encodeSchema(resultSchema(translation))
  return {
    ...outcome,
    statistics: { bytes: scope.bytesRead(), references, schema, rows: outcome.statistics.rows },
  }
}

const transactional = [
  'select',
  'insert',
  'update',
  'delete',
  'merge',
  'truncate',
  'begin',
  'commit',
  'rollback',
]

function control(session: Session, kind: 'begin' | 'rollback' | 'commit'): Outcome {
  if (kind === 'commit') return { statistics: {}, ...session.commit() }
  session[kind]()
  return { statistics: {} }
}

async function step(session: Session, statement: Statement, destination?: Destination): Promise<Outcome> {
  if (session.inTransaction && !transactional.includes(statement.kind)) {
    throw invalid('DDL statements are not supported in a transaction', 'query')
  }
  switch (statement.kind) {
    case 'select':
      return select(session, statement, destination)
    case 'createTable':
      return createTable(session, statement)
    case 'createClone':
    case 'createCopy':
    case 'createLike':
    case 'createSnapshot':
      return createFromTable(session, statement)
    case 'createView':
      return createView(session, statement)
    case 'dropTable':
    case 'dropSnapshot':
    case 'dropView':
      return drop(session, statement)
    case 'alterTable':
      return alterTable(session, statement)
    case 'createSchema':
      return createSchema(session, statement)
    case 'dropSchema':
      return dropSchema(session, statement)
    case 'begin':
    case 'rollback':
    case 'commit':
      return control(session, statement.kind)
    default:
      return runDml(session, statement)
  }
}

/** The tables that a script writes; they are held from its beginning. */
function targets(session: Session, statements: readonly Statement[], destination?: Destination): TableId[] {
  const ids = destination ? [destination.id] : []
  for (const statement of statements) {
    if ('name' in statement && statement.name) ids.push(session.target(statement.name))
  }
  return ids
}

function queryStatistics(statementType: string, collected: Readonly<Record<string, unknown>>) {
  const { bytes, references, rows: _, ...rest } = collected
  const processed = String(bytes ?? 0)
  const tables = Array.isArray(references) && references.length > 0 ? { referencedTables: references } : {}
  const query = {
    statementType,
    totalBytesProcessed: processed,
    totalBytesBilled: processed,
    cacheHit: false,
    ...tables,
    ...rest,
  }
  return { totalBytesProcessed: processed, query }
}

export async function runQuery(run: Run, config: QueryConfig): Promise<Outcome> {
  const statements = parseScript(config.query)
  const { destination } = config
  const [first, ...others] = statements
  if (!first) throw invalid('Syntax error: Unexpected end of script', 'query')
  const single = others.length === 0
  if (destination && !(single && first.kind === 'select')) {
    throw invalid(
      'configuration.query.destinationTable cannot be set for scripts or statements other than SELECT',
      'query',
    )
  }
  const session = makeSession(run, config.defaultDataset, config.parameters)
  await run.lock(targets(session, statements, destination))
  let last: Outcome = { statistics: {} }
  let bytes = 0
  for (const [i, statement] of statements.entries()) {
    run.check()
    const outcome = await step(session, statement, destination)
    bytes += Number(outcome.statistics.bytes ?? 0)
    const inside = session.inTransaction
    last = { ...last, ...(outcome.result ? { result: outcome.result } : {}) }
    if (i === statements.length - 1 && !inside) last = { ...last, ...outcome }
    else last = { ...last, statistics: await session.settle(outcome) }
  }
  if (single) return withStatistics(last, first.statementType)
  // A script tells what it read in all; what single statements did to rows is theirs to tell.
  const { dmlStats: _, numDmlAffectedRows: __, ...kept } = last.statistics
  return withStatistics({ ...last, statistics: { ...kept, bytes } }, 'SCRIPT')
}

function withStatistics(outcome: Outcome, statementType: string): Outcome {
  const { apply } = outcome
  const statistics = queryStatistics(statementType, outcome.statistics)
  if (!apply) return { ...outcome, statistics }
  return {
    ...outcome,
    statistics,
    apply(draft) {
      return queryStatistics(statementType, { ...outcome.statistics, ...apply(draft) })
    },
  }
}
