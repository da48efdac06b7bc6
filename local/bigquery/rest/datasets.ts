/** `datasets` over REST. */

import type { Call, Route } from '../../server.ts'
import type { DatasetEntry } from '../catalogue/entry.ts'
import { BigQueryError } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkDatasetId, checkProject, getDataset } from '../names.ts'
import { page } from './page.ts'
import { type Json, readInteger, readLabels, readRecord, readText, refuseOthers, required } from './read.ts'
import { etagOf } from './table-resource.ts'

const served = [
  'datasetReference',
  'location',
  'description',
  'friendlyName',
  'labels',
  'defaultTableExpirationMs',
  'defaultPartitionExpirationMs',
  // Written by clients that send a whole resource back; they change nothing here.
  ...['kind', 'etag', 'id', 'selfLink', 'creationTime', 'lastModifiedTime', 'access', 'type'],
  ...['storageBillingModel', 'maxTimeTravelHours', 'isCaseInsensitive', 'resourceTags'],
]

function parseDataset(raw: Json) {
  refuseOthers(raw, served, 'dataset')
  const description = readText(raw, 'description')
  const friendlyName = readText(raw, 'friendlyName')
  const labels = readLabels(raw, 'labels')
  const tables = readInteger(raw, 'defaultTableExpirationMs')
  const partitions = readInteger(raw, 'defaultPartitionExpirationMs')
  return {
    ...(description === undefined ? {} : { description }),
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(labels ? { labels } : {}),
    ...(tables ? { defaultTableExpirationMs: tables } : {}),
    ...(partitions ? { defaultPartitionExpirationMs: partitions } : {}),
  }
}

function encodeDataset(project: string, url: string, entry: DatasetEntry): Json {
  const { dataset, location, description, friendlyName, labels } = entry
  const { defaultTableExpirationMs: tables, defaultPartitionExpirationMs: partitions } = entry
  return {
    kind: 'bigquery#dataset',
    etag: etagOf(entry),
    id: `${project}:${dataset}`,
    selfLink: `${url}/bigquery/v2/projects/${project}/datasets/${dataset}`,
    datasetReference: { projectId: project, datasetId: dataset },
    location,
    type: 'DEFAULT',
    access: [],
    creationTime: String(entry.created),
    lastModifiedTime: String(entry.modified),
    ...(description === undefined ? {} : { description }),
    ...(friendlyName === undefined ? {} : { friendlyName }),
    ...(labels ? { labels } : {}),
    ...(tables === undefined ? {} : { defaultTableExpirationMs: String(tables) }),
    ...(partitions === undefined ? {} : { defaultPartitionExpirationMs: String(partitions) }),
  }
}

export function makeDatasetRoutes(deps: Deps, url: () => string): Route[] {
  const { catalogue, project, location } = deps
  const path = '/bigquery/v2/projects/:project/datasets'
  const id = (call: Call) => {
    checkProject(project, call.params.project)
    return call.params.dataset ?? ''
  }
  const show = (dataset: string) =>
    encodeDataset(project, url(), getDataset(project, catalogue.view(), dataset))

  const insert = async (call: Call) => {
    checkProject(project, call.params.project)
    const raw = await call.body()
    const reference = required(readRecord(raw, 'datasetReference'), 'datasetReference')
    const dataset = checkDatasetId(required(readText(reference, 'datasetId'), 'datasetReference.datasetId'))
    const parsed = parseDataset(raw)
    await catalogue.transact(draft => {
      if (draft.dataset(dataset))
        throw new BigQueryError('duplicate', `Already Exists: Dataset ${project}:${dataset}`)
      draft.putDataset({
        dataset,
        location: readText(raw, 'location') ?? location,
        created: draft.now,
        ...parsed,
      })
    })
    return show(dataset)
  }
  /** PUT replaces what can be written, PATCH only what is sent; `null` takes away. */
  const change = (keep: boolean) => async (call: Call) => {
    const dataset = id(call)
    const raw = await call.body()
    const parsed = parseDataset(raw)
    await catalogue.transact(draft => {
      const before = getDataset(project, draft, dataset)
      const { location: where, created } = before
      const kept = keep ? Object.fromEntries(Object.entries(before).filter(([key]) => raw[key] !== null)) : {}
      draft.putDataset({ ...kept, dataset, location: where, created, ...parsed })
    })
    return show(dataset)
  }
  const remove = async (call: Call) => {
    const dataset = id(call)
    await catalogue.transact(draft => {
      getDataset(project, draft, dataset)
      if (call.url.searchParams.get('deleteContents') !== 'true' && draft.tablesOf(dataset).length > 0) {
        throw new BigQueryError('resourceInUse', `Dataset ${project}:${dataset} is still in use`)
      }
      draft.dropDataset(dataset)
    })
    call.response.writeHead(204).end()
    return undefined
  }
  const list = (call: Call) => {
    checkProject(project, call.params.project)
    const { items, nextPageToken } = page(catalogue.datasetIds(), call.url)
    const datasets = items.map(show).map(({ kind, id: full, datasetReference, location: where, labels }) => ({
      kind,
      id: full,
      datasetReference,
      location: where,
      labels,
    }))
    return {
      kind: 'bigquery#datasetList',
      etag: '""',
      ...(datasets.length > 0 ? { datasets } : {}),
      nextPageToken,
    }
  }
  return [
    { method: 'POST', path, handler: insert },
    { method: 'GET', path, handler: list },
    { method: 'GET', path: `${path}/:dataset`, handler: call => show(id(call)) },
    { method: 'PATCH', path: `${path}/:dataset`, handler: change(true) },
    { method: 'PUT', path: `${path}/:dataset`, handler: change(false) },
    { method: 'DELETE', path: `${path}/:dataset`, handler: remove },
  ]
}
