/** Hears the messages that Freshet publishes, through the official subscriber. */
import { z } from 'zod'
import { type RefreshMessage, STATUSES } from '../functions/message.ts'
import { type CloudAddress, makePubSub } from './clients.ts'
import { NAMES } from './laptop-names.ts'

const count = z.number()
const rowCounts = z.object({
  before: count,
  loaded: count,
  quarantined: count.default(0),
  inserted: count,
  updated: count,
  kept: count,
  deleted: count,
  after: count,
})
const schema = z.object({
  version: z.literal(1),
  status: z.enum(STATUSES),
  feed: z.string(),
  table: z.string(),
  snapshots: z.array(z.string()),
  run: z.string(),
  strategy: z.string(),
  rows: rowCounts,
  partitions: z.object({ total: count, changed: count }),
  arrivedAt: z.string(),
  finishedAt: z.string(),
  withinSeconds: z.number(),
  bytesProcessed: count,
  slotMs: count,
  rollbackPoint: z.string(),
  reason: z.string(),
})

export interface Messages {
  /** The next message that fits and has not been taken; rejects when `signal` aborts. */
  next(fits: (message: RefreshMessage) => boolean, signal: AbortSignal): Promise<RefreshMessage>
  close(): Promise<void>
}

interface Waiter {
  readonly fits: (message: RefreshMessage) => boolean
  readonly take: (message: RefreshMessage) => void
}

/** Joins messages with those who wait for them, whichever comes first. */
function makeMailbox() {
  let unread: RefreshMessage[] = []
  const waiters = new Set<Waiter>()
  return {
    put(message: RefreshMessage): void {
      const waiter = [...waiters].find(({ fits }) => fits(message))
      if (!waiter) return void unread.push(message)
      waiters.delete(waiter)
      waiter.take(message)
    },
    take(fits: Waiter['fits'], signal: AbortSignal): Promise<RefreshMessage> {
      const ready = unread.find(fits)
      unread = unread.filter(message => message !== ready)
      if (ready) return Promise.resolve(ready)
      return new Promise((resolve, reject) => {
        const waiter = { fits, take: resolve }
        waiters.add(waiter)
        const leave = () => {
          waiters.delete(waiter)
          reject(signal.reason)
        }
        if (signal.aborted) leave()
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}

/** Delivery is at least once: a run that was heard already is acknowledged and dropped. */
export function startMessages(cloud: CloudAddress): Messages {
  const pubsub = makePubSub(cloud)
  const subscription = pubsub.subscription(NAMES.subscription)
  const heard = new Set<string>()
  const mailbox = makeMailbox()
  subscription.on('message', raw => {
    const message = schema.parse(JSON.parse(raw.data.toString('utf8')))
    raw.ack()
    const key = `${message.run} ${message.status} ${message.snapshots.join(' ')}`
    if (heard.size !== heard.add(key).size) mailbox.put(message)
  })
  // A stream that breaks is opened again by the client; what it gives up on shows as a missing message.
  subscription.on('error', () => {})
  return {
    next: (fits, signal) => mailbox.take(fits, signal),
    async close() {
      await subscription.close()
      await pubsub.close()
    },
  }
}
