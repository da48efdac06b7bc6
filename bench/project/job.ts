/** Runs a statement on BigQuery and says what it took, as the job's statistics tell it. */
import type { BigQuery } from '@google-cloud/bigquery'
import { z } from 'zod'
import type { TableRef } from '../../functions/feed/names.ts'

export interface Cost {
  readonly seconds: number
  readonly slotMs: number
  readonly bytes: number
  readonly shuffleBytes: number
  readonly spilledBytes: number
}

const count = z.coerce.number().default(0)
/** docs.cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobStatistics2 and #ExplainQueryStage */
const statistics = z.object({
  startTime: z.coerce.number(),
  endTime: z.coerce.number(),
  totalSlotMs: count,
  totalBytesProcessed: count,
  query: z
    .object({
      queryPlan: z
        .array(z.object({ shuffleOutputBytes: count, shuffleOutputBytesSpilled: count }))
        .default([]),
    })
    .default({ queryPlan: [] }),
})

export function parseCost(given: unknown): Cost {
  const found = statistics.parse(given)
  const plan = found.query.queryPlan
  return {
    seconds: (found.endTime - found.startTime) / 1000,
    slotMs: found.totalSlotMs,
    bytes: found.totalBytesProcessed,
    shuffleBytes: plan.reduce((sum, stage) => sum + stage.shuffleOutputBytes, 0),
    spilledBytes: plan.reduce((sum, stage) => sum + stage.shuffleOutputBytesSpilled, 0),
  }
}

/** Never from the cache: a second run is to cost what the first did. A script's stages are its children's, and not counted. */
export function makeRunJob(bigquery: BigQuery) {
  return async (query: string, destination?: TableRef): Promise<Cost> => {
    const [job] = await bigquery.createQueryJob({
      query,
      useLegacySql: false,
      useQueryCache: false,
      labels: { freshet_bench: 'formulations' },
      ...(destination && {
        destination: bigquery.dataset(destination.datasetId).table(destination.tableId),
        createDisposition: 'CREATE_IF_NEEDED',
        writeDisposition: 'WRITE_TRUNCATE',
      }),
    })
    await job.getQueryResults({ maxResults: 0 })
    const [metadata] = await job.getMetadata()
    return parseCost(metadata.statistics)
  }
}
