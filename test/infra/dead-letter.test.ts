/** The step that no provider has: a dead-letter topic for the subscription that Eventarc makes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PubSub } from '@google-cloud/pubsub'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPubSub } from '../../local/pubsub/index.ts'
import { type Service, systemClock } from '../../local/service.ts'
import { ROOT } from './run-program.ts'

const project = 'shop-test'
let service: Service
let pubsub: PubSub

beforeAll(async () => {
  process.env.METADATA_SERVER_DETECTION = 'none'
  service = await startPubSub({ clock: systemClock, project })
  pubsub = new PubSub({ projectId: project, apiEndpoint: new URL(service.url).host })
  await pubsub.createTopic('eventarc-arrivals')
  await pubsub.createTopic('dead-events')
  await pubsub
    .topic('eventarc-arrivals')
    .createSubscription('eventarc-eu-arrivals-sub', { ackDeadlineSeconds: 17 })
})
afterAll(async () => {
  await pubsub.close()
  await service.close()
})

const run = (env: Readonly<Record<string, string>>) =>
  promisify(execFile)(join(ROOT, 'node_modules/.bin/node'), ['infra/inbox/set-dead-letter.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PUBSUB_EMULATOR_HOST: new URL(service.url).host,
      METADATA_SERVER_DETECTION: 'none',
      ...env,
    },
  })

test('gives the subscription the topic, leaves the rest, and may be run twice', async () => {
  const settings = {
    GOOGLE_CLOUD_PROJECT: project,
    SUBSCRIPTION: `projects/${project}/subscriptions/eventarc-eu-arrivals-sub`,
    DEAD_LETTER_TOPIC: `projects/${project}/topics/dead-events`,
  }
  await run(settings)
  const { stdout } = await run(settings)
  expect(stdout).toContain('go to projects/shop-test/topics/dead-events')
  const [subscription] = await pubsub.subscription('eventarc-eu-arrivals-sub').getMetadata()
  expect(subscription).toMatchObject({
    ackDeadlineSeconds: 17,
    deadLetterPolicy: { deadLetterTopic: 'projects/shop-test/topics/dead-events', maxDeliveryAttempts: 100 },
  })
})

test('says what it needs', () => expect(run({})).rejects.toThrow(/Set GOOGLE_CLOUD_PROJECT, SUBSCRIPTION/))
