/** Rows of BigQuery behind the port `RowsOut`. */
import { BigQuery } from '@google-cloud/bigquery'
import { FreshetError } from '../errors.ts'
import type { JobBody } from '../plan/run-plan.ts'
import type { RowsOut } from './ports.ts'

const MOST_FAILURES = 5
/** Each extract of the same rows that was dropped has spent an id: a table may go to and fro between two rollback points. */
const MOST_ATTEMPTS = 1_000
/** About what BigQuery answers at most in one page: docs.cloud.google.com/bigquery/docs/paging-results */
const PAGE_ROWS = 20_000

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

export function makeRowsOut(options: { projectId: string; apiEndpoint?: string | undefined }): RowsOut {
  const { projectId, apiEndpoint } = options
  const client = new BigQuery({ projectId, ...(apiEndpoint !== undefined && { apiEndpoint }) })
  const tableOf = ({ projectId, datasetId, tableId }: Parameters<RowsOut['drop']>[0]) =>
    client.dataset(datasetId, { projectId }).table(tableId)

  async function runJob({ jobReference, configuration }: JobBody): Promise<string | undefined> {
    const { jobId, location } = jobReference
    try {
      await client.createJob({ configuration: { ...configuration }, jobId, location })
    } catch (error) {
      if (codeOf(error) !== 409) throw error
    }
    const job = client.job(jobId, { location })
    try {
      await job.getQueryResults({ maxResults: 0, autoPaginate: false })
    } catch (error) {
      const [{ status }] = await job.getMetadata()
      // Done before, and its rows are gone.
      if (status?.state === 'DONE' && !status.errorResult && codeOf(error) === 404) return undefined
      // A failed job's id is spent; any other trouble is passing.
      if (!status?.errorResult) throw error
      return status.errorResult.message ?? 'no reason given'
    }
    return undefined
  }

  return {
    async extract(plan) {
      let reason: string | undefined
      for (
        let attempt = 1, failures = 0;
        attempt <= MOST_ATTEMPTS && failures < MOST_FAILURES;
        attempt += 1
      ) {
        const { job, into } = plan(attempt)
        const failed = await runJob(job)
        if (failed !== undefined) {
          reason = failed
          failures += 1
          continue
        }
        const [exists] = await tableOf(into).exists()
        // Done before, and its rows dropped or expired since.
        if (!exists) continue
        const [metadata] = await tableOf(into).getMetadata()
        return { into, rows: Number(metadata.numRows) }
      }
      throw new FreshetError({
        code: 'job-failed',
        message: `The rows could not be taken out of BigQuery: ${reason ?? 'they expired again and again'}`,
        hint: 'The job history of the project has the statement.',
      })
    },
    async *read(table, start, count) {
      const end = start + count
      for (let at = start; at < end; ) {
        const [rows] = await tableOf(table).getRows({
          startIndex: String(at),
          maxResults: Math.min(PAGE_ROWS, end - at),
          autoPaginate: false,
        })
        if (rows.length === 0) throw new Error(`${table.tableId} ends at row ${at}, before row ${end}`)
        for (const row of rows) yield Object.values(row as Record<string, string | null>)
        at += rows.length
      }
    },
    async drop(table) {
      await tableOf(table).delete({ ignoreNotFound: true })
    },
  }
}
