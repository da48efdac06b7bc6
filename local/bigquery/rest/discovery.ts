/** The API discovery document that `bq` asks for: what is served here, at our own address. */
import type { Json } from './read.ts'

type Kind = 'string' | 'integer' | 'boolean'
/** [verb, path after `projects/`, body, query parameters]; names in `+…` form are path parameters. */
type Method = readonly [
  verb: string,
  path: string,
  body: string | undefined,
  query: Readonly<Record<string, Kind>>,
]

const paging = { maxResults: 'integer', pageToken: 'string' } as const
const dataset = '{+projectId}/datasets/{+datasetId}'
const table = `${dataset}/tables/{+tableId}`
const job = '{+projectId}/jobs/{+jobId}'
const format = {
  'formatOptions.useInt64Timestamp': 'boolean',
  'formatOptions.timestampOutputFormat': 'string',
} as const

const methods: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
  projects: {
    list: ['GET', '', undefined, paging],
    getServiceAccount: ['GET', '{+projectId}/serviceAccount', undefined, {}],
  },
  datasets: {
    get: ['GET', dataset, undefined, { datasetView: 'string', accessPolicyVersion: 'integer' }],
    insert: ['POST', '{+projectId}/datasets', 'Dataset', { accessPolicyVersion: 'integer' }],
    list: ['GET', '{+projectId}/datasets', undefined, { ...paging, all: 'boolean', filter: 'string' }],
    patch: ['PATCH', dataset, 'Dataset', { updateMode: 'string', accessPolicyVersion: 'integer' }],
    update: ['PUT', dataset, 'Dataset', { updateMode: 'string', accessPolicyVersion: 'integer' }],
    delete: ['DELETE', dataset, undefined, { deleteContents: 'boolean' }],
  },
  tables: {
    get: ['GET', table, undefined, { selectedFields: 'string', view: 'string' }],
    insert: ['POST', `${dataset}/tables`, 'Table', {}],
    list: ['GET', `${dataset}/tables`, undefined, paging],
    patch: ['PATCH', table, 'Table', { autodetect_schema: 'boolean' }],
    update: ['PUT', table, 'Table', { autodetect_schema: 'boolean' }],
    delete: ['DELETE', table, undefined, {}],
  },
  tabledata: {
    list: [
      'GET',
      `${table}/data`,
      undefined,
      { ...paging, ...format, startIndex: 'string', selectedFields: 'string' },
    ],
  },
  jobs: {
    get: ['GET', job, undefined, { location: 'string' }],
    insert: ['POST', '{+projectId}/jobs', 'Job', {}],
    list: [
      'GET',
      '{+projectId}/jobs',
      undefined,
      {
        ...paging,
        allUsers: 'boolean',
        projection: 'string',
        stateFilter: 'string',
        minCreationTime: 'string',
        maxCreationTime: 'string',
        parentJobId: 'string',
      },
    ],
    cancel: ['POST', `${job}/cancel`, undefined, { location: 'string' }],
    query: ['POST', '{+projectId}/queries', 'QueryRequest', {}],
    getQueryResults: [
      'GET',
      '{+projectId}/queries/{+jobId}',
      undefined,
      { ...paging, ...format, startIndex: 'string', timeoutMs: 'integer', location: 'string' },
    ],
  },
}

const mediaUpload = {
  accept: ['*/*'],
  protocols: { simple: { multipart: true, path: '/upload/bigquery/v2/projects/{+projectId}/jobs' } },
}

function describeMethod(id: string, [verb, path, body, query]: Method): Json {
  const inPath = [...path.matchAll(/\{\+(\w+)\}/g)].map(match => match[1] ?? '')
  const located = inPath.map(name => [name, { type: 'string', location: 'path', required: true }] as const)
  const asked = Object.entries(query).map(([name, type]) => [name, { type, location: 'query' }] as const)
  return {
    id: `bigquery.${id}`,
    path: `projects/${path}`.replace(/\/$/, ''),
    httpMethod: verb,
    parameters: Object.fromEntries([...located, ...asked]),
    parameterOrder: inPath,
    ...(body === undefined ? {} : { request: { $ref: body } }),
    // `bq` passes `media_body` to every job insert, and its library takes that only where uploads are declared.
    ...(body === 'Job' ? { supportsMediaUpload: true, mediaUpload } : {}),
    response: { $ref: 'Answer' },
  }
}

export function discoveryDocument(url: string): Json {
  const resources = Object.entries(methods).map(([resource, list]) => {
    const described = Object.entries(list).map(([name, method]) => [
      name,
      describeMethod(`${resource}.${name}`, method),
    ])
    return [resource, { methods: Object.fromEntries(described) }]
  })
  const schemas = ['Dataset', 'Table', 'Job', 'QueryRequest', 'Answer'].map(id => [
    id,
    { id, type: 'object', properties: {} },
  ])
  return {
    kind: 'discovery#restDescription',
    discoveryVersion: 'v1',
    id: 'bigquery:v2',
    name: 'bigquery',
    version: 'v2',
    title: 'BigQuery API, embedded',
    protocol: 'rest',
    rootUrl: `${url}/`,
    servicePath: 'bigquery/v2/',
    baseUrl: `${url}/bigquery/v2/`,
    basePath: '/bigquery/v2/',
    batchPath: 'batch/bigquery/v2',
    parameters: Object.fromEntries(
      ['alt', 'fields', 'key', 'oauth_token', 'prettyPrint', 'quotaUser', 'userIp'].map(name => [
        name,
        { type: 'string', location: 'query' },
      ]),
    ),
    schemas: Object.fromEntries(schemas),
    resources: Object.fromEntries(resources),
  }
}
