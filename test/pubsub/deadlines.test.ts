/** What time does to a leased message: it comes back, rests first if the subscription says so, or is given up. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Consumer, type Lease, Mailbox, type Settings } from '../../local/pubsub/mailbox.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open(settings: Partial<Settings> = {}) {
  const taken: Lease[] = []
  const consumer: Consumer = {
    deadlineSeconds: 10,
    accepts: () => true,
    take: lease => void taken.push(lease),
    flush: () => {},
    release: () => {},
  }
  const all = { ordered: true, retentionMs: 1e9, restMs: () => 0, giveUp: () => false, ...settings }
  const mailbox = new Mailbox('s', { now: () => Date.now() }, () => all)
  mailbox.add(consumer)
  const publish = (messageId: string, orderingKey = '') =>
    mailbox.offer({ messageId, orderingKey, publishTime: { seconds: String(Date.now() / 1000) } })
  const seen = () => taken.map(({ entry }) => entry.message.messageId)
  return { mailbox, taken, publish, seen }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

test('a message comes again when its deadline has passed, before those that came after it', async () => {
  const { publish, seen, taken, mailbox } = open()
  publish('1')
  await pass(0)
  await pass(9_999)
  expect(seen()).toEqual(['1'])
  await pass(2)
  expect(seen()).toEqual(['1', '1'])
  expect(taken[1]?.entry.attempts).toBe(2)
  expect(mailbox.ack(taken[0]?.ackId ?? '')).toBe(false)
  expect(mailbox.ack(taken[1]?.ackId ?? '')).toBe(true)
  await pass(60_000)
  expect(seen()).toEqual(['1', '1'])
})

test('an extended deadline counts from the moment of its extension', async () => {
  const { publish, seen, taken, mailbox } = open()
  publish('1')
  await pass(5_000)
  mailbox.extend(taken[0]?.ackId ?? '', 30)
  await pass(29_000)
  expect(seen()).toEqual(['1'])
  await pass(1_500)
  expect(seen()).toEqual(['1', '1'])
})

test('a refused message rests, and holds up its key but no other', async () => {
  const { publish, seen, taken, mailbox } = open({ restMs: attempts => attempts * 1000 })
  publish('1', 'a')
  publish('2', 'a')
  await pass(1)
  mailbox.extend(taken[0]?.ackId ?? '', 0)
  publish('3', 'b')
  await pass(500)
  expect(seen()).toEqual(['1', '3'])
  await pass(600)
  expect(seen()).toEqual(['1', '3', '1'])
  mailbox.ack(taken[2]?.ackId ?? '')
  await pass(1)
  expect(seen()).toEqual(['1', '3', '1', '2'])
})

test('a message that is given up makes way for the next of its key', async () => {
  const { publish, seen, taken, mailbox } = open({ giveUp: (_, attempts) => attempts >= 2 })
  publish('1', 'a')
  publish('2', 'a')
  await pass(1)
  mailbox.extend(taken[0]?.ackId ?? '', 0)
  await pass(1)
  mailbox.extend(taken[1]?.ackId ?? '', 0)
  await pass(1)
  expect(seen()).toEqual(['1', '1', '2'])
})

test('nothing moves after clear', async () => {
  const { publish, seen, mailbox } = open({ restMs: () => 1000 })
  publish('1')
  await pass(1)
  mailbox.clear()
  await pass(100_000)
  expect(seen()).toEqual(['1'])
})
