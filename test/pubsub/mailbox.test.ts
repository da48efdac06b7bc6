/** One subscription's queue under any sequence of acts: nothing is lost, nothing comes twice at once, keys stay in order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Consumer, type Lease, Mailbox } from '../../local/pubsub/mailbox.ts'

const settings = { ordered: true, retentionMs: 60_000, restMs: () => 0, giveUp: () => false }
const turn = () => new Promise(resolve => setImmediate(resolve))

/** Holds at most `limit` messages; what it holds is for the test to end. */
class Hand implements Consumer {
  readonly deadlineSeconds = 600
  readonly held: Lease[] = []
  readonly limit: number
  constructor(limit: number) {
    this.limit = limit
  }
  accepts() {
    return this.held.length < this.limit
  }
  take(lease: Lease) {
    this.held.push(lease)
  }
  flush() {}
  release(lease: Lease) {
    this.held.splice(this.held.indexOf(lease), 1)
  }
}

const act = fc.record({
  publish: fc.constantFrom('', 'a', 'b', undefined),
  hand: fc.nat(2),
  index: fc.nat(3),
  ack: fc.boolean(),
})

test('any sequence of publishing, acknowledging and refusing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async acts => {
      const mailbox = new Mailbox('s', { now: () => 0 }, () => settings)
      const hands = [new Hand(1), new Hand(2), new Hand(3)]
      for (const hand of hands) mailbox.add(hand)
      const acked: Array<{ key: string; id: number }> = []
      let published = 0
      const finish = (lease: Lease, ack: boolean) => {
        const { orderingKey = '', messageId } = lease.entry.message
        if (ack) acked.push({ key: orderingKey, id: Number(messageId) })
        expect(ack ? mailbox.ack(lease.ackId) : mailbox.extend(lease.ackId, 0)).toBe(true)
        expect(mailbox.ack(lease.ackId)).toBe(false)
      }
      for (const { publish, hand, index, ack } of acts) {
        if (publish !== undefined)
          mailbox.offer({
            messageId: String(published++),
            orderingKey: publish,
            publishTime: { seconds: '0' },
          })
        const lease = hands[hand]?.held[index]
        if (lease) finish(lease, ack)
        await turn()
        const held = hands.flatMap(each => each.held.map(item => item.entry.message))
        expect(new Set(held).size).toBe(held.length)
        const keys = held.map(message => message.orderingKey).filter(key => key !== '')
        expect(new Set(keys).size).toBe(keys.length)
      }
      for (
        let left = hands.flatMap(hand => hand.held);
        left.length > 0;
        left = hands.flatMap(hand => hand.held)
      ) {
        for (const lease of left) finish(lease, true)
        await turn()
      }
      expect(acked.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: published }, (_, id) => id),
      )
      for (const key of ['a', 'b']) {
        const ids = acked.filter(item => item.key === key).map(item => item.id)
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      }
    }),
  )
})

test('what is older than the retention is dropped', async () => {
  const mailbox = new Mailbox('s', { now: () => 61_000 }, () => settings)
  mailbox.offer({ messageId: '1', publishTime: { seconds: '0' } })
  mailbox.offer({ messageId: '2', publishTime: { seconds: '30' } })
  const hand = new Hand(5)
  mailbox.add(hand)
  await turn()
  expect(hand.held.map(lease => lease.entry.message.messageId)).toEqual(['2'])
})

test.each([
  ['s:1', true],
  ['s:2', false],
  ['other:1', false],
  ['s:', false],
  ['', false],
])('the ack id %j is known: %s', async (ackId, expected) => {
  const mailbox = new Mailbox('s', { now: () => 0 }, () => settings)
  mailbox.add(new Hand(1))
  mailbox.offer({ messageId: '1', publishTime: { seconds: '0' } })
  await turn()
  expect(mailbox.knows(ackId)).toBe(expected)
})
