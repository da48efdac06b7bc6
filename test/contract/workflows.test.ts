/** The Workflows APIs as the official client and gcloud see them. */
import { ExecutionsClient } from '@google-cloud/workflows'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { type StepEvent, startWorkflows, type WorkflowsService } from '../../local/workflows/index.ts'

const PROJECT = 'contract'
const LOCATION = 'europe-west1'
const PARENT = `projects/${PROJECT}/locations/${LOCATION}`
const NOWHERE = 'http://127.0.0.1:9'

const GREET = `
main:
  params: [args]
  steps:
    - check:
        switch:
          - condition: \${args.name == "nobody"}
            raise: {message: "who?", tags: [Nobody]}
          - condition: \${args.name == "slow"}
            steps:
              - wait:
                  call: sys.sleep
                  args: {seconds: 3600}
    - answer:
        return: \${"hello " + args.name + " from " + sys.get_env("GREETER")}
`

let service: WorkflowsService
let client: ExecutionsClient

beforeAll(async () => {
  const endpoints = { bigquery: NOWHERE, storage: NOWHERE, pubsub: NOWHERE }
  service = await startWorkflows({ clock: systemClock, project: PROJECT, location: LOCATION, endpoints })
  const { hostname, port } = new URL(service.url)
  client = new ExecutionsClient({
    fallback: true,
    protocol: 'http',
    apiEndpoint: hostname,
    port: Number(port),
    // REST asks for credentials even here; a key is one that needs no network.
    apiKey: 'local',
    projectId: PROJECT,
  })
  await admin('POST', 'workflows?workflowId=greet', {
    sourceContents: GREET,
    userEnvVars: { GREETER: 'laptop' },
  })
})

afterAll(async () => {
  await client.close()
  await service.close()
})

async function admin(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${service.url}/v1/${PARENT}/${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  return { status: response.status, json: await response.json() }
}

async function execute(workflow: string, argument: unknown) {
  const parent = client.workflowPath(PROJECT, LOCATION, workflow)
  const [execution] = await client.createExecution({
    parent,
    execution: { argument: JSON.stringify(argument) },
  })
  return execution.name ?? ''
}

async function finished(name: string) {
  for (;;) {
    const [execution] = await client.getExecution({ name })
    if (execution.state !== 'ACTIVE') return execution
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

describe('the official client', () => {
  test('starts an execution and reads its result', async () => {
    const execution = await finished(await execute('greet', { name: 'world' }))
    expect(execution).toMatchObject({ state: 'SUCCEEDED', result: '"hello world from laptop"' })
    expect(execution.workflowRevisionId).toMatch(/^000001-[0-9a-f]{3}$/)
    expect(execution.argument).toBe('{"name":"world"}')
  })

  test('reads the error of a failed execution with its stack trace', async () => {
    const execution = await finished(await execute('greet', { name: 'nobody' }))
    expect(execution.state).toBe('FAILED')
    expect(JSON.parse(execution.error?.payload ?? '')).toEqual({ message: 'who?', tags: ['Nobody'] })
    expect(execution.error?.context).toBe('who?\nin step "check", routine "main", line: 5')
    expect(execution.error?.stackTrace?.elements).toMatchObject([{ step: 'check', routine: 'main' }])
  })

  test('cancels an execution in the middle of a wait, once', async () => {
    const name = await execute('greet', { name: 'slow' })
    const [cancelled] = await client.cancelExecution({ name })
    expect(cancelled.state).toBe('CANCELLED')
    expect((await finished(name)).state).toBe('CANCELLED')
    await expect(client.cancelExecution({ name })).rejects.toMatchObject({ code: 400 })
  })

  test('lists executions, newest first, without arguments', async () => {
    const name = await execute('greet', { name: 'listed' })
    const [executions] = await client.listExecutions({
      parent: client.workflowPath(PROJECT, LOCATION, 'greet'),
    })
    expect(executions[0]?.name).toBe(name)
    expect(executions[0]?.argument ?? '').toBe('')
  })

  test('gets NOT_FOUND for an unknown workflow and execution', async () => {
    await expect(execute('nothing', {})).rejects.toMatchObject({ code: 404 })
    const name = `${PARENT}/workflows/greet/executions/none`
    await expect(client.getExecution({ name })).rejects.toMatchObject({ code: 404 })
  })

  test('runs executions at the same time', async () => {
    const names = await Promise.all(['a', 'b', 'c'].map(name => execute('greet', { name })))
    const results = await Promise.all(names.map(async name => (await finished(name)).result))
    expect(results).toEqual(['a', 'b', 'c'].map(name => `"hello ${name} from laptop"`))
  })
})

describe('the admin API', () => {
  test('answers with a finished operation that can be read again', async () => {
    const created = await admin('POST', 'workflows?workflowId=twice', { sourceContents: '- a: {return: 1}' })
    expect(created).toMatchObject({
      status: 200,
      json: { done: true, response: { revisionId: expect.stringMatching(/^000001-/) } },
    })
    const again = await admin('POST', 'workflows?workflowId=twice', { sourceContents: '- a: {return: 1}' })
    expect(again).toMatchObject({ status: 409, json: { error: { status: 'ALREADY_EXISTS' } } })
  })

  test('makes a new revision on PATCH; an execution that began keeps its own', async () => {
    await admin('POST', 'workflows?workflowId=versions', { sourceContents: '- a: {return: 1}' })
    const first = await execute('versions', null)
    await admin('PATCH', 'workflows/versions?updateMask=source_contents', {
      sourceContents: '- a: {return: 2}',
    })
    const second = await execute('versions', null)
    expect((await finished(first)).result).toBe('1')
    expect((await finished(second)).result).toBe('2')
    expect(await admin('GET', 'workflows/versions')).toMatchObject({
      json: { sourceContents: '- a: {return: 2}' },
    })
  })

  test('deletes', async () => {
    await admin('POST', 'workflows?workflowId=gone', { sourceContents: '- a: {return: 1}' })
    expect(await admin('DELETE', 'workflows/gone')).toMatchObject({ json: { done: true } })
    expect(await admin('GET', 'workflows/gone')).toMatchObject({ status: 404 })
  })

  test.each([
    ['a bad id', 'workflows?workflowId=1x', { sourceContents: '- a: {return: 1}' }, /workflowId/],
    [
      'a bad source',
      'workflows?workflowId=bad',
      { sourceContents: '- a: {foo: 1}' },
      /line 1.*unknown key "foo"/s,
    ],
    ['no source', 'workflows?workflowId=bad', {}, /sourceContents is missing/],
    [
      'an unknown field',
      'workflows?workflowId=bad',
      { sourceContents: '- a: {return: 1}', cryptoKeyName: 'k' },
      /crypto/,
    ],
    [
      'a reserved name',
      'workflows?workflowId=bad',
      { sourceContents: '- a: {return: 1}', userEnvVars: { GOOGLE_X: '' } },
      /GOOGLE_X/,
    ],
    [
      'a long value',
      'workflows?workflowId=bad',
      { sourceContents: '- a: {return: 1}', userEnvVars: { X: 'x'.repeat(4097) } },
      /4 KiB/,
    ],
    [
      'too many variables',
      'workflows?workflowId=bad',
      {
        sourceContents: '- a: {return: 1}',
        userEnvVars: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`V${i}`, ''])),
      },
      /at most 20/,
    ],
    ['a bad argument', 'workflows/greet/executions', { argument: '{' }, /not valid JSON/],
    [
      'a large argument',
      'workflows/greet/executions',
      { argument: JSON.stringify('x'.repeat(33_000)) },
      /32 KB/,
    ],
  ])('refuses %s', async (_, path, body, message) => {
    const { status, json } = await admin('POST', path, body)
    expect(status).toBe(400)
    expect(json).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringMatching(message) },
    })
  })

  test('refuses another project, location and path', async () => {
    const elsewhere = await fetch(`${service.url}/v1/projects/other/locations/${LOCATION}/workflows`)
    expect(elsewhere.status).toBe(404)
    const nowhere = await fetch(`${service.url}/v1/nothing`)
    expect(await nowhere.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  })
})

test('every step is told as it starts and ends', async () => {
  const events: StepEvent[] = []
  const stop = service.onStep(event => events.push(event))
  const name = await execute('greet', { name: 'nobody' })
  await finished(name)
  await finished(await execute('greet', { name: 'x' }))
  stop()
  const execution = name.slice(name.lastIndexOf('/') + 1)
  const first = events.filter(event => event.execution === execution)
  expect(first).toEqual([
    { execution, workflow: 'greet', routine: 'main', step: 'check', state: 'started' },
    { execution, workflow: 'greet', routine: 'main', step: 'check', state: 'failed' },
  ])
  expect(events.map(({ step, state }) => `${step} ${state}`)).toContain('answer succeeded')
})
