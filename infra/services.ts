/** The Google APIs that a stack needs, and the accounts that Google's own services act as. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Stack } from './stack.ts'

const APIS = [
  'artifactregistry',
  'bigquery',
  'bigqueryreservation',
  'cloudbuild',
  'cloudfunctions',
  'cloudkms',
  'cloudresourcemanager',
  'cloudscheduler',
  'eventarc',
  'iam',
  'logging',
  'monitoring',
  'pubsub',
  'run',
  'storage',
  'workflowexecutions',
  'workflows',
] as const

export class Services extends pulumi.ComponentResource {
  /** Members, as in `serviceAccount:…`: Cloud Storage, which publishes events, and Pub/Sub, which writes rows. */
  readonly storageAgent: pulumi.Output<string>
  readonly pubsubAgent: pulumi.Output<string>

  constructor({ settings: { project } }: Stack) {
    super('freshet:Services', 'services')
    const parent = this
    const apis = APIS.map(
      // Others of the project may use an API too: it stays on.
      api =>
        new gcp.projects.Service(
          api,
          { project, service: `${api}.googleapis.com`, disableOnDestroy: false },
          { parent },
        ),
    )
    const after = { parent, dependsOn: apis }
    this.storageAgent = gcp.storage.getProjectServiceAccountOutput({ project }, after).member
    this.pubsubAgent = new gcp.projects.ServiceIdentity(
      'pubsub',
      { project, service: 'pubsub.googleapis.com' },
      after,
    ).member
    const eventarc = new gcp.projects.ServiceIdentity(
      'eventarc',
      { project, service: 'eventarc.googleapis.com' },
      after,
    )
    grantToAgent('eventarc-agent', project, 'roles/eventarc.serviceAgent', eventarc.member, parent)
    // Cloud Storage brings finalized objects to Eventarc by way of Pub/Sub.
    grantToAgent('storage-events', project, 'roles/pubsub.publisher', this.storageAgent, parent)
    this.registerOutputs({})
  }
}

function grantToAgent(
  name: string,
  project: string,
  role: string,
  member: pulumi.Input<string>,
  parent: pulumi.Resource,
): void {
  new gcp.projects.IAMMember(name, { project, role, member }, { parent })
}
