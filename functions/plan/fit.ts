/** Whether staging and target are tables that a run may write: of the feed's layout, and this feed's own. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'

/** How a table is laid out, as its metadata says. */
export interface TableLayout {
  /** `TABLE`, `VIEW`, `MATERIALIZED_VIEW`, `EXTERNAL` or `SNAPSHOT`. */
  readonly kind: string
  /** Absent where the table has no partitions. */
  readonly partition?: { readonly by: string; readonly every: string } | undefined
  readonly cluster: readonly string[]
}

export interface SeenTable {
  readonly layout: TableLayout
  readonly labels: Readonly<Record<string, string>>
}

const showPartition = (partition: { readonly by: string; readonly every: string } | undefined) =>
  partition ? `partitioned by ${partition.every} of ${partition.by}` : 'not partitioned'
const showCluster = (cluster: readonly string[]) =>
  cluster.length > 0 ? `clustered by ${cluster.join(', ')}` : 'not clustered'

/** BigQuery tells names of columns apart without regard to case. */
function findMisfit({ table }: Feed, { partition, cluster }: TableLayout): string | undefined {
  const pairs = [
    [showPartition(partition), showPartition(table.partition)],
    [showCluster(cluster), showCluster(table.cluster)],
  ] as const
  const differing = pairs.find(([is, wanted]) => is.toLowerCase() !== wanted.toLowerCase())
  return differing && `is ${differing[0]}, and the feed says ${differing[1]}`
}

/**
 * A copy wants both tables laid out alike (docs.cloud.google.com/bigquery/docs/managing-tables#limitations_on_copying_tables),
 * and CREATE OR REPLACE does not change how a table is partitioned. Throws `FreshetError` `schema-drift`.
 */
export function checkStaging(feed: Feed, { layout }: SeenTable): void {
  const misfit = findMisfit(feed, layout)
  if (misfit === undefined) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `The staging table of ${feed.name} ${misfit}.`,
    hint: 'Change the feed back, or make staging anew: docs/feeds.md, "Changing a feed".',
  })
}

const KINDS: Readonly<Record<string, string>> = {
  VIEW: 'a view',
  MATERIALIZED_VIEW: 'a materialized view',
  EXTERNAL: 'an external table',
  SNAPSHOT: 'a table snapshot',
}

/**
 * A publish replaces the target as a whole. One that no publish of this feed has made may hold rows that are nowhere
 * else. Throws `FreshetError` `foreign-target` or `schema-drift`.
 */
export function checkTarget(feed: Feed, { layout, labels }: SeenTable): void {
  const name = `${feed.table.datasetId}.${feed.table.tableId}`
  const owner = labels.freshet_feed
  if (layout.kind !== 'TABLE')
    throw new FreshetError({
      code: 'foreign-target',
      message: `${name} is ${KINDS[layout.kind] ?? layout.kind}; a publish of ${feed.name} would replace it.`,
      hint: 'Name another table in the feed, or drop this one.',
    })
  if (owner !== feed.name) {
    const is =
      owner === undefined ? 'was there before, and Freshet did not make it' : `belongs to the feed ${owner}`
    const give = `ALTER TABLE \`${name}\` SET OPTIONS (labels = [('freshet_feed', '${feed.name}')])`
    throw new FreshetError({
      code: 'foreign-target',
      message: `${name} ${is}; a publish of ${feed.name} would replace it.`,
      hint: `Name another table in the feed, or give this one away with ${give}: then its rows are replaced.`,
    })
  }
  const misfit = findMisfit(feed, layout)
  if (misfit === undefined) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `${name} ${misfit}; BigQuery does not replace a table by one that is laid out otherwise.`,
    hint: 'Change the feed back, or drop the target: the next refresh makes it anew from staging.',
  })
}
