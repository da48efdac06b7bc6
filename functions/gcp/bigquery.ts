/** BigQuery behind the port `Warehouse`: it reads; the jobs that write are the workflow's. */
import { BigQuery } from '@google-cloud/bigquery'
import type { TableRef } from '../feed/names.ts'
import type { JobReference } from '../plan/run-plan.ts'
import type { ChangeTables } from './change-ports.ts'
import { parseChangeTable } from './change-table.ts'
import { readMaterializedViews } from './dependents.ts'
import { parseGovernance } from './governance.ts'
import { type LayoutMetadata, parseLayout } from './layout.ts'
import type { JobFacts, TableFacts, Warehouse } from './ports.ts'

interface Field {
  readonly name?: string
  readonly type?: string
  readonly precision?: string
  readonly scale?: string
  readonly maxLength?: string
}
/** The API's older names, which it still answers with. docs.cloud.google.com/bigquery/docs/reference/rest/v2/tables */
const TYPES: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }

function typeOf({ type = '', precision, scale, maxLength }: Field): string {
  const parameters = [precision ?? maxLength, scale].filter(part => part !== undefined)
  const name = TYPES[type] ?? type
  return parameters.length > 0 ? `${name}(${parameters.join(',')})` : name
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 404) return undefined
    throw error
  }
}

interface TableMetadata extends LayoutMetadata {
  readonly numRows?: string
  readonly numPartitions?: string
  readonly schema?: { readonly fields?: readonly Field[] }
  readonly labels?: Readonly<Record<string, string>>
}
const toTable = (metadata: TableMetadata): TableFacts => ({
  rows: Number(metadata.numRows ?? 0),
  columns: (metadata.schema?.fields ?? []).map(field => ({ name: field.name ?? '', type: typeOf(field) })),
  labels: metadata.labels ?? {},
  layout: parseLayout(metadata),
  ...(metadata.numPartitions !== undefined && { partitions: Number(metadata.numPartitions) }),
})

interface JobError {
  readonly reason?: string
  readonly message?: string
  readonly location?: string
}
interface JobMetadata {
  readonly status?: { readonly errorResult?: JobError; readonly errors?: readonly JobError[] }
  readonly statistics?: {
    readonly totalBytesProcessed?: string
    readonly totalSlotMs?: string
    readonly load?: { readonly badRecords?: string }
    /** Milliseconds since 1970. */
    readonly startTime?: string
    readonly endTime?: string
  }
  readonly configuration?: { readonly load?: { readonly destinationTable?: JobFacts['destination'] } }
}

const toError = ({ reason = '', message = '', location }: JobError) => ({
  reason,
  message,
  ...(location !== undefined && { location }),
})

function toJob({ status, statistics, configuration }: JobMetadata): JobFacts {
  const { errorResult, errors = [] } = status ?? {}
  const destination = configuration?.load?.destinationTable
  const { startTime, endTime } = statistics ?? {}
  return {
    ...(errorResult && { error: toError(errorResult) }),
    errors: errors.map(toError),
    ...(destination && { destination }),
    ...(statistics?.load && { badRecords: Number(statistics.load.badRecords ?? 0) }),
    bytesProcessed: Number(statistics?.totalBytesProcessed ?? 0),
    slotMs: Number(statistics?.totalSlotMs ?? 0),
    seconds: startTime && endTime ? (Number(endTime) - Number(startTime)) / 1_000 : 0,
  }
}

export function makeWarehouse(options: {
  projectId: string
  apiEndpoint?: string | undefined
}): Warehouse & ChangeTables {
  const { projectId, apiEndpoint } = options
  const client = new BigQuery({ projectId, ...(apiEndpoint !== undefined && { apiEndpoint }) })
  const tableOf = ({ projectId, datasetId, tableId }: TableRef) =>
    client.dataset(datasetId, { projectId }).table(tableId)
  /** Waits for the job when it is not done yet. */
  async function readRows({ projectId, jobId, location }: JobReference) {
    const [rows] = await client.job(jobId, { projectId, location }).getQueryResults()
    const show = (value: unknown) => (value === null || value === undefined ? null : String(value))
    return rows.map(
      (row: object): Record<string, string | null> =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, show(value)])),
    )
  }
  return {
    async readTable(table) {
      const found = await unlessMissing(() => tableOf(table).getMetadata())
      return found && toTable(found[0])
    },
    async readGoverned(table) {
      const found = await unlessMissing(() => tableOf(table).getMetadata())
      if (!found) return undefined
      // A view has none, and asking for them is an error.
      if (found[0].type !== 'TABLE')
        return { ...toTable(found[0]), governance: parseGovernance(found[0], {}) }
      // The client has no method for it; a service object asks for anything below its own address.
      const policies = await new Promise<unknown>((resolve, reject) =>
        tableOf(table).request({ uri: '/rowAccessPolicies' }, (error: Error | null, body: unknown) =>
          error ? reject(error) : resolve(body),
        ),
      )
      return { ...toTable(found[0]), governance: parseGovernance(found[0], policies) }
    },
    async readLocation({ projectId, datasetId }) {
      const found = await unlessMissing(() => client.dataset(datasetId, { projectId }).getMetadata())
      return found && String(found[0].location)
    },
    readMaterializedViews: dataset => readMaterializedViews(client, dataset),
    async readChangeTable(table) {
      const found = await unlessMissing(() => tableOf(table).getMetadata())
      return found && parseChangeTable(toTable(found[0]), found[0])
    },
    async readJob({ projectId, jobId, location }) {
      const found = await unlessMissing(() => client.job(jobId, { projectId, location }).getMetadata())
      return found && toJob(found[0])
    },
    readRows,
    async runQuery({ jobReference, configuration }) {
      const { jobId, location } = jobReference
      try {
        await client.createJob({ configuration: { ...configuration }, jobId, location })
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 409)) throw error
      }
      return readRows(jobReference)
    },
  }
}
