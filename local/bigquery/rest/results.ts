/** Rows over REST: `tabledata.list`, and the results of a query job, page by page. */
import type { Call, Route } from '../../server.ts'
import type { TableEntry } from '../catalogue/entry.ts'
import { findField } from '../catalogue/field.ts'
import { sqlPage } from '../catalogue/relation.ts'
import { needsMerge } from '../changes/staleness.ts'
import { invalid, unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkProject, getTable } from '../names.ts'
import { readPlace } from './page.ts'
import { type Row, type RowFormat, readPage } from './rows.ts'
import { readRowCount } from './tables.ts'

/** About what BigQuery answers at most in one page (https://cloud.google.com/bigquery/docs/paging-results). */
const pageBytes = 10 * 2 ** 20
const mostRows = 100_000

export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
  /** Where the next page begins; absent on the last. */
  readonly next?: number
}

export async function readTablePage(
  deps: Deps,
  entry: TableEntry,
  start: number,
  limit: number | undefined,
  format: RowFormat,
): Promise<Page> {
  const draft = deps.catalogue.view()
  if (needsMerge(entry, draft))
    throw unsupported('Listing the rows of a table whose streamed changes wait for longer than max_staleness')
  const unpin = deps.catalogue.pin(entry.segments.map(ref => ref.segment))
  try {
    const total = await readRowCount(deps, entry, draft)
    const size = Math.min(limit ?? mostRows, mostRows)
    if (size === 0 || start >= total) return { rows: [], total }
    const sql = sqlPage(entry, draft, start, size)
    const rows = await deps.engine.using(c => readPage(c, sql, entry.schema, format, pageBytes))
    const next = start + rows.length
    return next < total ? { rows, total, next } : { rows, total }
  } finally {
    await unpin()
  }
}

export function formatOf(url: URL): RowFormat {
  return { int64Timestamp: url.searchParams.get('formatOptions.useInt64Timestamp') === 'true' }
}

export function makeTabledataRoutes(deps: Deps): Route[] {
  const path = '/bigquery/v2/projects/:project/datasets/:dataset/tables/:table'
  const list = async ({ params, url }: Call) => {
    checkProject(deps.project, params.project)
    const id = { dataset: params.dataset ?? '', table: params.table ?? '' }
    const entry = getTable(deps.project, deps.catalogue.view(), id)
    if (entry.kind === 'VIEW') throw invalid('Cannot list a table of type VIEW.')
    const selected = url.searchParams.get('selectedFields')?.split(',')
    const schema = selected?.map(name => {
      const field = findField(entry.schema, name)
      if (!field) throw invalid(`Invalid value for selectedFields: ${name}`, 'selectedFields')
      return field
    })
    const start = readPlace(url, 'pageToken') ?? readPlace(url, 'startIndex') ?? 0
    const limit = readPlace(url, 'maxResults')
    const shown = schema ? { ...entry, schema } : entry
    const { rows, total, next } = await readTablePage(deps, shown, start, limit, formatOf(url))
    const pageToken = next === undefined ? undefined : String(next)
    return { kind: 'bigquery#tableDataList', etag: '""', totalRows: String(total), pageToken, rows }
  }
  const refuse = () => {
    throw unsupported('tabledata.insertAll')
  }
  return [
    { method: 'GET', path: `${path}/data`, handler: list },
    { method: 'POST', path: `${path}/insertAll`, handler: refuse },
  ]
}
