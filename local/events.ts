/** Eventarc's part: a finalized object becomes a CloudEvent, delivered at least once (HTTP binary mode). */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** Header values carry only printable ASCII; the rest is percent-encoded (CloudEvents HTTP binding §3.1.3.2). */
const encodeHeader = (value: string) =>
  value.toWellFormed().replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, encodeURIComponent)

/** One event: its id is the same at every attempt, and at every delivery of the same object. */
export function encodeEvent(object: Readonly<Record<string, unknown>>, now: number) {
  const text = (key: string) => String(object[key] ?? '')
  const id = createHash('sha256').update(text('id')).digest('hex').slice(0, 16)
  const headers = {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': id,
    'ce-type': 'google.cloud.storage.object.v1.finalized',
    'ce-source': `//storage.googleapis.com/projects/_/buckets/${text('bucket')}`,
    'ce-subject': encodeHeader(`objects/${text('name')}`),
    'ce-bucket': text('bucket'),
    'ce-time': text('updated') || new Date(now).toISOString(),
  }
  return { id, headers, body: JSON.stringify(object) }
}

/** At most `limit` tasks at once, in the order of their coming. */
function makeGate(limit: number) {
  let free = limit
  const waiting: Array<() => void> = []
  return async (task: () => Promise<void>): Promise<void> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

export function makeTrigger({ url, clock, log, outbox }: TriggerOptions): Trigger {
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  const gate = makeGate(concurrency)

  /** Why it was not delivered, or nothing. */
  async function post(event: ReturnType<typeof encodeEvent>): Promise<string | undefined> {
    try {
      const { headers, body } = event
      const answer = await fetch(url, { method: 'POST', headers, body, signal: closing.signal })
      await answer.arrayBuffer()
      return answer.ok ? undefined : `HTTP ${answer.status}`
    } catch (error) {
      return error instanceof Error
        ? `${error.message}${error.cause ? `: ${error.cause}` : ''}`
        : String(error)
    }
  }

  async function deliverOne(object: Readonly<Record<string, unknown>>): Promise<void> {
    const event = encodeEvent(object, clock.now())
    for (let pause = firstPause; !closing.signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      let problem: string | undefined
      await gate(async () => {
        problem = await post(event)
      })
      if (closing.signal.aborted) return
      if (problem === undefined) return outbox?.remove(event.id)
      log(
        `The event for ${object.id} was not delivered to ${url} (${problem}); next attempt in ${pause / 1000} s.`,
      )
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  function start(object: Readonly<Record<string, unknown>>): void {
    const delivery = deliverOne(object).finally(() => underWay.delete(delivery))
    underWay.add(delivery)
  }

  for (const object of outbox?.left ?? []) if (typeof object === 'object' && object) start({ ...object })
  return {
    deliver(object) {
      outbox?.put(encodeEvent(object, clock.now()).id, object)
      start(object)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}
