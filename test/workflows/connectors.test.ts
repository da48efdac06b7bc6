/** Connectors: the REST request that each call becomes, and the wait for a job. */
import { afterEach, describe, expect, test } from 'vitest'
import { makeConnectors } from '../../local/workflows/connectors/index.ts'
import { CONNECTOR_METHODS } from '../../local/workflows/connectors/methods.ts'
import { WorkflowError } from '../../local/workflows/errors.ts'
import { plainOf, valueOfPlain } from '../../local/workflows/json.ts'
import { Args } from '../../local/workflows/library.ts'
import { isMap } from '../../local/workflows/values.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts'

let server: ScriptedServer
let slept: number[] = []
afterEach(() => server.close())

/** Calls a connector against scripted answers; the clock is what the waits add up to. */
async function call(name: string, args: Record<string, unknown>, ...answers: Answer[]): Promise<unknown> {
  server = await startScriptedServer(answers)
  slept = []
  const connectors = makeConnectors({ bigquery: server.url, storage: server.url, pubsub: server.url })
  const values = valueOfPlain(args)
  if (!isMap(values)) throw new Error('arguments are a map')
  const context = {
    now: () => slept.reduce((sum, seconds) => sum + seconds, 0) * 1000,
    sleep: async (seconds: number) => void slept.push(seconds),
    environment: () => undefined,
    log: () => {},
    signal: new AbortController().signal,
  }
  try {
    return plainOf(
      (await connectors.get(`googleapis.${name}`)?.call(new Args(name, values), context)) ?? null,
    )
  } catch (error) {
    if (error instanceof WorkflowError) return { raised: plainOf(error.payload) }
    throw error
  }
}

const requests = () => server.asked.map(({ method, path }) => `${method} ${path}`)

const B = '/bigquery/v2/projects/p'
describe('requests', () => {
  test.each([
    ['bigquery.v2.jobs.get', { projectId: 'p', jobId: 'j', location: 'EU' }, `GET ${B}/jobs/j?location=EU`],
    [
      'bigquery.v2.jobs.cancel',
      { projectId: 'p', jobId: 'j', location: 'EU' },
      `POST ${B}/jobs/j/cancel?location=EU`,
    ],
    ['bigquery.v2.jobs.query', { projectId: 'p', body: { query: 'q' } }, `POST ${B}/queries`],
    [
      'bigquery.v2.jobs.getQueryResults',
      { projectId: 'p', jobId: 'j', maxResults: 5 },
      `GET ${B}/queries/j?maxResults=5`,
    ],
    [
      'bigquery.v2.tables.get',
      { projectId: 'p', datasetId: 'd', tableId: 't$2026' },
      `GET ${B}/datasets/d/tables/t%242026`,
    ],
    [
      'bigquery.v2.tables.delete',
      { projectId: 'p', datasetId: 'd', tableId: 't' },
      `DELETE ${B}/datasets/d/tables/t`,
    ],
    [
      'bigquery.v2.tables.patch',
      { projectId: 'p', datasetId: 'd', tableId: 't', body: {} },
      `PATCH ${B}/datasets/d/tables/t`,
    ],
    ['bigquery.v2.datasets.insert', { projectId: 'p', body: {} }, `POST ${B}/datasets`],
    [
      'bigquery.v2.datasets.delete',
      { projectId: 'p', datasetId: 'd', deleteContents: true },
      `DELETE ${B}/datasets/d?deleteContents=true`,
    ],
    [
      'pubsub.v1.projects.topics.publish',
      { topic: 'projects/p/topics/t', body: {} },
      'POST /v1/projects/p/topics/t:publish',
    ],
    [
      'storage.v1.objects.get',
      { bucket: 'b', object: 'a%2Fb', alt: 'media' },
      'GET /storage/v1/b/b/o/a%2Fb?alt=media',
    ],
    ['storage.v1.objects.list', { bucket: 'b', prefix: 'a/' }, 'GET /storage/v1/b/b/o?prefix=a%2F'],
    ['storage.v1.objects.delete', { bucket: 'b', object: 'a' }, 'DELETE /storage/v1/b/b/o/a'],
    [
      'storage.v1.objects.insert',
      { bucket: 'b', name: 'a/b', uploadType: 'media', body: 'x' },
      'POST /upload/storage/v1/b/b/o?name=a%2Fb&uploadType=media',
    ],
  ])('%s', async (name, args, request) => {
    expect(await call(name, args, { json: { ok: true } })).toEqual({ ok: true })
    expect(requests()).toEqual([request])
    expect(server.asked[0]?.headers['authorization']).toBe('Bearer local')
  })

  test('a body is sent as JSON, and an empty answer is null', async () => {
    const args = { topic: 'projects/p/topics/t', body: { messages: [{ data: 'eA==' }] } }
    expect(await call('pubsub.v1.projects.topics.publish', args, { status: 204 })).toBeNull()
    expect(server.asked[0]?.body).toBe('{"messages":[{"data":"eA=="}]}')
  })

  test.each([
    [
      'storage.v1.objects.insert',
      { bucket: 'b', name: 'a', uploadType: 'resumable', body: 'x' },
      'ValueError',
    ],
    ['bigquery.v2.jobs.get', { projectId: 'p', jobId: 'j', connector_params: { wait: 1 } }, 'ValueError'],
    ['bigquery.v2.jobs.get', { projectId: 'p', jobId: 'j', connector_params: { timeout: 0 } }, 'ValueError'],
    ['bigquery.v2.jobs.get', { projectId: 'p', jobId: 5 }, 'TypeError'],
  ])('%s refuses %j', async (name, args, tag) => {
    expect(await call(name, args)).toMatchObject({ raised: { tags: [tag] } })
    expect(requests()).toEqual([])
  })
})

describe('errors', () => {
  const get = { projectId: 'p', jobId: 'j' }
  test('HttpError as it came', async () => {
    const answer = { status: 409, json: { error: { code: 409, message: 'Already Exists' } } }
    const raised = { tags: ['HttpError'], code: 409, body: { error: { message: 'Already Exists' } } }
    expect(await call('bigquery.v2.jobs.insert', { projectId: 'p', body: {} }, answer)).toMatchObject({
      raised,
    })
  })

  test('GET is tried again on 502 and 503, at most five times', async () => {
    expect(await call('bigquery.v2.jobs.get', get, { status: 503 }, { status: 502 }, { json: 1 })).toBe(1)
    expect(slept).toEqual([1, 1.25])
    const failing = Array.from({ length: 6 }, () => ({ status: 503 }))
    expect(await call('bigquery.v2.jobs.get', get, ...failing)).toMatchObject({ raised: { code: 503 } })
    expect(requests()).toHaveLength(6)
  })

  test('POST is tried again on 503, not on 502', async () => {
    const args = { projectId: 'p', body: {} }
    expect(await call('bigquery.v2.jobs.query', args, { status: 503 }, { json: 1 })).toBe(1)
    expect(await call('bigquery.v2.jobs.query', args, { status: 502 })).toMatchObject({
      raised: { code: 502 },
    })
    expect(requests()).toHaveLength(1)
  })
})

describe('jobs.insert', () => {
  const reference = { projectId: 'p', jobId: 'j 1', location: 'EU' }
  const job = (state: string, more: object = {}) => ({
    json: { jobReference: reference, status: { state, ...more } },
  })
  const insert = (params: object, ...answers: Answer[]) =>
    call(
      'bigquery.v2.jobs.insert',
      { projectId: 'p', body: { jobReference: reference }, connector_params: params },
      ...answers,
    )

  test('asks until the job is DONE, and answers with it', async () => {
    const result = await insert({}, job('PENDING'), job('RUNNING'), job('DONE'))
    expect(result).toEqual(job('DONE').json)
    expect(requests()).toEqual([
      `POST ${B}/jobs`,
      `GET ${B}/jobs/j%201?location=EU`,
      `GET ${B}/jobs/j%201?location=EU`,
    ])
    expect(slept).toEqual([0.02, 0.03])
  })

  test('a job that is DONE at once is not asked for', async () => {
    await insert({}, job('DONE'))
    expect(requests()).toHaveLength(1)
  })

  test('skip_polling answers with the job as inserted', async () => {
    expect(await insert({ skip_polling: true }, job('PENDING'))).toEqual(job('PENDING').json)
  })

  test('a job that failed raises OperationError with the job', async () => {
    const errorResult = { reason: 'invalidQuery', message: 'Syntax error' }
    const failed = job('DONE', { errorResult })
    expect(await insert({}, job('RUNNING'), failed)).toEqual({
      raised: { tags: ['OperationError'], message: 'Syntax error', operation: failed.json },
    })
  })

  test('a job that takes longer than the timeout raises TimeoutError', async () => {
    const running = Array.from({ length: 40 }, () => job('RUNNING'))
    expect(await insert({ timeout: 2 }, ...running)).toMatchObject({ raised: { tags: ['TimeoutError'] } })
    expect(slept.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(2)
    expect(Math.max(...slept)).toBe(0.1)
  })

  test('an answer that is no job raises ResponseTypeError', async () => {
    expect(await insert({}, { json: {} })).toMatchObject({ raised: { tags: ['ResponseTypeError'] } })
  })
})

test('every connector has a verb, a path and a name of its own', () => {
  expect(new Set(CONNECTOR_METHODS.map(method => method.name)).size).toBe(CONNECTOR_METHODS.length)
  expect(CONNECTOR_METHODS.filter(method => !method.path.startsWith('/'))).toEqual([])
})
