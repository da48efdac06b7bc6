/** What a call needs: permission and place, read off the calls that were seen. And what the roles in use allow. */
import { z } from 'zod'
import type { Place } from '../../../infra/roles.ts'
import { NAMES } from './deployment.ts'
import type { Call } from './recorder.ts'

export interface Need {
  readonly account: string
  readonly permission: string
  readonly on: string
}

/** cloud.google.com/iam/docs/roles-permissions: the part of each role that is of interest here. */
const objects = (...actions: string[]) => actions.map(action => `storage.objects.${action}`)
const tables = (...actions: string[]) => actions.map(action => `bigquery.tables.${action}`)
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  'roles/storage.objectViewer': objects('get', 'list'),
  'roles/storage.objectUser': objects('get', 'list', 'create', 'update', 'delete'),
  'roles/bigquery.metadataViewer': ['bigquery.datasets.get', ...tables('get', 'list')],
  'roles/bigquery.dataEditor': tables(
    'get',
    'list',
    'create',
    'delete',
    'getData',
    'update',
    'updateData',
    'createSnapshot',
  ),
  'roles/bigquery.jobUser': ['bigquery.jobs.create'],
  'roles/pubsub.publisher': ['pubsub.topics.publish'],
  'roles/workflows.invoker': ['workflows.executions.create'],
  'roles/run.invoker': ['run.routes.invoke'],
  'custom:jobReader': ['bigquery.jobs.get'],
  'custom:policyReader': ['bigquery.rowAccessPolicies.list'],
  'custom:snapshotExpirer': ['bigquery.tables.deleteSnapshot'],
}

const placeOfDataset = (id: string): Place =>
  id === NAMES.landing ? 'landing' : id === NAMES.staging ? 'staging' : 'serving'

function placeOfObject(bucket: string, name: string): string {
  if (bucket === NAMES.state) return 'state'
  return name.startsWith('_freshet/') ? 'inbox-lists' : 'inbox'
}

const job = z.object({
  configuration: z.object({
    load: z.unknown().optional(),
    copy: z.unknown().optional(),
    query: z
      .object({ query: z.string(), destinationTable: z.object({ datasetId: z.string() }).optional() })
      .optional(),
  }),
})

/** The statements that the planner makes; another one would have to be understood here first. */
const STATEMENTS: readonly [RegExp, readonly string[]][] = [
  [/^CREATE TABLE IF NOT EXISTS/, tables('create')],
  [/^CREATE SNAPSHOT TABLE/, tables('createSnapshot', 'create', 'getData', 'deleteSnapshot')],
  [/^CREATE OR REPLACE TABLE/, tables('create', 'update', 'updateData', 'getData')],
  [/^DROP TABLE/, tables('delete')],
  [/^SELECT/, tables('getData')],
]

/** Tables in backticks are where a statement works; a clone reads from one dataset and writes into another. */
function needsOfQuery(query: string, destination: string | undefined): [string, string][] {
  const statement = STATEMENTS.find(([form]) => form.test(query))
  if (!statement) throw new Error(`not understood: ${query}`)
  const datasets = [...query.matchAll(/`[^`.]+\.([^`.]+)\.[^`.]+`/g)].map(match =>
    placeOfDataset(match[1] ?? ''),
  )
  const [into, from = into] = datasets
  if (into === undefined) throw new Error(`names no table: ${query}`)
  const needs = statement[1].map((permission): [string, string] => [
    permission,
    permission.endsWith('getData') && statement[1].length > 1 && from ? from : into,
  ])
  return destination === undefined
    ? needs
    : [...needs, ['bigquery.tables.updateData', placeOfDataset(destination)]]
}

function needsOfJob(body: string): [string, string][] {
  const { load, copy, query } = job.parse(JSON.parse(body)).configuration
  const needs: [string, string][] = [['bigquery.jobs.create', 'project']]
  // A list pins the files: none of them is looked for by a wildcard. docs.cloud.google.com/bigquery/docs/batch-loading-data
  if (load) needs.push(['storage.objects.get', 'inbox'], ['bigquery.tables.updateData', 'landing'])
  if (copy) needs.push(['bigquery.tables.getData', 'landing'], ['bigquery.tables.updateData', 'staging'])
  if (query) needs.push(...needsOfQuery(query.query, query.destinationTable?.datasetId))
  return needs
}

function needsOfStorage({ method, path }: Call): [string, string][] {
  const [, upload, bucket = '', rest = '', search = ''] =
    /^(\/upload)?\/storage\/v1\/b\/([^/?]+)\/o(?:\/([^?]*))?(?:\?(.*))?$/.exec(path) ?? []
  const query = new URLSearchParams(search)
  const on = placeOfObject(bucket, decodeURIComponent(rest) || query.get('name') || query.get('prefix') || '')
  if (upload === undefined && rest === '') return [['storage.objects.list', on]]
  if (upload === undefined)
    return [[method === 'DELETE' ? 'storage.objects.delete' : 'storage.objects.get', on]]
  const fresh = query.get('ifGenerationMatch') === '0'
  return [
    ['storage.objects.create', on],
    ...(fresh ? [] : [['storage.objects.delete', on] as [string, string]]),
  ]
}

function needsOfBigQuery({ account, method, path, body }: Call): [string, string][] {
  const governed = /\/datasets\/([^/]+)\/tables\/[^/]+\/rowAccessPolicies/.exec(path)?.[1]
  if (governed !== undefined && method === 'GET')
    return [['bigquery.rowAccessPolicies.list', placeOfDataset(governed)]]
  const dataset = /\/datasets\/([^/]+)\/tables\/[^/?]+(\?|$)/.exec(path)?.[1]
  if (dataset !== undefined && method === 'GET') return [['bigquery.tables.get', placeOfDataset(dataset)]]
  const listed = /\/datasets\/([^/]+)\/tables(\?|$)/.exec(path)?.[1]
  if (listed !== undefined && method === 'GET') return [['bigquery.tables.list', placeOfDataset(listed)]]
  const found = /\/datasets\/([^/?]+)(\?|$)/.exec(path)?.[1]
  if (found !== undefined && method === 'GET') return [['bigquery.datasets.get', placeOfDataset(found)]]
  if (/\/jobs(\?|$)/.test(path) && method === 'POST') return needsOfJob(body)
  // Its own jobs an account may look at: docs.cloud.google.com/bigquery/docs/reference/rest/v2/jobs/get
  if (/\/(jobs|queries)\/[^/?]+(\?|$)/.test(path) && method === 'GET')
    return [[account === 'refresh' ? 'bigquery.jobs.create' : 'bigquery.jobs.get', 'project']]
  throw new Error(`not understood: ${method} ${path}`)
}

/** What each call needs; throws for a call that nobody has thought of yet. */
export function needsOf(call: Call): Need[] {
  const { account, path, method } = call
  const made = (needs: [string, string][]) => needs.map(([permission, on]) => ({ account, permission, on }))
  const invoked = /^\/(run:[a-z-]+)/.exec(path)?.[1]
  if (invoked !== undefined) return made([['run.routes.invoke', invoked]])
  if (path.includes('/storage/v1/')) return made(needsOfStorage(call))
  if (path.startsWith('/bigquery/v2/')) return made(needsOfBigQuery(call))
  if (path.endsWith('/Publish') || path.includes(':publish'))
    return made([['pubsub.topics.publish', 'topic']])
  if (/\/executions\??/.test(path) && method === 'POST')
    return made([['workflows.executions.create', 'project']])
  throw new Error(`not understood: ${method} ${path}`)
}
