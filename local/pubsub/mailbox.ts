/** One subscription's messages: waiting, leased to a consumer until a deadline, or resting before the next attempt. */
import type { Clock } from '../service.ts'
import { Deque } from './deque.ts'
import { type Message, toMillis } from './wire.ts'

export interface Settings {
  readonly ordered: boolean
  readonly retentionMs: number
  /** How long a message rests after its n-th failed attempt, in milliseconds; 0 is not at all. */
  restMs(attempts: number): number
  /** Takes a message that has failed so often that it is given up; false means it goes on being tried. */
  giveUp(message: Message, attempts: number): boolean
}

export interface Entry {
  readonly message: Message
  readonly size: number
  /** Deliveries so far. */
  attempts: number
}

export interface Lease {
  readonly ackId: string
  readonly entry: Entry
  readonly consumer: Consumer
  timer: NodeJS.Timeout
}

/** Who takes messages: a stream, or a pull request while it waits. */
export interface Consumer {
  readonly deadlineSeconds: number
  /** Whether its flow control lets in one more message of so many bytes. */
  accepts(size: number): boolean
  take(lease: Lease): void
  /** Sends what it has taken. */
  flush(): void
  /** One of its messages was acknowledged, refused or has run out of time. */
  release(lease: Lease): void
}

export class Mailbox {
  readonly #name: string
  readonly #clock: Clock
  readonly #settings: () => Settings
  readonly #ready = new Deque<Entry>()
  /** Ordering keys with a message under way, and those that wait behind it: one at a time keeps the order strict. */
  readonly #lanes = new Map<string, Deque<Entry>>()
  readonly #leases = new Map<string, Lease>()
  readonly #resting = new Set<NodeJS.Timeout>()
  #consumers: Consumer[] = []
  #issued = 0
  #scheduled = false

  /** `name` starts every ack id, so that an id of another subscription is recognised. */
  constructor(name: string, clock: Clock, settings: () => Settings) {
    this.#name = name
    this.#clock = clock
    this.#settings = settings
  }

  offer(message: Message): void {
    const size = (message.data?.length ?? 0) + JSON.stringify(message.attributes ?? {}).length
    const entry = { message, size, attempts: 0 }
    const key = this.#laneOf(entry)
    const lane = this.#lanes.get(key)
    if (lane) {
      lane.push(entry)
      return
    }
    if (key !== '') this.#lanes.set(key, new Deque())
    this.#ready.push(entry)
    this.pump()
  }

  add(consumer: Consumer): void {
    this.#consumers.push(consumer)
    this.pump()
  }

  /** What it holds stays leased until the deadline, as at Google: its acknowledgements may still be on their way. */
  remove(consumer: Consumer): void {
    this.#consumers = this.#consumers.filter(other => other !== consumer)
  }

  /** Delivers what can be, soon: messages that come together then travel together. */
  pump(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#deliver()
    })
  }

  /** Whether this mailbox has ever issued the id. */
  knows(ackId: string): boolean {
    const at = ackId.lastIndexOf(':')
    const number = ackId.slice(at + 1)
    return ackId.slice(0, at) === this.#name && /^\d{1,15}$/.test(number) && Number(number) <= this.#issued
  }

  /** False when the lease was over already. */
  ack(ackId: string): boolean {
    const lease = this.#end(ackId)
    if (lease) this.#settle(lease.entry)
    return lease !== undefined
  }

  /** Zero seconds refuse the message. False when the lease was over already. */
  extend(ackId: string, seconds: number): boolean {
    const lease = this.#leases.get(ackId)
    if (!lease) return false
    if (seconds === 0) this.#return(ackId)
    else {
      clearTimeout(lease.timer)
      lease.timer = this.#expireIn(ackId, seconds)
    }
    return true
  }

  /** Forgets everything. */
  clear(): void {
    for (const lease of this.#leases.values()) clearTimeout(lease.timer)
    for (const timer of this.#resting) clearTimeout(timer)
    for (const collection of [this.#leases, this.#lanes, this.#resting, this.#ready]) collection.clear()
  }

  #laneOf(entry: Entry): string {
    return this.#settings().ordered ? (entry.message.orderingKey ?? '') : ''
  }

  #expireIn(ackId: string, seconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#return(ackId), seconds * 1000).unref()
  }

  #deliver(): void {
    const touched = new Set<Consumer>()
    const horizon = this.#clock.now() - this.#settings().retentionMs
    for (let entry = this.#ready.peek(); entry; entry = this.#ready.peek()) {
      const expired = toMillis(entry.message.publishTime) < horizon
      const consumer = expired ? undefined : this.#nextConsumer(entry.size)
      if (!expired && !consumer) break
      this.#ready.shift()
      if (consumer) {
        this.#lease(entry, consumer)
        touched.add(consumer)
      } else this.#settle(entry)
    }
    for (const consumer of touched) consumer.flush()
  }

  /** Round robin over those with room. */
  #nextConsumer(size: number): Consumer | undefined {
    for (let tries = this.#consumers.length; tries > 0; tries--) {
      const consumer = this.#consumers.shift()
      if (!consumer) return undefined
      this.#consumers.push(consumer)
      if (consumer.accepts(size)) return consumer
    }
    return undefined
  }

  #lease(entry: Entry, consumer: Consumer): void {
    entry.attempts++
    const ackId = `${this.#name}:${++this.#issued}`
    const lease = { ackId, entry, consumer, timer: this.#expireIn(ackId, consumer.deadlineSeconds) }
    this.#leases.set(ackId, lease)
    consumer.take(lease)
  }

  #end(ackId: string): Lease | undefined {
    const lease = this.#leases.get(ackId)
    if (!lease) return undefined
    clearTimeout(lease.timer)
    this.#leases.delete(ackId)
    lease.consumer.release(lease)
    this.pump()
    return lease
  }

  /** Refused, or out of time: back to the head of the queue, after a rest if the subscription asks for one. */
  #return(ackId: string): void {
    const entry = this.#end(ackId)?.entry
    if (!entry) return
    const settings = this.#settings()
    const rest = settings.restMs(entry.attempts)
    if (settings.giveUp(entry.message, entry.attempts)) this.#settle(entry)
    else if (rest === 0) this.#ready.unshift(entry)
    else this.#rest(entry, rest)
  }

  #rest(entry: Entry, rest: number): void {
    const timer = setTimeout(() => {
      this.#resting.delete(timer)
      this.#ready.unshift(entry)
      this.pump()
    }, rest).unref()
    this.#resting.add(timer)
  }

  /** The message is done with: the next one of its ordering key may go. */
  #settle(entry: Entry): void {
    const key = this.#laneOf(entry)
    const lane = this.#lanes.get(key)
    const next = lane?.shift()
    if (next) this.#ready.push(next)
    else this.#lanes.delete(key)
    this.pump()
  }
}
