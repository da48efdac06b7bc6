/** `tables` over REST. */
import type { Call, Route } from '../../server.ts'
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry, TableId } from '../catalogue/entry.ts'
import { knownRows, sqlRelation } from '../catalogue/relation.ts'
import { readNumber } from '../engine.ts'
import { BigQueryError } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkProject, checkTableId, getDataset, getTable, parseReference, spell } from '../names.ts'
import { page } from './page.ts'
import { readRecord, required } from './read.ts'
import { makePolicyRoutes } from './row-policies.ts'
import { newTable, patched } from './table-change.ts'
import { encodeTable, encodeTableItem, etagOf } from './table-resource.ts'

/** Rows that a reader sees; counted where partitions may have expired. */
export async function readRowCount(deps: Deps, entry: TableEntry, draft: Draft): Promise<number> {
  const known = knownRows(entry, draft)
  if (known !== undefined) return known
  const unpin = deps.catalogue.pin(entry.segments.map(ref => ref.segment))
  try {
    return await deps.engine.using(c =>
      readNumber(c, `SELECT count(*) FROM ${sqlRelation(entry, draft)} AS t`),
    )
  } finally {
    await unpin()
  }
}

export function makeTableRoutes(deps: Deps, url: () => string): Route[] {
  const { catalogue, project } = deps
  const path = '/bigquery/v2/projects/:project/datasets/:dataset/tables'
  const idOf = ({ params }: Call): TableId => {
    checkProject(project, params.project)
    return { dataset: params.dataset ?? '', table: params.table ?? '' }
  }
  const show = async (id: TableId) => {
    const draft = catalogue.view()
    const entry = getTable(project, draft, id)
    return encodeTable(project, entry, draft, url(), await readRowCount(deps, entry, draft))
  }
  const insert = async (call: Call) => {
    const raw = await call.body()
    const id = parseReference(project, required(readRecord(raw, 'tableReference'), 'tableReference'))
    checkProject(project, call.params.project)
    await catalogue.transact(draft => {
      getDataset(project, draft, id.dataset)
      checkTableId(id.table)
      if (draft.table(id)) throw new BigQueryError('duplicate', `Already Exists: Table ${spell(project, id)}`)
      draft.putTable(newTable(deps, draft, id, raw))
    })
    return show(id)
  }
  const patch = async (call: Call) => {
    const id = idOf(call)
    const raw = await call.body()
    const wanted = call.request.headers['if-match']
    await catalogue.transact(draft => {
      const before = getTable(project, draft, id)
      if (wanted !== undefined && wanted !== etagOf(before)) {
        throw new BigQueryError('conditionNotMet', 'Precondition check failed.')
      }
      draft.putTable(patched(project, before, raw))
    })
    return show(id)
  }
  const remove = async (call: Call) => {
    const id = idOf(call)
    await catalogue.transact(draft => {
      getTable(project, draft, id)
      draft.dropTable(id)
    })
    call.response.writeHead(204).end()
    return undefined
  }
  const list = (call: Call) => {
    const { dataset } = idOf(call)
    const draft = catalogue.view()
    getDataset(project, draft, dataset)
    const all = draft.tablesOf(dataset)
    const { items, nextPageToken } = page(all, call.url)
    const tables = items.map(entry => encodeTableItem(project, entry))
    return { kind: 'bigquery#tableList', etag: '""', tables, totalItems: all.length, nextPageToken }
  }
  return [
    ...makePolicyRoutes(deps, path),
    { method: 'POST', path, handler: insert },
    { method: 'GET', path, handler: list },
    { method: 'GET', path: `${path}/:table`, handler: call => show(idOf(call)) },
    { method: 'PATCH', path: `${path}/:table`, handler: patch },
    { method: 'PUT', path: `${path}/:table`, handler: patch },
    { method: 'DELETE', path: `${path}/:table`, handler: remove },
  ]
}
