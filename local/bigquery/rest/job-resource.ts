/** A job in REST's form (`Job`), and requests for one read into what runs. */
import { createHash, randomUUID } from 'node:crypto'
import { BigQueryError, invalid } from '../errors.ts'
import { parseCopyConfig, runCopy } from '../jobs/copy.ts'
import { type JobEntry, user } from '../jobs/job.ts'
import type { Deps } from '../jobs/run.ts'
import type { NewJob } from '../jobs/runner.ts'
import { parseLoadConfig } from '../load/config.ts'
import { runLoad } from '../load/load.ts'
import { checkProject } from '../names.ts'
import { parseQueryConfig } from '../query/query-config.ts'
import { runQuery } from '../query/script.ts'
import { anonymousId } from '../query/select.ts'
import { type Json, readFlag, readRecord, readText, refuseOthers, required } from './read.ts'
import { encodeReference } from './table-resource.ts'

const servedConfiguration = [
  'query',
  'load',
  'copy',
  'dryRun',
  'labels',
  'jobType',
  'jobTimeoutMs',
  'reservation',
]

function executorFor(project: string, configuration: Json): Pick<NewJob, 'kind' | 'execute'> {
  const query = readRecord(configuration, 'query')
  const load = readRecord(configuration, 'load')
  const copy = readRecord(configuration, 'copy')
  if (query) {
    const config = parseQueryConfig(project, query)
    return { kind: 'query', execute: run => runQuery(run, config) }
  }
  if (load) {
    const config = parseLoadConfig(project, load)
    return { kind: 'load', execute: run => runLoad(run, config) }
  }
  if (copy) {
    const config = parseCopyConfig(project, copy)
    return { kind: 'copy', execute: run => runCopy(run, config) }
  }
  throw new BigQueryError('required', 'Required parameter is missing: configuration')
}

/** Job ids: https://cloud.google.com/bigquery/docs/running-jobs#generate-jobid */
function checkJobId(id: string): string {
  if (!/^[\w-]{1,1024}$/.test(id)) {
    throw invalid(
      `Invalid job ID "${id}". Job IDs must be alphanumeric (plus underscores and dashes) and must be at most 1024 characters long.`,
    )
  }
  return id
}

export function checkLocation(deps: Deps, location: string | undefined | null): void {
  if (!location || location.toLowerCase() === deps.location.toLowerCase()) return
  throw new BigQueryError(
    'notFound',
    `Not found: location ${location}; the embedded BigQuery is at ${deps.location}`,
  )
}

/** A `Job` from `jobs.insert`; an absent id is made up. */
export function parseJob(deps: Deps, raw: Json): NewJob & { readonly dryRun: boolean } {
  const configuration = required(readRecord(raw, 'configuration'), 'configuration')
  refuseOthers(configuration, servedConfiguration, 'configuration')
  const reference = readRecord(raw, 'jobReference') ?? {}
  checkProject(deps.project, readText(reference, 'projectId'))
  checkLocation(deps, readText(reference, 'location'))
  const id = checkJobId(readText(reference, 'jobId') ?? `job_${randomUUID().replaceAll('-', '')}`)
  const { kind, execute } = executorFor(deps.project, configuration)
  const shown = { ...configuration, jobType: kind.toUpperCase() }
  return {
    id,
    kind,
    execute,
    location: deps.location,
    configuration: shown,
    dryRun: readFlag(configuration, 'dryRun') ?? false,
  }
}

/** A query without destination shows the table that its rows are kept in. */
function encodeConfiguration(project: string, { configuration, kind, id, result }: JobEntry): Json {
  const query = kind === 'query' ? readRecord(configuration, 'query') : undefined
  const anonymous = result?.table === anonymousId(id).table
  if (!query || query.destinationTable || !anonymous) return configuration
  return { ...configuration, query: { ...query, destinationTable: encodeReference(project, result) } }
}

function encodeStatistics(job: JobEntry): Json {
  const { created, started, ended, statistics } = job
  return {
    creationTime: String(created),
    ...(started === undefined ? {} : { startTime: String(started) }),
    ...(ended === undefined ? {} : { endTime: String(ended) }),
    ...statistics,
  }
}

export function encodeJob(deps: Deps, url: string, job: JobEntry): Json {
  const { project } = deps
  const { id, location, state, error, errors } = job
  return {
    kind: 'bigquery#job',
    etag: `"${createHash('sha256').update(`${id}${state}`).digest('base64url').slice(0, 22)}"`,
    id: `${project}:${location}.${id}`,
    selfLink: `${url}/bigquery/v2/projects/${project}/jobs/${id}?location=${location}`,
    jobReference: { projectId: project, jobId: id, location },
    configuration: encodeConfiguration(project, job),
    status: { state, ...(error ? { errorResult: error } : {}), ...(errors ? { errors } : {}) },
    statistics: encodeStatistics(job),
    user_email: user,
    principal_subject: `user:${user}`,
  }
}
