/** CREATE TABLE … CLONE, COPY or LIKE, and CREATE SNAPSHOT TABLE: metadata only. */
import { unsupported } from '../errors.ts'
import { deriveEntry, getSource, shareSegments } from '../jobs/derive.ts'
import type { Outcome } from '../jobs/run.ts'
import { checkLayout, withDefaultExpiry } from '../jobs/write.ts'
import type { CreateFromTable } from '../sql/index.ts'
import { checkCreate, checkReplaceable, ddl, defaultExpiry, partitioningFrom } from './create-table.ts'
import { readOptions, withOptions } from './options.ts'
import type { Session } from './session.ts'

const derivations = {
  createClone: 'clone',
  createCopy: 'copy',
  createLike: 'like',
  createSnapshot: 'snapshot',
} as const

/** LIKE may lay the new table out differently; the others take their source's layout. */
function layoutOf(statement: CreateFromTable) {
  const { kind, partitionBy, clusterBy } = statement
  if (kind !== 'createLike' && (partitionBy || clusterBy.length > 0)) {
    throw unsupported('PARTITION BY or CLUSTER BY on a clone, copy or snapshot')
  }
  const partitioning = partitioningFrom(partitionBy)
  return {
    ...(partitioning ? { partitioning } : {}),
    ...(clusterBy.length > 0 ? { clustering: clusterBy } : {}),
  }
}

export async function createFromTable(session: Session, statement: CreateFromTable): Promise<Outcome> {
  const { run } = session
  if (statement.asOf) throw unsupported('FOR SYSTEM_TIME AS OF')
  const id = session.target(statement.name)
  if (checkCreate(session, session.view(), statement) === 'SKIP')
    return { statistics: ddl(session, statement.name, 'SKIP') }
  const kind = derivations[statement.kind]
  const source = getSource(run, session.target(statement.source))
  const segments = kind === 'like' ? [] : await shareSegments(run, source)
  const options = await readOptions(session, statement.options, statement.text)
  const derived = { ...deriveEntry(kind, id, source, segments, run.clock.now()), ...layoutOf(statement) }
  checkLayout(derived.schema, derived.partitioning, derived.clustering)
  const { partitioning } = derived
  const fresh = partitioning && kind !== 'snapshot'
  const expiring = fresh ? { partitioning: withDefaultExpiry(session.view(), id.dataset, partitioning) } : {}
  const entry = withOptions({ ...derived, ...expiring, ...defaultExpiry(session, id.dataset) }, options)
  return {
    statistics: {},
    apply(draft) {
      const operation = checkCreate(session, draft, statement)
      checkReplaceable(draft.table(id), entry)
      draft.putTable(entry)
      return ddl(session, statement.name, operation)
    },
  }
}
