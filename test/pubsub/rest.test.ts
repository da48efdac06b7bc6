/** Pub/Sub over REST: the shapes and errors that gcloud and the workflow's connector rely on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPubSub } from '../../local/pubsub/index.ts'
import { type Service, systemClock } from '../../local/service.ts'

let service: Service
beforeAll(async () => {
  service = await startPubSub({ clock: systemClock, project: 'p' })
  await call('PUT', 'topics/news', {})
  await call('PUT', 'subscriptions/reader', { topic: 'projects/p/topics/news', ackDeadlineSeconds: 20 })
})
afterAll(() => service.close())

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const answer = await fetch(`${service.url}/v1/projects/p/${path}`, init)
  return { status: answer.status, body: await answer.json() }
}

test('publish, pull, acknowledge', async () => {
  const message = { data: btoa('hi'), attributes: { k: 'v' }, orderingKey: 'o' }
  const published = await call('POST', 'topics/news:publish?alt=json', { messages: [message] })
  expect(published).toEqual({ status: 200, body: { messageIds: [expect.stringMatching(/^\d+$/)] } })
  const pulled = await call('POST', 'subscriptions/reader:pull', { maxMessages: 5 })
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(pulled.body).toMatchObject({ receivedMessages: [{ message: { ...message, publishTime: time } }] })
  const ackIds = JSON.stringify(pulled.body).match(/projects\/p\/subscriptions\/reader:\d+/g) ?? []
  expect(
    await call('POST', 'subscriptions/reader:modifyAckDeadline', { ackIds, ackDeadlineSeconds: 30 }),
  ).toMatchObject({
    status: 200,
  })
  expect(await call('POST', 'subscriptions/reader:acknowledge', { ackIds })).toEqual({
    status: 200,
    body: {},
  })
})

test('resources, lists and updates', async () => {
  const policy = { retryPolicy: { minimumBackoff: '1.500s', maximumBackoff: '20s' } }
  const made = await call('PUT', 'subscriptions/other', { topic: 'projects/p/topics/news', ...policy })
  expect(made.body).toMatchObject({ ...policy, ackDeadlineSeconds: 10, messageRetentionDuration: '604800s' })
  const update = { subscription: { ackDeadlineSeconds: 60 }, updateMask: 'ackDeadlineSeconds' }
  expect((await call('PATCH', 'subscriptions/other', update)).body).toMatchObject({
    ...policy,
    ackDeadlineSeconds: 60,
  })
  const page = await call('GET', 'topics/news/subscriptions?pageSize=1')
  expect(page.body).toMatchObject({
    subscriptions: ['projects/p/subscriptions/other'],
    nextPageToken: expect.any(String),
  })
  expect((await call('GET', 'subscriptions')).body).toMatchObject({ subscriptions: [{}, {}] })
  expect(await call('DELETE', 'subscriptions/other')).toEqual({ status: 200, body: {} })
})

test.each([
  ['POST', 'topics/none:publish', { messages: [{ data: 'aGk=' }] }, 404, 'NOT_FOUND'],
  ['POST', 'topics/news:publish', { messages: [] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'topics/news:publish', { messages: [{}] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'topics/news:publish', { messages: [{ data: '*' }] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'topics/news:publish', { messages: [{ dat: 'aGk=' }] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'topics/news:publish', [], 400, 'INVALID_ARGUMENT'],
  ['PUT', 'topics/news', {}, 409, 'ALREADY_EXISTS'],
  ['PUT', 'topics/ab', {}, 400, 'INVALID_ARGUMENT'],
  ['PUT', 'topics/keyed', { kmsKeyName: 'k' }, 501, 'UNIMPLEMENTED'],
  [
    'PUT',
    'subscriptions/push',
    { topic: 'projects/p/topics/news', pushConfig: { pushEndpoint: 'http://x' } },
    501,
    'UNIMPLEMENTED',
  ],
  [
    'PUT',
    'subscriptions/short',
    { topic: 'projects/p/topics/news', ackDeadlineSeconds: 5 },
    400,
    'INVALID_ARGUMENT',
  ],
  ['PUT', 'subscriptions/lost', { topic: 'projects/p/topics/none' }, 404, 'NOT_FOUND'],
  ['POST', 'subscriptions/reader:acknowledge', { ackIds: ['x'] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'subscriptions/reader:acknowledge', { ackIds: [] }, 400, 'INVALID_ARGUMENT'],
  ['POST', 'subscriptions/reader:seek', { time: '2020-01-01T00:00:00Z' }, 404, 'NOT_FOUND'],
])('%s %s %j is %i %s', async (method, path, body, status, name) => {
  expect(await call(method, path, body)).toMatchObject({
    status,
    body: { error: { code: status, status: name } },
  })
})

test('another project is not this one', async () => {
  const answer = await fetch(`${service.url}/v1/projects/q/topics/news`, { method: 'PUT', body: '{}' })
  expect(answer.status).toBe(404)
})
