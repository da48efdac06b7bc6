/** Exactly-once delivery, and other answers that only a raw client can see. */
import { v1 } from '@google-cloud/pubsub'
import { credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPubSub } from '../../local/pubsub/index.ts'
import { type Service, systemClock } from '../../local/service.ts'

const topic = 'projects/p/topics/news'
let service: Service
let publisher: v1.PublisherClient
let subscriber: v1.SubscriberClient

beforeAll(async () => {
  process.env.METADATA_SERVER_DETECTION = 'none'
  service = await startPubSub({ clock: systemClock, project: 'p' })
  const { hostname, port } = new URL(service.url)
  const options = {
    apiEndpoint: hostname,
    port: Number(port),
    sslCreds: credentials.createInsecure(),
    projectId: 'p',
  }
  publisher = new v1.PublisherClient(options)
  subscriber = new v1.SubscriberClient(options)
  await publisher.createTopic({ name: topic })
})
afterAll(async () => {
  await Promise.all([publisher.close(), subscriber.close()])
  await service.close()
})

async function receiveOne(
  id: string,
  settings: object = {},
): Promise<{ subscription: string; ackId: string }> {
  const subscription = `projects/p/subscriptions/${id}`
  await subscriber.createSubscription({ name: subscription, topic, ...settings })
  await publisher.publish({ topic, messages: [{ data: Buffer.from('x') }] })
  const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 1 })
  return { subscription, ackId: receivedMessages?.[0]?.ackId ?? '' }
}

test('an acknowledgement that comes too late fails with the reason for its id', async () => {
  const { subscription, ackId } = await receiveOne('exact', { enableExactlyOnceDelivery: true })
  await subscriber.acknowledge({ subscription, ackIds: [ackId] })
  await expect(subscriber.acknowledge({ subscription, ackIds: [ackId] })).rejects.toMatchObject({
    code: 9,
    domain: 'pubsub.googleapis.com',
    errorInfoMetadata: { [ackId]: 'PERMANENT_FAILURE_INVALID_ACK_ID' },
  })
})

test('without exactly-once delivery it is no error', async () => {
  const { subscription, ackId } = await receiveOne('plain')
  await subscriber.acknowledge({ subscription, ackIds: [ackId] })
  await subscriber.acknowledge({ subscription, ackIds: [ackId] })
  await expect(subscriber.acknowledge({ subscription, ackIds: ['made-up'] })).rejects.toMatchObject({
    code: 3,
  })
})

test('every request on a stream is answered, and a stream ends with an error', async () => {
  const { subscription } = await receiveOne('stream')
  const stream = subscriber.streamingPull()
  const answers: object[] = []
  const ended = new Promise<{ code?: number }>(resolve => stream.on('error', resolve))
  const second = new Promise<void>(resolve =>
    stream.on('data', item => answers.push(item) === 2 && resolve()),
  )
  stream.write({ subscription, streamAckDeadlineSeconds: 10 })
  stream.write({})
  stream.write({ streamAckDeadlineSeconds: 60 })
  await second
  expect(answers).toMatchObject([{ receivedMessages: [] }, { receivedMessages: [] }])
  await publisher.detachSubscription({ subscription })
  expect((await ended).code).toBe(9)
  await expect(subscriber.pull({ subscription, maxMessages: 1 })).rejects.toMatchObject({ code: 9 })
})

test('a subscription outlives its topic, and a mask decides what an update changes', async () => {
  const name = 'projects/p/topics/short-lived'
  await publisher.createTopic({ name })
  const subscription = 'projects/p/subscriptions/orphan'
  await subscriber.createSubscription({ name: subscription, topic: name, labels: { a: 'b' } })
  const [updated] = await subscriber.updateSubscription({
    subscription: { name: subscription, ackDeadlineSeconds: 42, labels: { c: 'd' } },
    updateMask: { paths: ['ack_deadline_seconds'] },
  })
  expect(updated).toMatchObject({ ackDeadlineSeconds: 42, labels: { a: 'b' } })
  const filter = { subscription: { name: subscription, filter: 'x' }, updateMask: { paths: ['filter'] } }
  await expect(subscriber.updateSubscription(filter)).rejects.toMatchObject({ code: 3 })
  await publisher.deleteTopic({ topic: name })
  const [orphan] = await subscriber.getSubscription({ subscription })
  expect(orphan.topic).toBe('_deleted-topic_')
})

test.each([
  ['seek', () => subscriber.seek({ subscription: 'projects/p/subscriptions/orphan', time: { seconds: 1 } })],
  ['snapshots', () => subscriber.listSnapshots({ project: 'projects/p' })],
])('%s is refused for what it is', async (_, call) => {
  await expect(call()).rejects.toMatchObject({ code: 12 })
})
