/** Loads one object into a new table of an embedded BigQuery, for tables of good and bad files. */
import { expect } from 'vitest'
import { openBigQuery } from './bigquery.ts'

export type Content = string | Uint8Array
export type Options = Record<string, unknown>
/** Name, columns, content, then the rows or what the error says. */
export type LoadCase = [string, string, Content, unknown[][] | RegExp, Options?]

/** `id INT64!, s STRING` → fields. */
export function fields(text: string) {
  return text.split(',').map(part => {
    const [name, type] = part.trim().split(' ')
    const mode = type?.endsWith('!') ? 'REQUIRED' : type?.endsWith('*') ? 'REPEATED' : 'NULLABLE'
    return { name, type: type?.replace(/[!*]$/, ''), mode }
  })
}

export async function openLoader() {
  const own = await openBigQuery()
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  let serial = 0

  /** The rows, or the message of the failure. */
  const load = async (format: string, columns: string, content: Content, options: Options = {}) => {
    const id = `t${++serial}`
    const uri = own.objects.put('in', `${id}/file`, content)
    const { body, ...rest } = { body: undefined, ...options }
    const job = await own.job({
      load: {
        sourceUris: [uri],
        sourceFormat: format,
        schema: { fields: fields(columns) },
        destinationTable: own.table(`d.${id}`),
        ...rest,
      },
    })
    if (job.error) return { failed: job.error.message, job: body }
    if (job.status.errorResult) {
      const { reason, message, location } = job.status.errorResult
      expect(reason).toBe('invalid')
      expect(location).toBe(uri)
      const gone = await own.call('GET', `/datasets/d/tables/${id}`)
      expect(gone.status).toBe(404)
      return { failed: message.replace(uri, 'URI') }
    }
    const { body: page } = await own.call(
      'GET',
      `/datasets/d/tables/${id}/data?formatOptions.useInt64Timestamp=true`,
    )
    const value = (v: unknown): unknown => (Array.isArray(v) ? v.map(i => value(i.v)) : v)
    const rows = (page.rows ?? []).map((row: { f: { v: unknown }[] }) => row.f.map(cell => value(cell.v)))
    return { rows, job }
  }
  return { own, load }
}

type Loaded = Awaited<ReturnType<Awaited<ReturnType<typeof openLoader>>['load']>>

export function check(result: Loaded, wanted: unknown[][] | RegExp) {
  if (wanted instanceof RegExp) expect(result.failed).toMatch(wanted)
  else {
    expect(result.failed).toBeUndefined()
    const sorted = (rows: unknown[][]) => rows.map(r => JSON.stringify(r)).sort()
    expect(sorted(result.rows)).toEqual(sorted(wanted))
  }
}
