/** `jobs` over REST: insert, get, list, cancel, delete, query and getQueryResults. */
import { randomUUID } from 'node:crypto'
import { type Call, type Route, sendWireError } from '../../server.ts'
import { BigQueryError, bigQueryErrors, invalid, unsupported } from '../errors.ts'
import type { JobEntry } from '../jobs/job.ts'
import type { Deps } from '../jobs/run.ts'
import type { Runner } from '../jobs/runner.ts'
import { checkProject, getTable } from '../names.ts'
import { dryRun } from '../query/dry-run.ts'
import { checkLocation, encodeJob, parseJob } from './job-resource.ts'
import { page, readPlace } from './page.ts'
import { type Json, readFlag, readInteger, readRecord, readText, refuseOthers } from './read.ts'
import { formatOf, readTablePage } from './results.ts'
import type { RowFormat } from './rows.ts'
import { encodeSchema } from './schema.ts'

/** How long `jobs.query` and `getQueryResults` wait when they aren't told (https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query). */
const patience = 10_000
/** How long `jobs.insert` waits: copies and the like are done by then, and nobody has to ask for them again. */
const grace = 20

interface Wanted {
  readonly timeoutMs: number
  readonly start: number
  readonly limit: number | undefined
  readonly format: RowFormat
}

function failed(job: JobEntry): BigQueryError | undefined {
  const { error } = job
  if (!error) return undefined
  const known = [
    'invalid',
    'invalidQuery',
    'notFound',
    'duplicate',
    'stopped',
    'resourcesExceeded',
    'notImplemented',
  ] as const
  return new BigQueryError(
    known.find(k => k === error.reason) ?? 'internalError',
    error.message,
    error.location,
    job.errors,
  )
}

/** What `jobs.query` and `getQueryResults` share. */
async function encodeResults(deps: Deps, job: JobEntry, wanted: Wanted): Promise<Json> {
  const jobReference = { projectId: deps.project, jobId: job.id, location: job.location }
  if (job.state !== 'DONE') return { jobReference, jobComplete: false }
  const error = failed(job)
  if (error) throw error
  const query = readRecord(job.statistics, 'query') ?? {}
  const head = {
    jobReference,
    jobComplete: true,
    totalBytesProcessed: readText(job.statistics, 'totalBytesProcessed') ?? '0',
    cacheHit: false,
    numDmlAffectedRows: readText(query, 'numDmlAffectedRows'),
    dmlStats: readRecord(query, 'dmlStats'),
  }
  if (!job.result) return { ...head, schema: { fields: [] }, totalRows: '0' }
  const entry = getTable(deps.project, deps.catalogue.view(), job.result)
  const { rows, total, next } = await readTablePage(deps, entry, wanted.start, wanted.limit, wanted.format)
  return {
    ...head,
    schema: encodeSchema(entry.schema),
    totalRows: String(total),
    ...(next === undefined ? {} : { pageToken: String(next) }),
    rows,
  }
}

const servedQuery = [
  ...[
    'kind',
    'query',
    'maxResults',
    'defaultDataset',
    'timeoutMs',
    'dryRun',
    'useQueryCache',
    'useLegacySql',
    'parameterMode',
  ],
  ...[
    'queryParameters',
    'location',
    'formatOptions',
    'labels',
    'requestId',
    'maximumBytesBilled',
    'jobCreationMode',
  ],
  ...['createSession', 'jobTimeoutMs'],
]
/** Fields of `jobs.query` that are `configuration.query`'s as well. */
const passed = [
  'query',
  'defaultDataset',
  'useLegacySql',
  'parameterMode',
  'queryParameters',
  'maximumBytesBilled',
  'createSession',
  'useQueryCache',
]

/** `jobs.query` as the job that it stands for. */
function parseQueryRequest(raw: Json): Json {
  refuseOthers(raw, servedQuery, 'query request')
  const query = Object.fromEntries(Object.entries(raw).filter(([key]) => passed.includes(key)))
  const requestId = readText(raw, 'requestId')
  const location = readText(raw, 'location')
  return {
    configuration: {
      query,
      ...(raw.labels ? { labels: raw.labels } : {}),
      dryRun: readFlag(raw, 'dryRun') ?? false,
    },
    jobReference: {
      jobId: `job_${(requestId ?? randomUUID()).replace(/[^\w-]/g, '_')}`,
      ...(location ? { location } : {}),
    },
  }
}

export function makeJobRoutes(deps: Deps, runner: Runner, url: () => string): Route[] {
  const path = '/bigquery/v2/projects/:project'
  const checked = (call: Call) => {
    checkProject(deps.project, call.params.project)
    checkLocation(deps, call.url.searchParams.get('location'))
    return call.params.job ?? ''
  }
  const show = (job: JobEntry) => encodeJob(deps, url(), job)

  const insert = async (call: Call) => {
    checked(call)
    const { dryRun: dry, ...asked } = parseJob(deps, await call.body())
    if (dry) return dryRun(deps, asked)
    const begun = await runner.insert(asked)
    const job = await runner.wait(begun.id, grace)
    // Official clients take errors in this answer for a job that was not accepted.
    return show(job.errors ? begun : job)
  }
  const query = async (call: Call) => {
    checked(call)
    const raw = await call.body()
    const { dryRun: dry, ...job } = parseJob(deps, parseQueryRequest(raw))
    if (dry) {
      const { statistics } = await dryRun(deps, job)
      const { totalBytesProcessed, query: detail } = statistics
      return {
        kind: 'bigquery#queryResponse',
        jobComplete: true,
        totalBytesProcessed,
        schema: detail.schema,
        cacheHit: false,
      }
    }
    // The same requestId again is the same request: it gets the first one's answer.
    if (!(raw.requestId && deps.catalogue.jobs.has(job.id))) await runner.insert(job)
    const format = {
      int64Timestamp: readFlag(readRecord(raw, 'formatOptions') ?? {}, 'useInt64Timestamp') ?? false,
    }
    const wanted = {
      timeoutMs: readInteger(raw, 'timeoutMs') ?? patience,
      start: 0,
      limit: readInteger(raw, 'maxResults'),
      format,
    }
    const done = await runner.wait(job.id, wanted.timeoutMs)
    return { kind: 'bigquery#queryResponse', ...(await encodeResults(deps, done, wanted)) }
  }
  const results = async (call: Call) => {
    const id = checked(call)
    const { url: from } = call
    if (runner.get(id).kind !== 'query') throw invalid(`Job ${id} is not a query job.`)
    const wanted = {
      timeoutMs: readPlace(from, 'timeoutMs') ?? patience,
      start: readPlace(from, 'pageToken') ?? readPlace(from, 'startIndex') ?? 0,
      limit: readPlace(from, 'maxResults'),
      format: formatOf(from),
    }
    const job = await runner.wait(id, wanted.timeoutMs)
    return {
      kind: 'bigquery#getQueryResultsResponse',
      etag: '""',
      ...(await encodeResults(deps, job, wanted)),
    }
  }
  const list = (call: Call) => {
    checked(call)
    const states = call.url.searchParams.getAll('stateFilter').map(s => s.toUpperCase())
    const all = runner.list().filter(job => states.length === 0 || states.includes(job.state))
    const { items, nextPageToken } = page(all, call.url)
    const jobs = items.map(job => ({ ...show(job), state: job.state, errorResult: job.error }))
    return { kind: 'bigquery#jobList', etag: '""', jobs, nextPageToken }
  }
  const cancel = (call: Call) => ({
    kind: 'bigquery#jobCancelResponse',
    job: show(runner.cancel(checked(call))),
  })
  const upload = (call: Call) =>
    sendWireError(
      call.response,
      bigQueryErrors.render(unsupported('Loading from an uploaded file (load from gs:// instead)')),
    )
  return [
    { method: 'POST', path: `${path}/jobs`, handler: insert },
    { method: 'GET', path: `${path}/jobs`, handler: list },
    { method: 'GET', path: `${path}/jobs/:job`, handler: call => show(runner.get(checked(call))) },
    { method: 'POST', path: `${path}/jobs/:job/cancel`, handler: cancel },
    { method: 'POST', path: `${path}/queries`, handler: query },
    { method: 'GET', path: `${path}/queries/:job`, handler: results },
    { method: 'POST', path: '/upload/bigquery/v2/projects/:project/jobs', handler: upload },
  ]
}
