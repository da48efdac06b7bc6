/** Eventarc's part: a finalized object becomes a CloudEvent, delivered at least once (HTTP binary mode). */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeEvent } from './cloud-event.ts'
import type { Outbox } from './outbox.ts'
import type { Clock } from './service.ts'

export interface TriggerOptions {
  /** The function's address; any 2xx answer counts as delivered. */
  readonly url: string
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Where undelivered events outlive the process. Without one they are lost with it. */
  readonly outbox?: Outbox
}

export interface Trigger {
  /** Takes the JSON resource of a finalized object; remembers it before it returns. */
  deliver(object: Readonly<Record<string, unknown>>): void
  /** Resolves when every event so far is delivered. */
  idle(): Promise<void>
  /** Gives up what is under way; an outbox keeps it for the next start. */
  close(): Promise<void>
}

// Google waits 10 s to 600 s between attempts (https://cloud.google.com/eventarc/docs/retry-events); on a laptop nobody
// wants to wait for that.
const firstPause = 200
const longestPause = 10_000
/** How many requests are open at once; the rest wait. */
const concurrency = 16

/** At most `limit` tasks at once, in the order of their coming. */
function makeGate(limit: number) {
  let free = limit
  const waiting: Array<() => void> = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

const reason = (error: unknown) =>
  error instanceof Error ? `${error.message}${error.cause ? `: ${error.cause}` : ''}` : String(error)

class HttpTrigger implements Trigger {
  readonly #options: TriggerOptions
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #gate = makeGate(concurrency)

  constructor(options: TriggerOptions) {
    this.#options = options
    for (const object of options.outbox?.left ?? [])
      if (typeof object === 'object' && object) this.#start({ ...object })
  }

  deliver(object: Readonly<Record<string, unknown>>): void {
    const { outbox, clock } = this.#options
    outbox?.put(encodeEvent(object, clock.now()).id, object)
    this.#start(object)
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#underWay)
  }

  #start(object: Readonly<Record<string, unknown>>): void {
    const delivery = this.#deliverOne(object).finally(() => this.#underWay.delete(delivery))
    this.#underWay.add(delivery)
  }

  async #deliverOne(object: Readonly<Record<string, unknown>>): Promise<void> {
    const { url, clock, log, outbox } = this.#options
    const { signal } = this.#closing
    const event = encodeEvent(object, clock.now())
    for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      const problem = await this.#gate(() => this.#post(event))
      if (signal.aborted) return
      if (problem === undefined) return outbox?.remove(event.id)
      log(
        `The event for ${object.id} was not delivered to ${url} (${problem}); next attempt in ${pause / 1000} s.`,
      )
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }

  /** Why the event was not taken, or nothing. */
  async #post({ headers, body }: ReturnType<typeof encodeEvent>): Promise<string | undefined> {
    if (this.#closing.signal.aborted) return 'closing'
    try {
      const answer = await fetch(this.#options.url, {
        method: 'POST',
        headers,
        body,
        signal: this.#closing.signal,
      })
      await answer.arrayBuffer()
      return answer.ok ? undefined : `HTTP ${answer.status}`
    } catch (error) {
      return reason(error)
    }
  }
}

/** Starts with what the outbox still holds. */
export function makeTrigger(options: TriggerOptions): Trigger {
  return new HttpTrigger(options)
}
