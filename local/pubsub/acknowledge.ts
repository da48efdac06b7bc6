/** Acknowledge and ModifyAckDeadline; exactly-once subscriptions say which ids came too late. */
import { Metadata } from '@grpc/grpc-js'
import { failedPrecondition, invalid } from './errors.ts'
import { encodeAckErrors } from './proto.ts'
import type { LiveSubscription } from './state.ts'

function applyEach(
  subscription: LiveSubscription,
  ackIds: readonly string[],
  change: (ackId: string) => boolean,
): void {
  if (ackIds.length === 0) throw invalid('No ack ids specified.')
  for (const ackId of ackIds)
    if (!subscription.mailbox.knows(ackId)) throw invalid(`Invalid ack id (ack_id=${ackId}).`)
  const late = ackIds.filter(ackId => !change(ackId))
  // Without exactly-once delivery an acknowledgement that comes too late is no error: the message just comes again.
  if (late.length === 0 || !subscription.resource.enableExactlyOnceDelivery) return
  const metadata = new Metadata()
  const reasons = Object.fromEntries(late.map(ackId => [ackId, 'PERMANENT_FAILURE_INVALID_ACK_ID']))
  metadata.set('grpc-status-details-bin', encodeAckErrors(reasons))
  throw failedPrecondition('Some acknowledgement ids in the request were invalid.', metadata)
}

export function acknowledge(subscription: LiveSubscription, ackIds: readonly string[] = []): void {
  applyEach(subscription, ackIds, ackId => subscription.mailbox.ack(ackId))
}

/** `seconds` from now, 0 to 600; 0 hands the message back. */
export function modifyAckDeadline(
  subscription: LiveSubscription,
  ackIds: readonly string[] = [],
  seconds = 0,
): void {
  if (seconds < 0 || seconds > 600) throw invalid('ack_deadline_seconds must be between 0 and 600.')
  applyEach(subscription, ackIds, ackId => subscription.mailbox.extend(ackId, seconds))
}
