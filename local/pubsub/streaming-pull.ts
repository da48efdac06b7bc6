/** StreamingPull: one consumer per stream, with its own flow control, alive until the client goes. */
import { type ServerDuplexStream, status } from '@grpc/grpc-js'
import { acknowledge, modifyAckDeadline } from './acknowledge.ts'
import { invalid, PubSubError, toPubSubError } from './errors.ts'
import type { Consumer, Lease } from './mailbox.ts'
import { requireAttached } from './pull.ts'
import { encodeReceived } from './received.ts'
import type { LiveSubscription, State } from './state.ts'

export interface StreamRequest {
  readonly subscription?: string
  readonly ackIds?: readonly string[]
  readonly modifyDeadlineSeconds?: readonly number[]
  readonly modifyDeadlineAckIds?: readonly string[]
  readonly streamAckDeadlineSeconds?: number
  readonly maxOutstandingMessages?: string | number
  readonly maxOutstandingBytes?: string | number
}

export type StreamCall = ServerDuplexStream<StreamRequest, object>

/** Responses stay below what any client takes in one message. */
const responseLimit = { messages: 1000, bytes: 4_000_000 }

function parseDeadline(seconds: number | undefined): number {
  if (seconds === undefined || seconds < 10 || seconds > 600)
    throw invalid('stream_ack_deadline_seconds must be between 10 and 600.')
  return seconds
}

class StreamConsumer implements Consumer {
  deadlineSeconds: number
  readonly #call: StreamCall
  readonly #subscription: LiveSubscription
  readonly #limit: { readonly messages: number; readonly bytes: number }
  readonly #held = new Set<Lease>()
  #bytes = 0
  #batch: Lease[] = []
  #blocked = false

  constructor(call: StreamCall, subscription: LiveSubscription, first: StreamRequest) {
    this.#call = call
    this.#subscription = subscription
    this.deadlineSeconds = parseDeadline(first.streamAckDeadlineSeconds)
    const limit = (value: string | number | undefined) => (Number(value ?? 0) > 0 ? Number(value) : Infinity)
    this.#limit = { messages: limit(first.maxOutstandingMessages), bytes: limit(first.maxOutstandingBytes) }
    call.on('drain', () => {
      this.#blocked = false
      subscription.mailbox.pump()
    })
  }

  accepts(size: number): boolean {
    if (this.#blocked || this.#call.cancelled) return false
    // One message may exceed the limit of bytes, or it could never be delivered.
    const fits = this.#held.size === 0 || this.#bytes + size <= this.#limit.bytes
    return fits && this.#held.size < this.#limit.messages
  }

  take(lease: Lease): void {
    this.#held.add(lease)
    this.#bytes += lease.entry.size
    this.#batch.push(lease)
  }

  release(lease: Lease): void {
    if (this.#held.delete(lease)) this.#bytes -= lease.entry.size
  }

  flush(): void {
    let part: Lease[] = []
    let bytes = 0
    for (const lease of this.#batch) {
      if (
        part.length >= responseLimit.messages ||
        (bytes > 0 && bytes + lease.entry.size > responseLimit.bytes)
      ) {
        this.#send(part)
        part = []
        bytes = 0
      }
      part.push(lease)
      bytes += lease.entry.size
    }
    this.#batch = []
    this.#send(part)
  }

  #send(leases: readonly Lease[]): void {
    const { enableExactlyOnceDelivery = false, enableMessageOrdering = false } = this.#subscription.resource
    // Clients learn from these how to treat acknowledgements, before they look at the messages beside them.
    const subscriptionProperties = {
      exactlyOnceDeliveryEnabled: enableExactlyOnceDelivery,
      messageOrderingEnabled: enableMessageOrdering,
    }
    const receivedMessages = leases.map(lease => encodeReceived(this.#subscription, lease))
    if (!this.#call.write({ receivedMessages, subscriptionProperties })) this.#blocked = true
  }
}

interface Stream {
  readonly subscription: LiveSubscription
  readonly consumer: StreamConsumer
}

/** A request after the first: acknowledgements of older protocols, a new deadline, or a sign of life. */
function takeFollowUp(call: StreamCall, { subscription, consumer }: Stream, request: StreamRequest): void {
  if (request.streamAckDeadlineSeconds)
    consumer.deadlineSeconds = parseDeadline(request.streamAckDeadlineSeconds)
  if (request.ackIds?.length) acknowledge(subscription, request.ackIds)
  for (const [index, ackId] of (request.modifyDeadlineAckIds ?? []).entries())
    modifyAckDeadline(subscription, [ackId], request.modifyDeadlineSeconds?.[index])
  // Clients drop a stream that leaves a sign of life unanswered for 15 s.
  call.write({})
}

/** Ends with an error, never with OK: clients take OK for "there is nothing more, ever" and do not come back. */
function endWith(call: StreamCall, error: unknown): void {
  const { code, message } = toPubSubError(error)
  call.emit('error', { code, details: message })
}

export const goingAway = () => new PubSubError(status.UNAVAILABLE, 'The embedded Pub/Sub is closing.')

export function makeStreamingPull(state: State) {
  return (call: StreamCall): void => {
    let stream: Stream | undefined
    const fail = (error: unknown) => {
      leave()
      endWith(call, error)
    }
    const leave = () => {
      stream?.subscription.mailbox.remove(stream.consumer)
      stream?.subscription.streams.delete(fail)
    }
    call.on('data', (request: StreamRequest) => {
      try {
        if (stream) return takeFollowUp(call, stream, request)
        const subscription = state.subscription(request.subscription)
        requireAttached(subscription)
        stream = { subscription, consumer: new StreamConsumer(call, subscription, request) }
        subscription.streams.add(fail)
        subscription.mailbox.add(stream.consumer)
      } catch (error) {
        fail(error)
      }
    })
    call.on('cancelled', leave)
    call.on('error', leave)
    call.on('end', () => {
      leave()
      call.end()
    })
  }
}
