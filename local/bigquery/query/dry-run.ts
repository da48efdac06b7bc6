/** A dry run: the query is translated and prepared, never run; answers its schema and the bytes it would read. */
import { unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import type { NewJob } from '../jobs/runner.ts'
import { readRecord, required } from '../rest/read.ts'
import { encodeSchema } from '../rest/schema.ts'
import { parseScript, translateQuery } from '../sql/index.ts'
import { parseQueryConfig } from './query-config.ts'
import { makeScope } from './scope.ts'
import { resultSchema } from './select.ts'

export async function dryRun(deps: Deps, job: Omit<NewJob, 'execute'>) {
  if (job.kind !== 'query') throw unsupported(`A dry run of a ${job.kind} job`)
  const config = parseQueryConfig(
    deps.project,
    required(readRecord(job.configuration, 'query'), 'configuration.query'),
  )
  const statements = parseScript(config.query)
  const scope = makeScope(deps, deps.catalogue.view(), config.defaultDataset)
  try {
    const [statement] = statements
    let schema: ReturnType<typeof encodeSchema> = { fields: [] }
    if (statement?.kind === 'select') {
      const translation = translateQuery(statement, scope, config.parameters)
      await deps.engine.using(connection => connection.prepare(translation.sql))
      schema = encodeSchema(resultSchema(translation))
    } else for (const name of statement?.references ?? []) scope.relation(name)
    const totalBytesProcessed = String(scope.bytesRead())
    const statementType = statements.length === 1 ? statement?.statementType : 'SCRIPT'
    const query = {
      statementType,
      schema,
      totalBytesProcessed,
      totalBytesProcessedAccuracy: 'PRECISE',
      cacheHit: false,
    }
    return {
      kind: 'bigquery#job',
      configuration: { ...job.configuration, dryRun: true },
      jobReference: { projectId: deps.project, location: deps.location },
      status: { state: 'DONE' },
      statistics: { creationTime: String(deps.clock.now()), totalBytesProcessed, query },
    }
  } finally {
    scope.release()
  }
}
