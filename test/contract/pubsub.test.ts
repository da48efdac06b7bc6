/** The official Pub/Sub client against the embedded one, or against Google's with TARGET=gcp. */
import type { Message, Subscription, Topic } from '@google-cloud/pubsub'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type OpenCloud, openCloud, skipReason, uniqueName } from '../support/open-cloud.ts'

/** Collects what arrives; `ack` decides what becomes of it. */
function collect(subscription: Subscription, count: number, take: (message: Message) => void = m => m.ack()) {
  const received: Message[] = []
  const done = new Promise<Message[]>((resolve, reject) => {
    subscription.on('error', reject)
    subscription.on('message', (message: Message) => {
      received.push(message)
      take(message)
      if (received.length === count) resolve(received)
    })
  })
  onTestFinished(() => subscription.close())
  return done
}

describe.skipIf(skipReason)(`Pub/Sub ${skipReason ?? ''}`, () => {
  let cloud: OpenCloud

  beforeAll(async () => {
    cloud = await openCloud()
  })
  afterAll(() => cloud.close())

  const code = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error: { code?: unknown }) => error.code,
    )

  async function createPair(options: Parameters<Topic['createSubscription']>[1] = {}) {
    const topic = await cloud.createTopic()
    const [subscription] = await topic.createSubscription(uniqueName('sub'), options)
    onTestFinished(async () => void (await subscription.delete()))
    return { topic, subscription }
  }

  test('a message arrives once, with its attributes', async () => {
    const { topic, subscription } = await createPair()
    const messages = collect(subscription, 1)
    const id = await topic.publishMessage({ json: { hello: 'ä' }, attributes: { feed: 'cities' } })
    const [message] = await messages
    expect(message?.id).toBe(id)
    expect(JSON.parse(String(message?.data))).toEqual({ hello: 'ä' })
    expect(message?.attributes).toEqual({ feed: 'cities' })
    expect(message?.publishTime).toBeInstanceOf(Date)
  })

  test('a thousand messages are spread over the streams without a copy', async () => {
    const { topic, subscription } = await createPair()
    const messages = collect(subscription, 1000)
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => topic.publishMessage({ data: Buffer.from(`${index}`) })),
    )
    expect(new Set((await messages).map(message => String(message.data))).size).toBe(1000)
  })

  test('a refused message comes again', async () => {
    const { topic, subscription } = await createPair()
    let refused = false
    const messages = collect(subscription, 2, message => {
      if (refused) message.ack()
      else message.nack()
      refused = true
    })
    await topic.publishMessage({ data: Buffer.from('again') })
    expect((await messages).map(message => message.id)).toHaveLength(2)
  })

  test('messages of one key arrive in order, and one that is refused holds up those behind it', async () => {
    const { topic, subscription } = await createPair({ enableMessageOrdering: true })
    topic.setPublishOptions({ messageOrdering: true })
    for (let index = 0; index < 20; index++)
      void topic.publishMessage({ data: Buffer.from(`${index}`), orderingKey: 'k' })
    await topic.flush()
    let refused = false
    const order: string[] = []
    await collect(subscription, 21, message => {
      if (String(message.data) === '5' && !refused) {
        refused = true
        return message.nack()
      }
      order.push(String(message.data))
      message.ack()
    })
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`))
  })

  test('a filter lets through what it describes', async () => {
    const { topic, subscription } = await createPair({ filter: 'attributes.status = "refreshed"' })
    const messages = collect(subscription, 1)
    await topic.publishMessage({ data: Buffer.from('no'), attributes: { status: 'held' } })
    await topic.publishMessage({ data: Buffer.from('yes'), attributes: { status: 'refreshed' } })
    expect((await messages).map(message => String(message.data))).toEqual(['yes'])
  })

  test('flow control: no more than the allowed number are under way', async () => {
    const { topic, subscription } = await createPair()
    subscription.setOptions({ flowControl: { maxMessages: 2, allowExcessMessages: false } })
    let [underWay, most] = [0, 0]
    const messages = collect(subscription, 10, message => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        message.ack()
      }, 20)
    })
    for (let index = 0; index < 10; index++) void topic.publishMessage({ data: Buffer.from(`${index}`) })
    await messages
    expect(most).toBeLessThanOrEqual(2)
  })

  test('what fails too often goes to the dead letter topic', async () => {
    const deadLetters = await createPair()
    const { topic, subscription } = await createPair({
      deadLetterPolicy: { deadLetterTopic: deadLetters.topic.name, maxDeliveryAttempts: 5 },
    })
    const attempts: number[] = []
    void collect(subscription, 5, message => {
      attempts.push(message.deliveryAttempt)
      message.nack()
    })
    const [letter] = await Promise.all([
      collect(deadLetters.subscription, 1),
      topic.publishMessage({ data: Buffer.from('poison') }),
    ])
    expect(attempts).toEqual([1, 2, 3, 4, 5])
    expect(letter[0]?.attributes).toMatchObject({ CloudPubSubDeadLetterSourceDeliveryCount: '5' })
  })

  test('with exactly-once delivery an acknowledgement is confirmed', async () => {
    const { topic, subscription } = await createPair({ enableExactlyOnceDelivery: true })
    const answers: Array<Promise<unknown>> = []
    const messages = collect(subscription, 1, message => void answers.push(message.ackWithResponse()))
    await topic.publishMessage({ data: Buffer.from('once') })
    await messages
    expect(await Promise.all(answers)).toEqual(['SUCCESS'])
  })

  test('a topic with an Avro schema takes only messages that fit it', async () => {
    const definition = JSON.stringify({
      type: 'record',
      name: 'Note',
      fields: [
        { name: 'feed', type: 'string' },
        { name: 'rows', type: ['null', 'long'], default: null },
      ],
    })
    const schema = await cloud.createSchema(definition)
    const topic = await cloud.createTopic({ schemaSettings: { schema, encoding: 'JSON' } })
    const publish = (json: object) => topic.publishMessage({ json })
    expect(await publish({ feed: 'a', rows: { long: 1 } })).toMatch(/^\d+$/)
    expect(await code(publish({ feed: 'a', rows: 1 }))).toBe(3)
    expect(await code(publish({ feed: 1, rows: null }))).toBe(3)
    expect(await code(publish({ feed: 'a' }))).toBe(3)
  })

  test('what is missing, there already or malformed is the error that the client knows', async () => {
    const { topic, subscription } = await createPair()
    expect(await code(topic.create())).toBe(6)
    expect(await topic.exists()).toEqual([true])
    expect(await cloud.pubsub.topic('not-there').exists()).toEqual([false])
    expect(await code(cloud.pubsub.topic('not-there').publishMessage({ data: Buffer.from('x') }))).toBe(5)
    expect(await code(topic.createSubscription(subscription.name.split('/').at(-1) ?? ''))).toBe(6)
    expect(await code(topic.createSubscription(uniqueName('sub'), { filter: 'attributes.a > 1' }))).toBe(3)
    expect(await code(topic.publishMessage({ data: Buffer.alloc(0) }))).toBe(3)
    expect(await code(topic.publishMessage({ data: Buffer.from('x'), attributes: { googx: '1' } }))).toBe(3)
    const missing = cloud.pubsub.subscription('not-there')
    const error = await new Promise<{ code?: number }>(resolve =>
      missing.on('error', resolve).on('message', () => {}),
    )
    expect(error.code).toBe(5)
  })
})
