/** INFORMATION_SCHEMA.JOBS and JOBS_TIMELINE: the jobs that people asked for, and background applies of streamed changes. */
import { literal } from '../catalogue/field.ts'
import { type JobEntry, user } from '../jobs/job.ts'
import type { Deps } from '../jobs/run.ts'
import { type Json, readRecord, readText } from '../rest/read.ts'
import { type SqlRow, sqlRows, sqlTime } from './information-rows.ts'
import { shapes } from './information-shapes.ts'

type JobDeps = Pick<Deps, 'catalogue' | 'project'>

/** Who applies changes (https://cloud.google.com/bigquery/docs/change-data-capture#monitor_table_upsert_operation_progress). */
const applier = 'bigquery-adminbot@system.gserviceaccount.com'

function sqlReference(reference: Json | undefined): string | undefined {
  if (!reference) return undefined
  const part = (name: string) => literal(readText(reference, name) ?? '')
  return `{'project_id': ${part('projectId')}, 'dataset_id': ${part('datasetId')}, 'table_id': ${part('tableId')}}`
}

/** A background job has no type (https://cloud.google.com/bigquery/docs/information-schema-jobs#schema). */
function jobRow(project: string, job: JobEntry): SqlRow {
  const { configuration, statistics } = job
  const detail = readRecord(configuration, job.kind) ?? configuration
  const query = readRecord(configuration, 'query')
  const text = query && readText(query, 'query')
  const type = readText(readRecord(statistics, 'query') ?? {}, 'statementType')
  const bytes = String(Number(statistics.totalBytesProcessed ?? 0))
  const destination = sqlReference(readRecord(detail, 'destinationTable'))
  return {
    project_id: literal(project),
    job_id: literal(job.id),
    ...(job.kind === 'apply' ? {} : { job_type: literal(job.kind.toUpperCase()) }),
    user_email: literal(job.kind === 'apply' ? applier : user),
    state: literal(job.state),
    creation_time: sqlTime(job.created),
    total_slot_ms: String(Number(statistics.totalSlotMs ?? 0)),
    total_bytes_processed: bytes,
    total_bytes_billed: bytes,
    ...(type === undefined ? {} : { statement_type: literal(type) }),
    ...(text === undefined ? {} : { query: literal(text) }),
    ...(destination === undefined ? {} : { destination_table: destination }),
    ...(job.started === undefined ? {} : { start_time: sqlTime(job.started) }),
    ...(job.ended === undefined ? {} : { end_time: sqlTime(job.ended) }),
  }
}

export function sqlJobs({ catalogue, project }: JobDeps): string {
  return sqlRows(
    shapes.JOBS,
    [...catalogue.jobs.values()].map(job => jobRow(project, job)),
  )
}

/** A row for each second in which a job ran. Slots are not known here: a job has one for as long as it takes. */
export function sqlTimeline(deps: JobDeps): string {
  const first = `date_trunc('second', start_time)`
  const last = `coalesce(end_time, start_time)`
  const upTo = `least(${last}, period + INTERVAL 1 SECOND)`
  const computed: Readonly<Record<string, string>> = {
    period_start: 'period',
    period_slot_ms: `greatest(0, epoch_ms(${upTo}) - epoch_ms(greatest(start_time, period)))`,
    job_creation_time: 'creation_time',
    job_start_time: 'start_time',
    job_end_time: 'end_time',
  }
  const columns = Object.keys(shapes.JOBS_TIMELINE).map(name => `${computed[name] ?? name} AS ${name}`)
  const periods = `SELECT *, unnest(generate_series(${first}, ${last}, INTERVAL 1 SECOND)) AS period FROM ${sqlJobs(deps)} WHERE start_time IS NOT NULL`
  return `(SELECT ${columns.join(', ')} FROM (${periods}))`
}
