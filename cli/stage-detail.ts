/** What the jobs of a stage did, in a few words for the progress display. */
import type { BigQuery } from '@google-cloud/bigquery'
import { formatBytes, formatCount } from './quantity.ts'
import type { ShownStage } from './stages.ts'

interface Statistics {
  readonly load?: { readonly outputRows?: string; readonly inputFileBytes?: string }
  readonly copy?: { readonly copiedRows?: string }
  readonly query?: { readonly totalBytesProcessed?: string }
}

/** Asks for the jobs that were made since `since` (ms) and carry the stage's label. */
export async function readStageDetail(bigquery: BigQuery, stage: ShownStage, since: number): Promise<string> {
  const [jobs] = await bigquery.getJobs({
    maxResults: 50,
    minCreationTime: String(since),
    projection: 'full',
  })
  let rows = 0
  let bytes = 0
  for (const { metadata } of jobs) {
    if (metadata?.configuration?.labels?.freshet_stage !== stage) continue
    if (Number(metadata.statistics?.creationTime) < since) continue
    const { load, copy, query } = (metadata.statistics ?? {}) as Statistics
    rows += Number(load?.outputRows ?? copy?.copiedRows ?? 0)
    bytes += Number(load?.inputFileBytes ?? query?.totalBytesProcessed ?? 0)
  }
  const parts = [rows > 0 && `${formatCount(rows)} rows`, bytes > 0 && formatBytes(bytes)]
  return parts.filter(part => part !== false).join(', ')
}
