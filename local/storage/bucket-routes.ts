/** Buckets over JSON: create, get, list, delete. */
import type { Call, Route } from '../server.ts'
import { invalid, required, unsupported } from './errors.ts'
import { parseBucketName } from './names.ts'
import { baseUrl } from './parameters.ts'
import type { Bucket, State } from './state.ts'
import { encodeBucket } from './wire.ts'

const kept = new Set(['name', 'location', 'storageClass', 'labels', 'iamConfiguration'])

/** Features that change how a bucket behaves may be sent only when they are off. */
function isOff(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === false
  return Object.values(value).every(item => item === false || item === null || item === 0 || item === '0')
}

function parseLabels(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) throw invalid('Invalid value for labels: not a map.')
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item !== 'string') throw invalid(`Invalid value for labels.${key}: not a string.`)
      return [key, item]
    }),
  )
}

function parseBucket(body: Record<string, unknown>, project: string): Omit<Bucket, 'timeCreated'> {
  for (const [field, value] of Object.entries(body))
    if (!kept.has(field) && field !== 'kind' && !isOff(value)) throw unsupported(`the bucket field ${field}`)
  const { name, location = 'US', storageClass = 'STANDARD', labels, iamConfiguration } = body
  if (typeof name !== 'string') throw required('Required', 'parameter:name')
  if (typeof location !== 'string') throw invalid('Invalid value for location: not a string.')
  if (storageClass !== 'STANDARD') throw unsupported(`the storage class ${String(storageClass)}`)
  return {
    name: parseBucketName(name),
    project,
    location: location.toUpperCase(),
    storageClass,
    ...(labels === undefined ? {} : { labels: parseLabels(labels) }),
    ...(iamConfiguration === undefined ? {} : { iamConfiguration }),
  }
}

function requireProject(call: Call): string {
  const project = call.url.searchParams.get('project')
  if (!project) throw required('Required parameter: project', 'parameter:project')
  return project
}

async function createBucket(state: State, call: Call) {
  const bucket = parseBucket(await call.body(), requireProject(call))
  return encodeBucket(state.createBucket(bucket), baseUrl(call.request.headers.host))
}

function listBuckets(state: State, call: Call) {
  const query = call.url.searchParams
  const project = requireProject(call)
  const prefix = query.get('prefix') ?? ''
  const mine = state.buckets().filter(bucket => bucket.project === project && bucket.name.startsWith(prefix))
  const items = mine.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  // One page holds them all: the limit of a page is its server's to choose.
  return {
    kind: 'storage#buckets',
    items: items.map(bucket => encodeBucket(bucket, baseUrl(call.request.headers.host))),
  }
}

function getBucket(state: State, call: Call) {
  const { bucket } = state.shelf(call.params.bucket ?? '')
  return encodeBucket(bucket, baseUrl(call.request.headers.host))
}

/** gcloud asks this before it copies: whether folders are more than parts of names. */
function getLayout(state: State, call: Call) {
  const { bucket } = state.shelf(call.params.bucket ?? '')
  const { location, locationType } = encodeBucket(bucket, '')
  const hierarchicalNamespace = { enabled: false }
  return { kind: 'storage#storageLayout', bucket: bucket.name, location, locationType, hierarchicalNamespace }
}

/** gcloud asks for these before it deletes a bucket; none can be made here, so the list is truly empty. */
function listManagedFolders(state: State, call: Call) {
  state.shelf(call.params.bucket ?? '')
  return { kind: 'storage#managedFolders' }
}

function deleteBucket(state: State, call: Call): undefined {
  state.deleteBucket(call.params.bucket ?? '')
  call.response.writeHead(204).end()
}

export function makeBucketRoutes(state: State, root: string): Route[] {
  return [
    { method: 'POST', path: `${root}/b`, handler: call => createBucket(state, call) },
    { method: 'GET', path: `${root}/b`, handler: call => listBuckets(state, call) },
    { method: 'GET', path: `${root}/b/:bucket`, handler: call => getBucket(state, call) },
    { method: 'GET', path: `${root}/b/:bucket/storageLayout`, handler: call => getLayout(state, call) },
    {
      method: 'GET',
      path: `${root}/b/:bucket/managedFolders`,
      handler: call => listManagedFolders(state, call),
    },
    { method: 'DELETE', path: `${root}/b/:bucket`, handler: call => deleteBucket(state, call) },
  ]
}
