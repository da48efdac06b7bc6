/** The topic behind its port, for messages that no workflow sends: a snapshot that is refused on arrival. */
import { PubSub } from '@google-cloud/pubsub'
import { encodeAttributes } from '../message.ts'
import type { Topic } from './ports.ts'

export function makeTopic({ projectId, topic: name }: { projectId: string; topic: string }): Topic {
  // PUBSUB_EMULATOR_HOST is the client's own way to another endpoint.
  const topic = new PubSub({ projectId }).topic(name, { messageOrdering: true })
  return {
    async publish(message) {
      const { feed } = message
      try {
        await topic.publishMessage({
          json: message,
          attributes: encodeAttributes(message),
          orderingKey: feed,
        })
      } catch (error) {
        // The client holds a key back after a failure; the event comes again and tries anew.
        topic.resumePublishing(feed)
        throw error
      }
    },
  }
}
