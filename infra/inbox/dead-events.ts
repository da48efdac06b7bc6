/** Where events end that could not be delivered: Eventarc makes its subscription itself, so it is told afterwards. */
import * as command from '@pulumi/command'
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import { WEEK } from '../announcements.ts'
import type { Services } from '../services.ts'
import type { Stack } from '../stack.ts'

export class DeadEvents extends pulumi.ComponentResource {
  readonly subscription: gcp.pubsub.Subscription

  constructor(
    stack: Stack,
    services: Services,
    trigger: pulumi.Output<string>,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:DeadEvents', 'dead-events', {}, opts)
    const parent = this
    const { project, kmsKey } = stack.settings
    const name = stack.names.deadEvents
    const topic = new gcp.pubsub.Topic(
      'dead-events',
      { name, project, ...(kmsKey && { kmsKeyName: kmsKey }) },
      { parent },
    )
    this.subscription = new gcp.pubsub.Subscription(
      'dead-events',
      { name, project, topic: topic.name, messageRetentionDuration: WEEK, expirationPolicy: { ttl: '' } },
      { parent },
    )
    const eventarc = gcp.eventarc.Trigger.get('arrivals', trigger, {}, { parent })
    const source = eventarc.transport.apply(({ pubsub }) => pubsub?.subscription ?? '')
    const grants = this.grantToPubsub(project, services.pubsubAgent, topic, source)
    new command.local.Command(
      'set-dead-letter',
      {
        create: 'node infra/inbox/set-dead-letter.ts',
        dir: stack.root,
        environment: { GOOGLE_CLOUD_PROJECT: project, SUBSCRIPTION: source, DEAD_LETTER_TOPIC: topic.id },
        triggers: [source, topic.id],
      },
      { parent, dependsOn: grants },
    )
    this.registerOutputs({})
  }

  /** It publishes the dead event, and then acknowledges it. docs.cloud.google.com/pubsub/docs/handling-failures */
  private grantToPubsub(
    project: string,
    member: pulumi.Output<string>,
    topic: gcp.pubsub.Topic,
    subscription: pulumi.Output<string>,
  ): pulumi.Resource[] {
    const parent = this
    return [
      new gcp.pubsub.TopicIAMMember(
        'dead-events-publisher',
        { project, topic: topic.name, role: 'roles/pubsub.publisher', member },
        { parent },
      ),
      new gcp.pubsub.SubscriptionIAMMember(
        'arrivals-subscriber',
        { project, subscription, role: 'roles/pubsub.subscriber', member },
        { parent },
      ),
    ]
  }
}
