/** A change feed's table in the embedded BigQuery, made and filled by the product's own parts. */
import { NO_CHANGES } from '../../functions/cdc/count-file.ts'
import { makeDescriptor } from '../../functions/cdc/descriptor.ts'
import { type SliceEnd, sendSlice } from '../../functions/cdc/send-file.ts'
import type { ChangeFeed } from '../../functions/feed/changes/change-feed.ts'
import { makeChangeStreams } from '../../functions/gcp/write-stream.ts'
import { planTable } from '../../functions/plan/changes/change-table.ts'
import { type OpenBigQuery, project } from './bigquery.ts'
import { bytesOf } from './change-feed.ts'

export interface StreamOptions {
  readonly limit?: { readonly bytes: number; readonly changes: number }
  /** Told after each block. */
  readonly onBlock?: () => Promise<void>
}

/** Makes the table `dataset.name`; answers what sends a file's text into it. The dataset has to be there. */
export async function openChangeTable(own: OpenBigQuery, feed: ChangeFeed, dataset: string, name: string) {
  const target = { projectId: project, datasetId: dataset, tableId: name }
  for (const { sql } of planTable(feed, target, undefined)) await own.query(sql.text)
  process.env.METADATA_SERVER_DETECTION = 'none'
  const streams = makeChangeStreams({ projectId: project, apiEndpoint: own.url })
  return (text: string, { limit, onBlock }: StreamOptions = {}): Promise<SliceEnd> =>
    sendSlice(feed, {
      open: () => bytesOf(text),
      after: 0,
      counts: NO_CHANGES,
      connect: () => streams.connect(target, makeDescriptor(feed)),
      sleep: async () => {},
      isTimeUp: () => false,
      size: 0,
      ...(limit && { limit }),
      ...(onBlock && { onBlock }),
    })
}
