/** The connectors that are served: each is one REST method of BigQuery, Cloud Storage or Pub/Sub. */

export type ServiceName = 'bigquery' | 'storage' | 'pubsub'

export interface ConnectorMethod {
  readonly name: string
  readonly service: ServiceName
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{arg}` is filled percent-encoded, `{+arg}` as it is. */
  readonly path: string
  readonly query: readonly string[]
  readonly hasBody: boolean
  /** Waits for the BigQuery job to be done and answers with it. */
  readonly waitsForJob?: true
}

type Line = readonly [name: string, request: string, query?: string, flags?: string]

const PAGES = 'maxResults pageToken'

/** https://cloud.google.com/workflows/docs/reference/googleapis/bigquery/Overview */
const BIGQUERY: readonly Line[] = [
  ['datasets.delete', 'DELETE /datasets/{datasetId}', 'deleteContents'],
  ['datasets.get', 'GET /datasets/{datasetId}'],
  ['datasets.insert', 'POST /datasets', '', 'body'],
  ['datasets.list', 'GET /datasets', `all filter ${PAGES}`],
  ['datasets.patch', 'PATCH /datasets/{datasetId}', '', 'body'],
  ['datasets.update', 'PUT /datasets/{datasetId}', '', 'body'],
  ['jobs.cancel', 'POST /jobs/{jobId}/cancel', 'location'],
  ['jobs.get', 'GET /jobs/{jobId}', 'location'],
  ['jobs.getQueryResults', 'GET /queries/{jobId}', `location startIndex timeoutMs ${PAGES}`],
  ['jobs.insert', 'POST /jobs', '', 'body waits'],
  [
    'jobs.list',
    'GET /jobs',
    `allUsers minCreationTime maxCreationTime parentJobId projection stateFilter ${PAGES}`,
  ],
  ['jobs.query', 'POST /queries', '', 'body'],
  ['tabledata.insertAll', 'POST /datasets/{datasetId}/tables/{tableId}/insertAll', '', 'body'],
  ['tabledata.list', 'GET /datasets/{datasetId}/tables/{tableId}/data', `selectedFields startIndex ${PAGES}`],
  ['tables.delete', 'DELETE /datasets/{datasetId}/tables/{tableId}'],
  ['tables.get', 'GET /datasets/{datasetId}/tables/{tableId}', 'selectedFields view'],
  ['tables.insert', 'POST /datasets/{datasetId}/tables', '', 'body'],
  ['tables.list', 'GET /datasets/{datasetId}/tables', PAGES],
  ['tables.patch', 'PATCH /datasets/{datasetId}/tables/{tableId}', 'autodetect_schema', 'body'],
  ['tables.update', 'PUT /datasets/{datasetId}/tables/{tableId}', 'autodetect_schema', 'body'],
]

const PRECONDITIONS =
  'generation ifGenerationMatch ifGenerationNotMatch ifMetagenerationMatch ifMetagenerationNotMatch'

/** Object names must come encoded by `text.url_encode`, as the real connector wants them. */
const STORAGE: readonly Line[] = [
  ['objects.delete', 'DELETE /storage/v1/b/{bucket}/o/{+object}', PRECONDITIONS],
  ['objects.get', 'GET /storage/v1/b/{bucket}/o/{+object}', `alt projection ${PRECONDITIONS}`],
  [
    'objects.insert',
    'POST /upload/storage/v1/b/{bucket}/o',
    `name uploadType contentEncoding ${PRECONDITIONS}`,
    'body',
  ],
  [
    'objects.list',
    'GET /storage/v1/b/{bucket}/o',
    `delimiter prefix startOffset endOffset versions ${PAGES}`,
  ],
]

const PUBSUB: readonly Line[] = [['projects.topics.publish', 'POST /v1/{+topic}:publish', '', 'body']]

function methods(
  service: ServiceName,
  prefix: string,
  base: string,
  lines: readonly Line[],
): ConnectorMethod[] {
  return lines.map(([name, request, query = '', flags = '']) => {
    const [verb, path] = request.split(' ')
    return {
      name: `${prefix}.${name}`,
      service,
      verb: VERBS.find(each => each === verb) ?? 'GET',
      path: base + path,
      query: query.split(' ').filter(each => each !== ''),
      hasBody: flags.includes('body'),
      ...(flags.includes('waits') && { waitsForJob: true }),
    }
  })
}

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const CONNECTOR_METHODS: readonly ConnectorMethod[] = [
  ...methods('bigquery', 'googleapis.bigquery.v2', '/bigquery/v2/projects/{projectId}', BIGQUERY),
  ...methods('storage', 'googleapis.storage.v1', '', STORAGE),
  ...methods('pubsub', 'googleapis.pubsub.v1', '', PUBSUB),
]
