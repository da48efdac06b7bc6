/** Datasets, and the staging table of each feed. Targets are made by the first clone. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Keys } from './keys.ts'
import { guardOf, type Stack, servingDatasets } from './stack.ts'
import { stagingTableOf } from './staging-table.ts'

const HOUR_MS = 3_600_000
/** A landing table is of use for one run; three days let a person look at one that was held. */
const LANDING_MS = 3 * 24 * HOUR_MS
/** The shortest that BigQuery allows: whole versions of these are thrown away several times a day. */
const SHORT = '48'

export class Warehouse extends pulumi.ComponentResource {
  readonly landing: gcp.bigquery.Dataset
  readonly staging: gcp.bigquery.Dataset
  readonly serving: ReadonlyMap<string, gcp.bigquery.Dataset>
  readonly stagingTables: ReadonlyMap<string, gcp.bigquery.Table>

  constructor(stack: Stack, keys: Keys, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Warehouse', 'warehouse', {}, opts)
    const { names, settings, feeds } = stack
    const make = (name: string, args: gcp.bigquery.DatasetArgs, guarded: boolean) =>
      this.makeDataset(stack, keys, name, args, guarded)
    this.landing = make(
      'landing',
      {
        datasetId: names.landing,
        description: 'One table for each snapshot that has landed; they expire by themselves.',
        defaultTableExpirationMs: LANDING_MS,
        maxTimeTravelHours: SHORT,
      },
      false,
    )
    this.staging = make(
      'staging',
      {
        datasetId: names.staging,
        description: 'The long-lived base table of each feed, and its rollback points.',
        maxTimeTravelHours: SHORT,
      },
      true,
    )
    this.serving = new Map(
      servingDatasets(stack).map(id => [id, make(`serving-${id}`, { datasetId: id }, true)] as const),
    )
    this.stagingTables = new Map(feeds.map(feed => [feed.name, this.makeStaging(stack, feed)] as const))
    this.letRead(settings)
    this.registerOutputs({})
  }

  /** On the dataset: a publish replaces the table, and a grant on it would be lost. */
  private letRead({ project, readers }: Stack['settings']): void {
    for (const [id, { datasetId }] of this.serving)
      for (const [at, member] of readers.entries())
        new gcp.bigquery.DatasetIamMember(
          `reader-${id}-${at}`,
          { project, datasetId, role: 'roles/bigquery.dataViewer', member },
          { parent: this },
        )
  }

  private makeDataset(
    stack: Stack,
    keys: Keys,
    name: string,
    args: gcp.bigquery.DatasetArgs,
    guarded: boolean,
  ): gcp.bigquery.Dataset {
    const { project, location, kmsKey, destroyData } = stack.settings
    return new gcp.bigquery.Dataset(
      name,
      {
        project,
        location,
        // Under PHYSICAL every version that a rewrite throws away is paid for, for days.
        storageBillingModel: 'LOGICAL',
        deleteContentsOnDestroy: !guarded || destroyData,
        ...(kmsKey !== undefined && { defaultEncryptionConfiguration: { kmsKeyName: kmsKey } }),
        ...args,
      },
      { parent: this, dependsOn: keys.grants, ...(guarded ? guardOf(stack) : {}) },
    )
  }

  private makeStaging(stack: Stack, feed: Stack['feeds'][number]): gcp.bigquery.Table {
    const { project, kmsKey, destroyData } = stack.settings
    return new gcp.bigquery.Table(
      `staging-${feed.name}`,
      {
        project,
        datasetId: this.staging.datasetId,
        deletionProtection: !destroyData,
        ...stagingTableOf(feed),
        ...(kmsKey !== undefined && { encryptionConfiguration: { kmsKeyName: kmsKey } }),
      },
      { parent: this, ...guardOf(stack) },
    )
  }
}
