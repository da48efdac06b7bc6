/** Runs the whole Pulumi program under mocks, and keeps what it registers. */
import { join } from 'node:path'
import * as pulumi from '@pulumi/pulumi'
import { makeProgram } from '../../infra/program.ts'
import { parseSettings } from '../../infra/settings.ts'

export const ROOT = join(import.meta.dirname, '../..')

export interface Registered {
  /** Such as `gcp:bigquery/table:Table`. */
  readonly type: string
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly custom: boolean
}

/** What Google's provider adds to the inputs, where the program reads it. */
export function outputsOf(
  type: string,
  name: string,
  inputs: Record<string, unknown>,
): Record<string, unknown> {
  const given = { name, ...inputs }
  if (type === 'gcp:serviceaccount/account:Account')
    return { ...given, email: `${inputs.accountId}@${inputs.project}.iam.gserviceaccount.com` }
  if (type === 'gcp:projects/iAMCustomRole:IAMCustomRole')
    return { ...given, name: `projects/${inputs.project}/roles/${inputs.roleId}` }
  if (type === 'gcp:projects/serviceIdentity:ServiceIdentity')
    return { ...given, member: `serviceAccount:service-1@gcp-sa-${name}.iam.gserviceaccount.com` }
  if (type === 'gcp:eventarc/trigger:Trigger')
    return {
      ...given,
      transport: { pubsub: { subscription: 'projects/p/subscriptions/eventarc-eu-arrivals' } },
    }
  if (type === 'gcp:cloudfunctionsv2/function:Function') {
    const { serviceConfig, eventTrigger } = inputs as { serviceConfig: object; eventTrigger?: object }
    const trigger = eventTrigger && {
      ...eventTrigger,
      trigger: `projects/p/locations/eu/triggers/${inputs.name}`,
    }
    const service = { ...serviceConfig, uri: `https://${inputs.name}-xyz-ew.a.run.app` }
    return { ...given, serviceConfig: service, ...(trigger && { eventTrigger: trigger }) }
  }
  return given
}

export interface StackRun {
  readonly resources: readonly Registered[]
  readonly outputs: Record<string, unknown>
}

/** Settings as `freshet:…` in a stack's file. Throws what the program throws. */
export async function runProgram(
  settings: Readonly<Record<string, unknown>>,
  { project = 'shop-prod', stack = 'prod' } = {},
): Promise<StackRun> {
  const resources: Registered[] = []
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs, custom = true, id }) => {
        if (type !== 'pulumi:pulumi:Stack') resources.push({ type, name, inputs, custom })
        return { id: id || `${name}-id`, state: outputsOf(type, name, inputs) }
      },
      call: ({ token, inputs }) => ({
        ...inputs,
        member: `serviceAccount:${token.split('/').at(-1)}@google`,
      }),
    },
    'freshet',
    stack,
    false,
  )
  const made = makeProgram(parseSettings(settings, { project, stack }), ROOT)
  const outputs = await new Promise<Record<string, unknown>>(resolve =>
    pulumi.output(made).apply(values => resolve(values as Record<string, unknown>)),
  )
  await pulumi.runtime.disconnect()
  return { resources, outputs }
}
