/** The embedded BigQuery in a temporary folder, spoken to over plain HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBigQuery } from '../../local/bigquery/index.ts'
import { type Clock, systemClock } from '../../local/service.ts'
import { objectFolder } from './object-folder.ts'

export interface Answer {
  readonly status: number
  // A wire answer: tests look into it freely.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check
  readonly body: any
}

export const project = 'p-test'

/** Starts one; `restart` closes it and starts another on the same folder. */
export async function openBigQuery(clock: Clock = systemClock, applies?: 'when told') {
  const dir = mkdtempSync(join(tmpdir(), 'freshet-bigquery-'))
  const objects = objectFolder(join(dir, 'objects'))
  const start = () =>
    startBigQuery({
      dir: join(dir, 'bigquery'),
      clock,
      project,
      location: 'US',
      objects,
      memoryLimit: '1GB',
      applies,
    })
  let service = await start()
  let serial = 0
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${service.url}/bigquery/v2/projects/${project}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  /** Inserts a job and waits for its end. */
  const job = async (configuration: unknown, jobId = `job-${++serial}`) => {
    const inserted = await call('POST', '/jobs', { configuration, jobReference: { jobId } })
    if (inserted.status !== 200) return inserted.body
    for (;;) {
      const { body } = await call('GET', `/jobs/${jobId}`)
      if (body.status.state === 'DONE') return body
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  const table = (id: string) => {
    const [datasetId, tableId] = id.split('.')
    return { projectId: project, datasetId, tableId }
  }
  /** The rows of a query as lists of REST's texts; throws BigQuery's message. */
  const query = async (sql: string, more: Record<string, unknown> = {}): Promise<unknown[][]> => {
    const { body } = await call('POST', '/queries', { query: sql, useLegacySql: false, ...more })
    if (body.error) throw new Error(body.error.message)
    return (body.rows ?? []).map((row: { f: { v: unknown }[] }) => row.f.map(cell => cell.v))
  }
  return {
    dir,
    objects,
    project,
    call,
    job,
    query,
    table,
    get url() {
      return service.url
    },
    applyChanges: () => service.applyChanges(),
    /** Ends the service and leaves its files. */
    stop: () => service.close(),
    async restart() {
      await service.close()
      service = await start()
    },
    async close() {
      await service.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type OpenBigQuery = Awaited<ReturnType<typeof openBigQuery>>
