/** Gives a subscription that Eventarc has made a dead-letter topic; `pulumi up` runs this as a program of its own. */
import { PubSub } from '@google-cloud/pubsub'

/** Ten seconds to ten minutes apart, so this many attempts span most of a day. */
const ATTEMPTS = 100

/** `subscription` and `topic` in full. Does nothing to the rest of the subscription. */
export async function writeDeadLetterPolicy(
  pubsub: PubSub,
  subscription: string,
  topic: string,
): Promise<void> {
  await pubsub.subscription(subscription).setMetadata({
    deadLetterPolicy: { deadLetterTopic: topic, maxDeliveryAttempts: ATTEMPTS },
  })
}

if (import.meta.main) {
  const { GOOGLE_CLOUD_PROJECT: projectId, SUBSCRIPTION, DEAD_LETTER_TOPIC } = process.env
  if (!projectId || !SUBSCRIPTION || !DEAD_LETTER_TOPIC)
    throw new Error('Set GOOGLE_CLOUD_PROJECT, SUBSCRIPTION and DEAD_LETTER_TOPIC.')
  const pubsub = new PubSub({ projectId })
  await writeDeadLetterPolicy(pubsub, SUBSCRIPTION, DEAD_LETTER_TOPIC)
  await pubsub.close()
  console.log(`Undeliverable events of ${SUBSCRIPTION} go to ${DEAD_LETTER_TOPIC}.`)
}
