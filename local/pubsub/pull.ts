/** Pull: waits a bounded time for the first message, then answers with what is there. */
import { failedPrecondition, invalid } from './errors.ts'
import type { Consumer, Lease } from './mailbox.ts'
import { encodeReceived } from './received.ts'
import type { LiveSubscription } from './state.ts'

const longestWait = 10_000

export interface PullRequest {
  readonly subscription?: string
  readonly maxMessages?: number
  readonly returnImmediately?: boolean
}

export function requireAttached({ resource }: LiveSubscription): void {
  if (resource.detached) throw failedPrecondition('The subscription is detached from its topic.')
}

/** `signal` ends the wait when the caller has gone. */
export async function pull(subscription: LiveSubscription, request: PullRequest, signal: AbortSignal) {
  const { maxMessages = 0, returnImmediately = false } = request
  if (maxMessages <= 0) throw invalid('max_messages must be positive.')
  requireAttached(subscription)
  const leases = await new Promise<Lease[]>((resolve, reject) => {
    const batch: Lease[] = []
    const finish = () => {
      clearTimeout(timer)
      subscription.mailbox.remove(consumer)
      subscription.streams.delete(fail)
      resolve(batch)
    }
    const fail = (error: Error) => {
      finish()
      reject(error)
    }
    const consumer: Consumer = {
      deadlineSeconds: subscription.resource.ackDeadlineSeconds ?? 10,
      accepts: () => batch.length < Math.min(maxMessages, 1000) && !signal.aborted,
      take: lease => void batch.push(lease),
      flush: finish,
      release: () => {},
    }
    const timer = setTimeout(finish, returnImmediately ? 50 : longestWait)
    signal.addEventListener('abort', finish)
    subscription.streams.add(fail)
    subscription.mailbox.add(consumer)
  })
  return { receivedMessages: leases.map(lease => encodeReceived(subscription, lease)) }
}
