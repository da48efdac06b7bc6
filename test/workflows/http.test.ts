/** http.*: what is sent, what comes back, and the error that each failure becomes. */
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Cancelled, WorkflowError } from '../../local/workflows/errors.ts'
import { plainOf, valueOfPlain } from '../../local/workflows/json.ts'
import { Args, type FunctionContext } from '../../local/workflows/library.ts'
import { STANDARD_LIBRARY } from '../../local/workflows/stdlib/index.ts'
import { isMap } from '../../local/workflows/values.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts'

const CONTEXT: FunctionContext = {
  now: () => 0,
  sleep: async () => {},
  environment: () => undefined,
  log: () => {},
  signal: new AbortController().signal,
}

let server: ScriptedServer
afterEach(() => server?.close())

async function callRaw(name: string, args: Record<string, unknown>, context = CONTEXT) {
  const values = valueOfPlain(args)
  if (!isMap(values)) throw new Error('arguments are a map')
  return STANDARD_LIBRARY.get(name)?.call(new Args(name, values), context) ?? null
}

async function ask(answer: Answer, args: Record<string, unknown> = {}, name = 'http.post'): Promise<unknown> {
  server = await startScriptedServer([answer])
  return plainOf(await callRaw(name, { url: `${server.url}/p`, ...args }))
}

async function payloadOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    value => value,
    (error: unknown) => (error instanceof WorkflowError ? plainOf(error.payload) : error),
  )
}

describe('what is sent', () => {
  const JSON_TYPE = 'application/json; charset=utf-8'
  test.each([
    ['a map as JSON', { body: { b: 1, a: [true] } }, '{"a":[true],"b":1}', JSON_TYPE],
    ['a string as text', { body: 'x' }, 'x', 'text/plain; charset=utf-8'],
    [
      'a form',
      { body: { a: 'b c' }, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      'a=b+c',
      'application/x-www-form-urlencoded',
    ],
    [
      'its own content type',
      { body: { a: 1 }, headers: { 'Content-Type': 'application/x+json' } },
      '{"a":1}',
      'application/x+json',
    ],
    ['nothing', {}, '', undefined],
  ])('%s', async (_, args, body, type) => {
    await ask({}, args)
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/p', body })
    expect(server.asked[0]?.headers['content-type']).toBe(type)
  })

  test('query parameters, a user agent and a placeholder for the token', async () => {
    await ask(
      {},
      { query: { q: 'a b', n: [1, 2] }, auth: { type: 'OIDC' }, headers: { 'User-Agent': 'me' } },
      'http.get',
    )
    expect(server.asked[0]?.path).toBe('/p?q=a%20b&n=1&n=2')
    expect(server.asked[0]?.headers).toMatchObject({
      authorization: 'Bearer local',
      'user-agent': 'me GoogleCloudWorkflows; (+https://cloud.google.com/workflows/docs)',
    })
  })

  test('http.request takes the method as argument', async () => {
    await ask({}, { method: 'patch' }, 'http.request')
    expect(server.asked[0]?.method).toBe('PATCH')
  })
})

describe('what comes back', () => {
  test.each([
    ['JSON is decoded', { json: { a: 1 } }, { code: 200, body: { a: 1 } }],
    ['text stays text', { body: 'x', headers: { 'content-type': 'text/plain' } }, { code: 200, body: 'x' }],
    [
      'anything else is bytes',
      { body: 'x', headers: { 'content-type': 'image/png' } },
      { body: new Uint8Array([120]) },
    ],
    ['nothing is null', { status: 204 }, { code: 204, body: null }],
    ['headers have their usual case', { headers: { 'x-my-id': '7' } }, { headers: { 'X-My-Id': '7' } }],
  ])('%s', async (_, answer, expected) => expect(await ask(answer)).toMatchObject(expected))

  test('a status of 400 or more raises HttpError with everything that came', async () => {
    expect(await payloadOf(ask({ status: 409, json: { error: { code: 409 } } }))).toMatchObject({
      tags: ['HttpError'],
      message: 'HTTP server responded with error code 409',
      code: 409,
      headers: { 'Content-Type': 'application/json' },
      body: { error: { code: 409 } },
    })
  })

  test.each([
    ['broken JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 'ValueError'],
    ['a redirect', { status: 302 }, 'ValueError'],
    ['more than 2 MB', { body: 'x'.repeat(2 * 1024 * 1024 + 1) }, 'ResourceLimitError'],
    ['a connection that breaks', (response: { destroy(): void }) => response.destroy(), 'ConnectionError'],
  ])('%s', async (_, answer, tag) => expect(await payloadOf(ask(answer))).toMatchObject({ tags: [tag] }))
})

describe('failures', () => {
  test('no server: ConnectionFailedError', async () => {
    const closed = createServer()
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve))
    const address = closed.address()
    const port = typeof address === 'object' ? address?.port : 0
    await new Promise(resolve => closed.close(resolve))
    const payload = await payloadOf(callRaw('http.get', { url: `http://127.0.0.1:${port}/` }))
    expect(payload).toMatchObject({ tags: ['ConnectionFailedError'] })
  })

  test('no answer in time: TimeoutError', async () => {
    expect(await payloadOf(ask(() => {}, { timeout: 0.05 }))).toMatchObject({ tags: ['TimeoutError'] })
  })

  test('a cancelled execution waits for no answer', async () => {
    const abort = new AbortController()
    server = await startScriptedServer([() => abort.abort()])
    const call = callRaw('http.get', { url: server.url }, { ...CONTEXT, signal: abort.signal })
    await expect(call).rejects.toThrow(Cancelled)
  })

  test.each([
    [{ url: 'nowhere' }, 'ValueError'],
    [{ url: 'ftp://x' }, 'ValueError'],
    [{ url: 5 }, 'TypeError'],
    [{ url: 'http://x', timeout: 1801 }, 'ValueError'],
    [{ url: 'http://x', timeout: 'x' }, 'TypeError'],
    [{ url: 'http://x', auth: { type: 'Basic' } }, 'ValueError'],
    [{ url: 'http://x', headers: { a: {} } }, 'ValueError'],
    [{ url: 'http://x', private_service_name: 'x' }, 'ValueError'],
    [{ url: 'http://x', method: 'BREW' }, 'ValueError'],
  ])('%j', async (args, tag) => {
    const name = 'method' in args ? 'http.request' : 'http.get'
    expect(await payloadOf(Promise.resolve().then(() => callRaw(name, args)))).toMatchObject({ tags: [tag] })
  })
})
