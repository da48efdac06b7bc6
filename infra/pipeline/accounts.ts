/** The service accounts of a stack, and the roles that roles.ts says. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Announcements } from '../announcements.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { ACCOUNTS, type Account, CUSTOM_ROLES, type CustomRole, GRANTS, type Grant } from '../roles.ts'
import type { Stack } from '../stack.ts'
import type { Warehouse } from '../warehouse.ts'

export interface Places {
  readonly inbox: Inbox
  readonly warehouse: Warehouse
  readonly announcements: Announcements
}

const TITLES: Readonly<Record<CustomRole, string>> = {
  jobReader: 'Freshet: read the state of jobs',
  snapshotExpirer: 'Freshet: let rollback points expire',
  policyReader: 'Freshet: see which row access policies a table has',
  reservationUser: 'Freshet: run jobs in a named reservation',
}

export class Accounts extends pulumi.ComponentResource {
  private readonly accounts: ReadonlyMap<string, gcp.serviceaccount.Account>
  private readonly roles: ReadonlyMap<string, pulumi.Output<string>>
  /** What has to be granted before the first call. */
  readonly grants: readonly pulumi.Resource[]

  constructor(stack: Stack, places: Places, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Accounts', 'accounts', {}, opts)
    const { project } = stack.settings
    const reservations = stack.feeds.some(({ refresh }) => refresh.reservation !== undefined)
    const wanted = (grant: Grant) => grant.onlyWith === undefined || reservations
    this.accounts = new Map(
      ACCOUNTS.map(part => {
        const accountId = stack.names.accountOf(part)
        const args = { project, accountId, displayName: `Freshet ${stack.settings.stack}: ${part}` }
        return [part, new gcp.serviceaccount.Account(part, args, { parent: this })] as const
      }),
    )
    this.roles = this.makeRoles(stack, reservations)
    this.grants = ACCOUNTS.flatMap(part =>
      GRANTS[part].filter(wanted).flatMap((grant: Grant) => this.grant(stack, places, part, grant)),
    )
    this.registerOutputs({})
  }

  private of(part: Account): gcp.serviceaccount.Account {
    const account = this.accounts.get(part)
    if (!account) throw new Error(`there is no account ${part}`)
    return account
  }
  emailOf(part: Account): pulumi.Output<string> {
    return this.of(part).email
  }
  memberOf(part: Account): pulumi.Output<string> {
    return pulumi.interpolate`serviceAccount:${this.of(part).email}`
  }

  private makeRoles({ settings: { project }, names }: Stack, reservations: boolean) {
    const wanted = Object.entries(CUSTOM_ROLES).filter(([key]) => reservations || key !== 'reservationUser')
    return new Map(
      wanted.map(([key, permissions]) => {
        const title = TITLES[key as CustomRole]
        const args = { project, roleId: names.roleOf(key), title, permissions: [...permissions] }
        return [`custom:${key}`, new gcp.projects.IAMCustomRole(key, args, { parent: this }).name] as const
      }),
    )
  }

  /** Grants on `run:…` are made with the function. */
  private grant(stack: Stack, places: Places, part: Account, { role: said, on }: Grant): pulumi.Resource[] {
    const { project } = stack.settings
    const { inbox, warehouse, announcements } = places
    const role = this.roles.get(said) ?? said
    const name = `${part}-${on}-${said.replace(/^.*[.:]/, '')}`
    const given = { role, member: this.memberOf(part) }
    const here = { parent: this }
    const onBucket = (bucket: gcp.storage.Bucket, only = {}) => [
      new gcp.storage.BucketIAMMember(name, { bucket: bucket.name, ...given, ...only }, here),
    ]
    const onDataset = ({ datasetId }: gcp.bigquery.Dataset, suffix = '') =>
      new gcp.bigquery.DatasetIamMember(`${name}${suffix}`, { project, datasetId, ...given }, here)
    switch (on) {
      case 'project':
        return [new gcp.projects.IAMMember(name, { project, ...given }, here)]
      case 'inbox':
        return onBucket(inbox.inbox)
      case 'inbox-lists':
        return onBucket(inbox.inbox, { condition: onlyLists(stack) })
      case 'state':
        return onBucket(inbox.state)
      case 'source':
        return onBucket(inbox.source)
      case 'landing':
        return [onDataset(warehouse.landing)]
      case 'staging':
        return [onDataset(warehouse.staging)]
      case 'serving':
        return [...warehouse.serving].map(([id, dataset]) => onDataset(dataset, `-${id}`))
      case 'topic':
        return [
          new gcp.pubsub.TopicIAMMember(name, { project, topic: announcements.topic.name, ...given }, here),
        ]
      default:
        return []
    }
  }
}

/** `plan` writes the lists of load jobs into the inbox, and nothing else. */
function onlyLists({ names: { inbox } }: Stack) {
  const start = `projects/_/buckets/${inbox}/objects/_freshet/`
  return { title: 'only-lists-of-load-jobs', expression: `resource.name.startsWith("${start}")` }
}
