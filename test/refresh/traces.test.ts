/** Golden traces of workflows/refresh.yaml: what it calls, in which order, on each way through it. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STAGES } from '../../functions/plan/run-plan.ts'
import {
  type Fake,
  type Fakes,
  httpError,
  operationError,
  raisedError,
  runWorkflow,
} from '../support/run-workflow.ts'

const source = readFileSync(new URL('../../workflows/refresh.yaml', import.meta.url), 'utf8')
const environment = {
  GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID: 'execution-1',
  GOOGLE_CLOUD_PROJECT_ID: 'p',
  PLAN_URL: 'https://plan',
  VERIFY_URL: 'https://verify',
  COMPLETE_URL: 'https://complete',
  FAIL_URL: 'https://fail',
  TOPIC: 'freshet-refreshed',
}
const stages = STAGES.map(name => ({
  name,
  timeoutSeconds: 3600,
  jobs: [
    {
      jobReference: { projectId: 'p', jobId: `freshet_x_${name}_a1`, location: 'EU' },
      configuration: { labels: {}, query: { query: name } },
    },
  ],
}))
/** What verify answers with: the jobs that what was found calls for. */
const found = JSON.parse(JSON.stringify(stages).replaceAll('_a1', '_found_a1'))
const envelope = (status: string) => ({
  message: { status, feed: 'x' },
  attributes: { status },
  orderingKey: 'x',
})
const done = (id: string, errorResult?: object) => ({
  jobReference: { projectId: 'p', jobId: id, location: 'EU' },
  status: { state: 'DONE', ...(errorResult && { errorResult }) },
})

/** Functions that answer as in a refresh of one run; a test gives what goes differently. */
function functions(given: Record<string, Fake> = {}): Fake {
  const counts = new Map<string, number>()
  const usual: Record<string, Fake> = {
    plan: (_, call) => (call === 0 ? { kind: 'run', run: 'r1', stages } : { kind: 'idle' }),
    verify: () => ({ kind: 'proceed', stages: found }),
    complete: ({ body }) =>
      (body as { announced: boolean }).announced
        ? { kind: 'closed' }
        : { kind: 'receipt', messages: [envelope('refreshed')] },
    fail: () => ({ kind: 'failed', messages: [envelope('failed')] }),
    ...given,
  }
  return args => {
    const name = String(args.url).replace('https://', '')
    const call = counts.get(name) ?? 0
    counts.set(name, call + 1)
    return { code: 200, headers: {}, body: usual[name]?.(args, call) }
  }
}

const idOf = (args: Record<string, unknown>): string => {
  const body = args.body as { jobReference: { jobId: string } } | undefined
  return body?.jobReference.jobId ?? String(args.jobId)
}
const bigquery = (insert: Fake, get: Fake = args => done(idOf(args))): Fakes => ({
  'googleapis.bigquery.v2.jobs.insert': insert,
  'googleapis.bigquery.v2.jobs.get': get,
  'googleapis.bigquery.v2.jobs.cancel': () => ({}),
})
const good = bigquery(args => done(idOf(args)))
const publish = (fake: Fake = () => ({ messageIds: ['1'] })): Fakes => ({
  'googleapis.pubsub.v1.projects.topics.publish': fake,
})
const failing = (stage: string, attempts: number, reason: string): Fakes => {
  const errorResult = { reason, message: 'it broke' }
  const bad = (id: string) => id.includes(`_${stage}_`) && Number(id.at(-1)) <= attempts
  return bigquery(
    args => {
      const id = idOf(args)
      if (bad(id)) throw operationError(done(id, errorResult))
      return done(id)
    },
    args => done(idOf(args), bad(idOf(args)) ? errorResult : undefined),
  )
}

const CASES: Record<string, Fakes> = {
  success: { 'http.post': functions(), ...good, ...publish() },
  'job exists already (409)': {
    'http.post': functions(),
    ...bigquery(() => {
      throw httpError(409, { error: { code: 409, message: 'Already Exists: Job p:EU.x' } })
    }),
    ...publish(),
  },
  'job still running after a 409': {
    'http.post': functions(),
    ...bigquery(
      args => {
        if (idOf(args).includes('_load_')) throw httpError(409)
        return done(idOf(args))
      },
      (args, call) => (call < 2 ? { ...done(idOf(args)), status: { state: 'RUNNING' } } : done(idOf(args))),
    ),
    ...publish(),
  },
  'job failed once, passing': {
    'http.post': functions(),
    ...failing('deduplicate', 1, 'backendError'),
    ...publish(),
  },
  'job failed for good': {
    'http.post': functions(),
    ...failing('deduplicate', 9, 'resourcesExceeded'),
    ...publish(),
  },
  'bad file: load is rejected': {
    'http.post': functions({ fail: () => ({ kind: 'stopped', messages: [envelope('rejected')] }) }),
    ...failing('load', 9, 'invalid'),
    ...publish(),
  },
  'submit lost, job is there': {
    'http.post': functions(),
    ...bigquery((args, call) => {
      if (call === 0) throw raisedError('ConnectionError', 'the connection broke')
      return done(idOf(args))
    }),
    ...publish(),
  },
  'submit lost, job is not there': {
    'http.post': functions(),
    ...bigquery(
      (args, call) => {
        if (call === 0) throw raisedError('ConnectionFailedError', 'no connection')
        return done(idOf(args))
      },
      (args, call) => {
        if (call === 0) throw httpError(404)
        return done(idOf(args))
      },
    ),
    ...publish(),
  },
  'submit refused': {
    'http.post': functions(),
    ...bigquery(() => {
      throw httpError(403, { error: { message: 'Access Denied' } })
    }),
    ...publish(),
  },
  'verify says hold': {
    'http.post': functions({
      verify: () => ({ kind: 'stopped', restore: false, messages: [envelope('held')] }),
    }),
    ...good,
    ...publish(),
  },
  'staging is not as it should be': {
    'http.post': functions({
      verify: ({ body }) =>
        (body as { what: string }).what === 'landing'
          ? { kind: 'proceed', stages: found }
          : { kind: 'stopped', restore: true, messages: [envelope('held')] },
    }),
    ...good,
    ...publish(),
  },
  'announce fails twice': {
    'http.post': functions(),
    ...good,
    ...publish((_, call) => {
      if (call < 2) throw httpError(503)
      return { messageIds: ['1'] }
    }),
  },
  'announce fails for good': {
    'http.post': functions(),
    ...good,
    ...publish(() => {
      throw httpError(503)
    }),
  },
  'lease lost at verify': {
    'http.post': functions({ verify: () => ({ kind: 'lost' }) }),
    ...good,
    ...publish(),
  },
  'somebody else holds the lease': {
    'http.post': functions({ plan: () => ({ kind: 'busy' }) }),
    ...good,
    ...publish(),
  },
  'plan is refused': {
    'http.post': functions({
      plan: () => {
        throw httpError(400, { error: { code: 'schema-drift', message: 'other columns', hint: 'alter' } })
      },
    }),
    ...good,
    ...publish(),
  },
  'two runs wait': {
    'http.post': functions({
      plan: (_, call) => (call < 2 ? { kind: 'run', run: `r${call + 1}`, stages } : { kind: 'idle' }),
    }),
    ...good,
    ...publish(),
  },
}

/** One line a call: enough to see the order and what was sent. */
function show({ call, args }: { call: string; args: Record<string, unknown> }): string {
  if (call === 'http.post') {
    const { feed: _feed, holder: _holder, jobs, error, ...body } = args.body as Record<string, unknown>
    const ran = Array.isArray(jobs)
      ? ` jobs=${jobs.map(job => `${job.stage}:${job.jobId}`).join(' ') || 'none'}`
      : ''
    const failed = error ? ` error=${JSON.stringify((error as { message?: string }).message)}` : ''
    return `ask ${args.url} ${JSON.stringify(body)}${ran}${failed}`
  }
  if (call.endsWith('publish')) {
    const [message] = (args.body as { messages: { data: string; attributes: object; orderingKey: string }[] })
      .messages
    return `publish ${args.topic} ${Buffer.from(message?.data ?? '', 'base64')} ${JSON.stringify(message?.attributes)} key=${message?.orderingKey}`
  }
  return call === 'sys.sleep'
    ? `sleep ${args.seconds}`
    : `${call.split('.').slice(-2).join('.')} ${idOf(args)}`
}

describe('workflows/refresh.yaml', () => {
  it.each(Object.keys(CASES))('%s', async name => {
    const run = await runWorkflow(source, { feed: 'x' }, CASES[name] ?? {}, environment)
    const outcome = run.error
      ? `failed: ${JSON.stringify(run.error.payload)}`
      : `returned: ${JSON.stringify(run.result)}`
    const text = [...run.trace.map(show), outcome, ''].join('\n')
    await expect(text).toMatchFileSnapshot(`../cases/workflow/${name.replaceAll(/[^a-z0-9]+/g, '-')}.txt`)
  })
})
