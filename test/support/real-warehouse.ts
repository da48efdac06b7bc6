/** The embedded BigQuery as the warehouse of a cloud that is fake otherwise. */
import { makeWarehouse } from '../../functions/gcp/bigquery.ts'
import type { JobFacts } from '../../functions/gcp/ports.ts'
import type { JobBody } from '../../functions/plan/run-plan.ts'
import { type OpenBigQuery, project } from './bigquery.ts'
import type { RunsJobs } from './fake-cloud.ts'
import type { FakeObjects } from './fake-objects.ts'

// The official client would look for Google's metadata server at every start.
process.env.METADATA_SERVER_DETECTION = 'none'

/** Of the embedded BigQuery: where the plan's tables are. */
export const realNames = {
  projectId: project,
  location: 'US',
  landing: 'landing',
  staging: 'staging',
  inbox: 'inbox',
}

export async function createDatasets(bigquery: OpenBigQuery, ...more: readonly string[]): Promise<void> {
  for (const datasetId of ['landing', 'staging', ...more]) {
    const { status } = await bigquery.call('POST', '/datasets', {
      datasetReference: { datasetId, projectId: project },
    })
    if (status !== 200) throw new Error(`dataset ${datasetId}: ${status}`)
  }
}

/** What a load job reads, taken from the fake bucket as it is now. */
function carryFiles(bigquery: OpenBigQuery, objects: FakeObjects, { configuration }: JobBody): void {
  const uris: unknown = configuration.load?.sourceUris
  const carry = (uri: string) => {
    const [, bucket = '', name = ''] = /^gs:\/\/([^/]+)\/(.*)$/.exec(uri) ?? []
    const text = objects.text(bucket, name)
    if (text !== undefined) bigquery.objects.put(bucket, name, text)
    return text ?? ''
  }
  for (const list of Array.isArray(uris) ? uris : [])
    for (const uri of carry(String(list)).split('\n')) if (uri !== '') carry(uri)
}

export function makeRealWarehouse(bigquery: OpenBigQuery, objects: FakeObjects): RunsJobs {
  const warehouse = makeWarehouse({ projectId: project, apiEndpoint: bigquery.url })
  return {
    ...warehouse,
    /** Runs a job unless its id is known, as the workflow's `run_job` does. */
    async run(job): Promise<JobFacts> {
      carryFiles(bigquery, objects, job)
      const { status, body } = await bigquery.call('POST', '/jobs', job)
      if (status !== 200 && status !== 409) throw new Error(JSON.stringify(body))
      for (;;) {
        const { body: found } = await bigquery.call('GET', `/jobs/${job.jobReference.jobId}`)
        if (found.status.state === 'DONE') break
        await new Promise(resolve => setTimeout(resolve, 3))
      }
      const facts = await warehouse.readJob(job.jobReference)
      if (!facts) throw new Error(`job ${job.jobReference.jobId} is not there`)
      return facts
    },
  }
}
