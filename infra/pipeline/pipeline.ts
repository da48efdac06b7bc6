/** The workflow with its environment, and the schedule of the sweep. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import { WORKFLOW_ENV } from '../../functions/names.ts'
import type { Announcements } from '../announcements.ts'
import type { Stack } from '../stack.ts'
import type { Accounts } from './accounts.ts'
import type { Functions } from './functions.ts'

export class Pipeline extends pulumi.ComponentResource {
  readonly workflow: gcp.workflows.Workflow

  constructor(
    stack: Stack,
    functions: Functions,
    accounts: Accounts,
    announcements: Announcements,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:Pipeline', 'pipeline', {}, opts)
    const { project, region } = stack.settings
    this.workflow = new gcp.workflows.Workflow(
      'refresh',
      {
        name: stack.names.workflow,
        project,
        region,
        description: 'One refresh of one feed: {"feed": "…"}',
        sourceContents: readFileSync(join(stack.root, 'workflows/refresh.yaml'), 'utf8'),
        serviceAccount: accounts.emailOf('refresh'),
        callLogLevel: 'LOG_ERRORS_ONLY',
        // It holds no data: what a run did is in the state bucket.
        deletionProtection: false,
        userEnvVars: {
          [WORKFLOW_ENV.plan]: functions.urlOf('plan'),
          [WORKFLOW_ENV.verify]: functions.urlOf('verify'),
          [WORKFLOW_ENV.complete]: functions.urlOf('complete'),
          [WORKFLOW_ENV.fail]: functions.urlOf('fail'),
          [WORKFLOW_ENV.topic]: announcements.topic.name,
        },
      },
      { parent: this, dependsOn: [...accounts.grants] },
    )
    this.makeSweep(stack, functions.urlOf('sweep'), accounts)
    this.registerOutputs({})
  }

  private makeSweep({ settings, names }: Stack, uri: pulumi.Output<string>, accounts: Accounts): void {
    new gcp.cloudscheduler.Job(
      'sweep',
      {
        name: `${names.prefix}-sweep`,
        project: settings.project,
        region: settings.region,
        schedule: settings.sweep,
        timeZone: 'Etc/UTC',
        attemptDeadline: '300s',
        // The next minute is the next attempt.
        retryConfig: { retryCount: 0 },
        httpTarget: {
          uri,
          httpMethod: 'POST',
          headers: { 'content-type': 'application/json' },
          body: Buffer.from('{}').toString('base64'),
          oidcToken: { serviceAccountEmail: accounts.emailOf('scheduler'), audience: uri },
        },
      },
      { parent: this },
    )
  }
}
