/** Daily limits of BigQuery that a feed would meet however it is run: docs.cloud.google.com/bigquery/quotas */

import { countKept } from './check-partition.ts'
import { parseDuration } from './duration.ts'
import type { Finding } from './finding.ts'
import type { FeedFile } from './schema.ts'

/** Of one column-partitioned table. */
const PARTITION_WRITES_A_DAY = 30_000
/** Of one table: each refresh that changes something makes a rollback point. */
const TABLE_SNAPSHOTS_A_DAY = 50

/** Only what is certain: `freshet estimate` tells what comes near, with rows and bytes. */
export function* checkLoadOfDay(file: FeedFile): Generator<Finding> {
  const { source, refresh, table } = file
  const seconds = source.every === undefined ? undefined : parseDuration(source.every)
  if (seconds === undefined) return
  const runs = Math.floor(86_400 / seconds)
  const path = ['source', 'every']
  if (runs > TABLE_SNAPSHOTS_A_DAY)
    yield {
      path,
      message: `makes ${runs} refreshes a day, and BigQuery takes ${TABLE_SNAPSHOTS_A_DAY} table snapshots of one table`,
      hint: 'Send snapshots less often: each refresh saves a rollback point.',
    }
  const kept = countKept(file)
  if (kept === undefined || refresh.strategy !== 'rewrite' || runs * kept <= PARTITION_WRITES_A_DAY) return
  yield {
    path,
    message: `makes ${runs} refreshes a day of ${kept} partitions, and BigQuery takes ${PARTITION_WRITES_A_DAY} writes of partitions of one table`,
    hint: `Take refresh.strategy changed-partitions, partition by longer than a ${table.partition?.every}, or send snapshots less often.`,
  }
}
