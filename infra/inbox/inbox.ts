/** Buckets: the inbox that files land in, the state, and the source of the functions. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Keys } from '../keys.ts'
import { guardOf, type Stack } from '../stack.ts'

/** Lists of load jobs are read once; a run that is taken over reads them again within hours. */
const LISTS_DAYS = 7

interface BucketSettings {
  readonly guarded: boolean
  readonly lifecycleRules?: gcp.types.input.storage.BucketLifecycleRule[]
  readonly versioned?: boolean
}

export class Inbox extends pulumi.ComponentResource {
  readonly inbox: gcp.storage.Bucket
  readonly state: gcp.storage.Bucket
  readonly source: gcp.storage.Bucket

  constructor(stack: Stack, keys: Keys, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Inbox', 'inbox', {}, opts)
    const { names, settings } = stack
    const make = (part: string, name: string, how: BucketSettings) =>
      this.makeBucket(stack, keys, part, name, how)
    this.inbox = make('inbox', names.inbox, {
      guarded: true,
      lifecycleRules: [
        { action: { type: 'Delete' }, condition: { age: settings.keepLandedDays } },
        { action: { type: 'Delete' }, condition: { age: LISTS_DAYS, matchesPrefixes: ['_freshet/'] } },
        { action: { type: 'AbortIncompleteMultipartUpload' }, condition: { age: 2 } },
      ],
    })
    // What a run did is kept for ever; an older generation only for the time in which somebody may want it back.
    this.state = make('state', names.state, {
      guarded: true,
      versioned: true,
      lifecycleRules: [
        { action: { type: 'Delete' }, condition: { daysSinceNoncurrentTime: 30, numNewerVersions: 3 } },
      ],
    })
    this.source = make('source', names.source, { guarded: false })
    for (const [at, member] of settings.senders.entries())
      new gcp.storage.BucketIAMMember(
        `sender-${at}`,
        { bucket: this.inbox.name, role: 'roles/storage.objectUser', member },
        { parent: this },
      )
    this.registerOutputs({})
  }

  private makeBucket(
    stack: Stack,
    keys: Keys,
    part: string,
    name: string,
    how: BucketSettings,
  ): gcp.storage.Bucket {
    const { project, location, kmsKey, destroyData } = stack.settings
    return new gcp.storage.Bucket(
      part,
      {
        name,
        project,
        location,
        uniformBucketLevelAccess: true,
        publicAccessPrevention: 'enforced',
        forceDestroy: !how.guarded || destroyData,
        versioning: { enabled: how.versioned ?? false },
        ...(how.lifecycleRules && { lifecycleRules: how.lifecycleRules }),
        ...(kmsKey !== undefined && { encryption: { defaultKmsKeyName: kmsKey } }),
      },
      { parent: this, dependsOn: keys.grants, ...(how.guarded ? guardOf(stack) : {}) },
    )
  }
}
