/** The workflows with their environment, and the schedule of the sweep. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import { WORKFLOW_ENV } from '../../functions/names.ts'
import type { Announcements } from '../announcements.ts'
import type { Account } from '../roles.ts'
import type { Stack } from '../stack.ts'
import type { Accounts } from './accounts.ts'
import type { Functions } from './functions.ts'

interface WorkflowSpec {
  /** Its name among resources, and its file in workflows/. */
  readonly part: string
  readonly account: Account
  readonly name: string
  readonly description: string
  readonly userEnvVars: Record<string, pulumi.Input<string>>
}

export class Pipeline extends pulumi.ComponentResource {
  readonly workflow: gcp.workflows.Workflow
  readonly applyWorkflow: gcp.workflows.Workflow

  constructor(
    stack: Stack,
    functions: Functions,
    accounts: Accounts,
    announcements: Announcements,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:Pipeline', 'pipeline', {}, opts)
    const topic = announcements.topic.name
    this.workflow = this.makeWorkflow(stack, accounts, {
      part: 'refresh',
      account: 'refresh',
      name: stack.names.workflow,
      description: 'One refresh of one feed: {"feed": "…"}',
      userEnvVars: {
        [WORKFLOW_ENV.plan]: functions.urlOf('plan'),
        [WORKFLOW_ENV.verify]: functions.urlOf('verify'),
        [WORKFLOW_ENV.complete]: functions.urlOf('complete'),
        [WORKFLOW_ENV.fail]: functions.urlOf('fail'),
        [WORKFLOW_ENV.topic]: topic,
      },
    })
    this.applyWorkflow = this.makeWorkflow(stack, accounts, {
      part: 'apply-changes',
      account: 'changes',
      name: stack.names.applyWorkflow,
      description: 'One file of a change feed: {"feed": "…", "delivery": "…"}',
      userEnvVars: { [WORKFLOW_ENV.apply]: functions.urlOf('apply'), [WORKFLOW_ENV.topic]: topic },
    })
    this.makeSweep(stack, functions.urlOf('sweep'), accounts)
    this.registerOutputs({})
  }

  private makeWorkflow(
    { settings: { project, region }, root }: Stack,
    accounts: Accounts,
    { part, account, name, description, userEnvVars }: WorkflowSpec,
  ): gcp.workflows.Workflow {
    return new gcp.workflows.Workflow(
      part,
      {
        name,
        project,
        region,
        description,
        sourceContents: readFileSync(join(root, `workflows/${part}.yaml`), 'utf8'),
        serviceAccount: accounts.emailOf(account),
        callLogLevel: 'LOG_ERRORS_ONLY',
        // It holds no data: what a run did is in the state bucket.
        deletionProtection: false,
        userEnvVars,
      },
      { parent: this, dependsOn: [...accounts.grants] },
    )
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
