/** Waits for a BigQuery job, as the jobs.insert connector does. */
import { taggedError, timeoutError } from '../errors.ts'
import type { FunctionContext } from '../library.ts'
import { isMap, type Value } from '../values.ts'

/**
 * The real connector polls after 1 s, then ever more slowly up to 60 s, or as `polling_policy` says. Those seconds are
 * sized for jobs of minutes; a laptop's jobs take milliseconds, so this one polls fast and ignores `polling_policy`.
 */
const FIRST_POLL_SECONDS = 0.02
const POLL_GROWTH = 1.5
/** A long job is asked after in proportion: each question takes processor time from the job itself. */
const longestPoll = (elapsedSeconds: number) => Math.min(Math.max(0.1, elapsedSeconds / 25), 0.5)

export interface Waiting {
  readonly poll: (url: string) => Promise<Value>
  readonly endpoint: string
  readonly timeoutSeconds: number
  readonly context: FunctionContext
}

function field(value: Value, ...path: readonly string[]): Value {
  let current = value
  for (const key of path) current = (isMap(current) ? current.get(key) : undefined) ?? null
  return current
}

function jobUrl(job: Value, endpoint: string): string {
  const part = (key: string) => encodeURIComponent(String(field(job, 'jobReference', key) ?? ''))
  if (field(job, 'jobReference', 'jobId') === null) {
    throw taggedError('ResponseTypeError', 'ResponseTypeError: the answer to jobs.insert is not a job')
  }
  const location = part('location') === '' ? '' : `?location=${part('location')}`
  return `${endpoint}/bigquery/v2/projects/${part('projectId')}/jobs/${part('jobId')}${location}`
}

/** The job once it is DONE. Raises OperationError when it failed, TimeoutError when it takes too long. */
export async function waitForJob(
  inserted: Value,
  { poll, endpoint, timeoutSeconds, context }: Waiting,
): Promise<Value> {
  const begun = context.now()
  const deadline = begun + timeoutSeconds * 1000
  let job = inserted
  for (let wait = FIRST_POLL_SECONDS; field(job, 'status', 'state') !== 'DONE'; wait *= POLL_GROWTH) {
    const left = (deadline - context.now()) / 1000
    if (left <= 0) throw timeoutError(`the long-running operation took longer than ${timeoutSeconds} seconds`)
    await context.sleep(Math.min(wait, longestPoll((context.now() - begun) / 1000), left))
    job = await poll(jobUrl(inserted, endpoint))
  }
  const failure = field(job, 'status', 'errorResult')
  if (failure === null) return job
  const message = field(failure, 'message')
  throw taggedError('OperationError', typeof message === 'string' ? message : 'the job failed', {
    operation: job,
  })
}
