/** The functions: one source archive, an account each, nobody let in who is not named. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import { FUNCTION_ENV, FUNCTIONS } from '../../functions/names.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { type FunctionKey, partOf } from '../names.ts'
import { ACCOUNT_OF, ACCOUNTS, GRANTS, type Grant } from '../roles.ts'
import type { Stack } from '../stack.ts'
import type { Accounts } from './accounts.ts'
import { FEEDS_FOLDER, hashBundle, readBundle } from './bundle.ts'

const RUNTIME = 'nodejs24'
/** The workflow waits ten minutes for an answer. */
const TIMEOUT_SECONDS = 540

/** Instances at most. Thousands of objects may land at once; each event looks once at the bucket and is done. */
const INSTANCES: Readonly<Record<FunctionKey, number>> = {
  onObject: 100,
  plan: 20,
  verify: 20,
  complete: 20,
  fail: 20,
  sweep: 1,
  apply: 50,
}

/** A block of changes with the map around it, what is on its way, and Node itself: docs/cdc.md. */
const APPLY_MEMORY = { availableMemory: '2Gi', availableCpu: '1' }

/** The environment of the functions, and of a person who operates the stack with the `freshet` command. */
export function environmentOf({ settings, names }: Stack, feeds: string): Record<string, string> {
  return {
    [FUNCTION_ENV.project]: settings.project,
    [FUNCTION_ENV.location]: settings.location,
    [FUNCTION_ENV.region]: settings.region,
    [FUNCTION_ENV.inbox]: names.inbox,
    [FUNCTION_ENV.state]: names.state,
    [FUNCTION_ENV.landing]: names.landing,
    [FUNCTION_ENV.staging]: names.staging,
    [FUNCTION_ENV.topic]: names.topic,
    [FUNCTION_ENV.workflow]: names.workflow,
    [FUNCTION_ENV.applyWorkflow]: names.applyWorkflow,
    [FUNCTION_ENV.feeds]: feeds,
  }
}

export class Functions extends pulumi.ComponentResource {
  private readonly made: ReadonlyMap<FunctionKey, gcp.cloudfunctionsv2.Function>
  private readonly stack: Stack
  private readonly accounts: Accounts

  constructor(
    stack: Stack,
    inbox: Inbox,
    accounts: Accounts,
    feedsDir: string,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:Functions', 'functions', {}, opts)
    this.stack = stack
    this.accounts = accounts
    const archive = this.makeArchive(inbox, feedsDir)
    const keys = Object.keys(FUNCTIONS) as FunctionKey[]
    this.made = new Map(keys.map(key => [key, this.makeFunction(key, inbox, archive)] as const))
    for (const account of ACCOUNTS) for (const grant of GRANTS[account]) this.letIn(account, grant)
    this.registerOutputs({})
  }

  private of(key: FunctionKey): gcp.cloudfunctionsv2.Function {
    const found = this.made.get(key)
    if (!found) throw new Error(`there is no function ${key}`)
    return found
  }

  /** The address of the service itself: internal ingress lets in nothing that comes by another name. */
  urlOf(key: FunctionKey): pulumi.Output<string> {
    return this.of(key).serviceConfig.apply(service => service?.uri ?? '')
  }

  /** The Eventarc trigger of `on-object`, in full. */
  get trigger(): pulumi.Output<string> {
    return this.of('onObject').eventTrigger.apply(event => event?.trigger ?? '')
  }

  private makeArchive({ source }: Inbox, feedsDir: string): gcp.storage.BucketObject {
    const bundle = readBundle(this.stack.root, feedsDir)
    const assets = [...bundle].map(([path, text]) => [path, new pulumi.asset.StringAsset(text)] as const)
    return new gcp.storage.BucketObject(
      'source',
      {
        bucket: source.name,
        name: `functions-${hashBundle(bundle)}.zip`,
        source: new pulumi.asset.AssetArchive(Object.fromEntries(assets)),
      },
      { parent: this },
    )
  }

  private makeFunction(
    key: FunctionKey,
    inbox: Inbox,
    archive: gcp.storage.BucketObject,
  ): gcp.cloudfunctionsv2.Function {
    const { settings, names } = this.stack
    const { project, region } = settings
    const builder = this.accounts.emailOf('build')
    return new gcp.cloudfunctionsv2.Function(
      partOf(key),
      {
        name: names.functionOf(key),
        project,
        location: region,
        description: `Freshet: ${partOf(key)}`,
        buildConfig: {
          runtime: RUNTIME,
          entryPoint: FUNCTIONS[key],
          serviceAccount: pulumi.interpolate`projects/${project}/serviceAccounts/${builder}`,
          source: { storageSource: { bucket: archive.bucket, object: archive.name } },
        },
        serviceConfig: {
          ...(key === 'apply' ? APPLY_MEMORY : { availableMemory: '512Mi' }),
          timeoutSeconds: TIMEOUT_SECONDS,
          maxInstanceCount: INSTANCES[key],
          serviceAccountEmail: this.accounts.emailOf(ACCOUNT_OF[key]),
          environmentVariables: environmentOf(this.stack, FEEDS_FOLDER),
          ingressSettings: 'ALLOW_INTERNAL_ONLY',
          allTrafficOnLatestRevision: true,
        },
        ...(key === 'onObject' && { eventTrigger: this.arrivals(inbox) }),
      },
      { parent: this, dependsOn: [...this.accounts.grants] },
    )
  }

  /** The trigger has to be where the bucket is; the function need not be. */
  private arrivals({ inbox }: Inbox): gcp.types.input.cloudfunctionsv2.FunctionEventTrigger {
    return {
      eventType: 'google.cloud.storage.object.v1.finalized',
      triggerRegion: this.stack.settings.location.toLowerCase(),
      eventFilters: [{ attribute: 'bucket', value: inbox.name }],
      retryPolicy: 'RETRY_POLICY_RETRY',
      serviceAccountEmail: this.accounts.emailOf('trigger'),
    }
  }

  private letIn(account: (typeof ACCOUNTS)[number], { role, on }: Grant): void {
    const key = [...this.made.keys()].find(key => on === `run:${partOf(key)}`)
    if (key === undefined) return
    const { project, region } = this.stack.settings
    new gcp.cloudrunv2.ServiceIamMember(
      `${account}-${partOf(key)}-invoker`,
      { project, location: region, name: this.of(key).name, role, member: this.accounts.memberOf(account) },
      { parent: this },
    )
  }
}
