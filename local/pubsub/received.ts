/** A leased message as a subscriber gets it. */
import type { Lease } from './mailbox.ts'
import type { LiveSubscription } from './state.ts'

export function encodeReceived({ resource }: LiveSubscription, lease: Lease) {
  const { message, attempts } = lease.entry
  // Attempts are counted for subscribers only where a dead letter policy makes them matter.
  return { ackId: lease.ackId, message, ...(resource.deadLetterPolicy ? { deliveryAttempt: attempts } : {}) }
}
