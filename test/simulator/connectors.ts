/** What refresh.yaml calls, in the simulator: functions over HTTP, BigQuery's and Pub/Sub's connectors with their retries. */

import type { JobBody, JobReference } from '../../functions/plan/run-plan.ts'
import { type ErrorTag, taggedError, WorkflowError } from '../../local/workflows/errors.ts'
import { plainOf, valueOfPlain } from '../../local/workflows/json.ts'
import type { LibraryFunction } from '../../local/workflows/library.ts'
import {
  delayBefore,
  IDEMPOTENT_POLICY,
  NON_IDEMPOTENT_POLICY,
  type RetryPolicy,
} from '../../local/workflows/retry.ts'
import type { Value } from '../../local/workflows/values.ts'
import type { Job, Jobs } from './jobs.ts'
import type { Actor, Failures, World } from './world.ts'

type Plain = Record<string, unknown>
export type Fakes = ReadonlyMap<string, (args: Plain) => Promise<unknown>>

export const httpError =
  (code: number, body: unknown = null) =>
  () =>
    taggedError('HttpError', `HTTP server responded with error code ${code}`, {
      code: BigInt(code),
      headers: new Map(),
      body: valueOfPlain(body),
    })
const tagged = (tag: ErrorTag) => () => taggedError(tag, `${tag}: trouble on the way`)
const quota = (reason: string) => httpError(403, { error: { errors: [{ reason }], message: reason } })

export const HTTP_FAILURES: Failures = {
  refused: [
    httpError(429),
    httpError(503),
    httpError(500),
    tagged('ConnectionFailedError'),
    tagged('ConnectionError'),
    tagged('TimeoutError'),
  ],
  lost: [httpError(503), httpError(500), httpError(504), tagged('ConnectionError'), tagged('TimeoutError')],
}
const BIGQUERY_FAILURES: Failures = {
  refused: [...HTTP_FAILURES.refused, quota('rateLimitExceeded'), quota('quotaExceeded')],
  lost: HTTP_FAILURES.lost,
}

const showJob = ({ body, state, error }: Job) => ({
  jobReference: body.jobReference,
  status: { state, ...(error && { errorResult: error, errors: [error] }) },
})

/** The connectors of one execution. cloud.google.com/workflows/docs/connectors: retries, and polls from 1 s to 60 s. */
export function makeConnectors(
  world: World,
  actor: Actor,
  jobs: Jobs,
  publish: (message: Plain) => void,
): Fakes {
  async function send<T>(policy: RetryPolicy, what: string, failures: Failures, act: () => T): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await world.call(actor, what, failures, act)
      } catch (error) {
        const again = error instanceof WorkflowError && policy.predicate(error.payload)
        if (!again || attempt >= policy.maxRetries) throw error
        await world.sleep(actor, delayBefore(policy.backoff, attempt) * 1_000)
      }
    }
  }
  const get = (reference: JobReference) =>
    send(IDEMPOTENT_POLICY, `get ${reference.jobId}`, BIGQUERY_FAILURES, () => {
      const job = jobs.get(reference)
      if (!job) throw httpError(404)()
      return { ...job }
    })

  async function insert(args: Plain): Promise<unknown> {
    const body = args.body as JobBody
    const { timeout } = args.connector_params as { timeout: number }
    const deadline = world.now + timeout * 1_000
    let job: Job = await send(
      NON_IDEMPOTENT_POLICY,
      `insert ${body.jobReference.jobId}`,
      BIGQUERY_FAILURES,
      () => {
        const inserted = jobs.insert(body)
        if (!inserted) throw httpError(409)()
        return { ...inserted }
      },
    )
    for (let wait = 1; job.state !== 'DONE'; wait = Math.min(60, wait * 1.25)) {
      if (world.now >= deadline) throw tagged('TimeoutError')()
      await world.sleep(actor, wait * 1_000)
      job = await get(body.jobReference)
    }
    if (!job.error) return showJob(job)
    throw taggedError('OperationError', job.error.message, { operation: valueOfPlain(showJob(job)) })
  }

  const referenceOf = (args: Plain) => args as unknown as JobReference
  return new Map<string, (args: Plain) => Promise<unknown>>([
    ['googleapis.bigquery.v2.jobs.insert', insert],
    ['googleapis.bigquery.v2.jobs.get', async args => showJob(await get(referenceOf(args)))],
    [
      'googleapis.bigquery.v2.jobs.cancel',
      args =>
        send(NON_IDEMPOTENT_POLICY, `cancel ${args.jobId}`, BIGQUERY_FAILURES, () =>
          jobs.cancel(referenceOf(args)),
        ),
    ],
    [
      'googleapis.pubsub.v1.projects.topics.publish',
      args =>
        send(NON_IDEMPOTENT_POLICY, 'publish', HTTP_FAILURES, () => {
          const { messages } = args.body as { messages: { data: string }[] }
          for (const { data } of messages) publish(JSON.parse(Buffer.from(data, 'base64').toString()))
          return { messageIds: ['1'] }
        }),
    ],
  ])
}

/** Plain data as a workflow's value, without the way over JSON. */
function toValue(plain: unknown): Value {
  if (plain === undefined || plain === null) return null
  if (typeof plain === 'number') return Number.isInteger(plain) ? BigInt(plain) : plain
  if (typeof plain === 'string' || typeof plain === 'boolean') return plain
  if (Array.isArray(plain)) return plain.map(toValue)
  const known = Object.entries(plain).filter(([, value]) => value !== undefined)
  return new Map(known.map(([name, value]) => [name, toValue(value)]))
}

/** A function of the library with a fake in its place. */
export const replace = (real: LibraryFunction, fake: (args: Plain) => Promise<unknown>): LibraryFunction => ({
  ...real,
  async call(args) {
    const plain = Object.fromEntries([...args.values].map(([name, value]) => [name, plainOf(value)]))
    return toValue(await fake(plain))
  },
})
