/** Freshet as it is deployed, in the embedded cloud: every call passes a recorder of the account that makes it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BigQuery } from '@google-cloud/bigquery'
import { Encodings, PubSub, SchemaTypes } from '@google-cloud/pubsub'
import { Storage } from '@google-cloud/storage'
import { FUNCTION_ENV, FUNCTIONS, WORKFLOW_ENV } from '../../../functions/names.ts'
import { type FunctionKey, makeNames, partOf } from '../../../infra/names.ts'
import { FEEDS_FOLDER } from '../../../infra/pipeline/bundle.ts'
import { readFeeds } from '../../../infra/read-feeds.ts'
import { ACCOUNT_OF } from '../../../infra/roles.ts'
import { stagingTableOf } from '../../../infra/staging-table.ts'
import { startBigQuery } from '../../../local/bigquery/index.ts'
import { makeTrigger } from '../../../local/events.ts'
import { startPubSub } from '../../../local/pubsub/index.ts'
import { type Service, systemClock } from '../../../local/service.ts'
import { startStorage } from '../../../local/storage/index.ts'
import { startWorkflows } from '../../../local/workflows/index.ts'
import { ROOT } from '../run-program.ts'
import { type RunningFunction, startFunction, unpackArchive } from './archive.ts'
import { type Call, startGrpcRecorder, startRecorder } from './recorder.ts'

const project = 'shop-test'
const location = 'us-central1'
export const NAMES = makeNames({ project, prefix: 'freshet-test' })
const KEYS = Object.keys(FUNCTIONS) as FunctionKey[]

async function startServices(folder: string) {
  mkdirSync(folder, { recursive: true })
  process.env.METADATA_SERVER_DETECTION = 'none'
  const place = { clock: systemClock, project, location }
  const storage = await startStorage({ dir: join(folder, 'storage'), clock: systemClock })
  const bigquery = await startBigQuery({
    dir: join(folder, 'bigquery'),
    objects: storage.files,
    ...place,
    memoryLimit: '1GB',
  })
  const pubsub = await startPubSub(place)
  return { storage, bigquery, pubsub }
}
type Services = Awaited<ReturnType<typeof startServices>>

/** What the Pulumi program makes: buckets, datasets, staging tables with its own schema, the topic. */
async function provision({ storage, bigquery, pubsub }: Services, feedsDir: string) {
  const clients = {
    storage: new Storage({ projectId: project, apiEndpoint: storage.url }),
    bigquery: new BigQuery({ projectId: project, location, apiEndpoint: bigquery.url }),
  }
  for (const name of [NAMES.inbox, NAMES.state]) await clients.storage.createBucket(name, { location })
  const { feeds } = readFeeds(feedsDir)
  const serving = feeds.map(({ table }) => table.datasetId)
  for (const id of new Set([NAMES.landing, NAMES.staging, ...serving]))
    await clients.bigquery.createDataset(id, { location })
  for (const feed of feeds) {
    const { tableId, schema, timePartitioning, clusterings, labels } = stagingTableOf(feed)
    await clients.bigquery.dataset(NAMES.staging).createTable(tableId, {
      schema: { fields: JSON.parse(schema) },
      labels,
      ...(timePartitioning && {
        timePartitioning: { ...timePartitioning, expirationMs: String(timePartitioning.expirationMs) },
      }),
      ...(clusterings && { clustering: { fields: clusterings } }),
    })
  }
  const topics = new PubSub({ projectId: project, apiEndpoint: new URL(pubsub.url).host })
  await topics.createSchema(
    NAMES.topic,
    SchemaTypes.Avro,
    readFileSync(join(ROOT, 'functions/message.avsc'), 'utf8'),
  )
  const schema = `projects/${project}/schemas/${NAMES.topic}`
  await topics.createTopic({ name: NAMES.topic, schemaSettings: { schema, encoding: Encodings.Json } })
  await topics.close()
  return clients
}

/** The environment that the Pulumi program gives, and the way to the recorders. */
function environment(urls: { storage: string; bigquery: string; pubsub: string; workflows: string }) {
  return {
    [FUNCTION_ENV.project]: project,
    [FUNCTION_ENV.location]: location,
    [FUNCTION_ENV.region]: location,
    [FUNCTION_ENV.inbox]: NAMES.inbox,
    [FUNCTION_ENV.state]: NAMES.state,
    [FUNCTION_ENV.landing]: NAMES.landing,
    [FUNCTION_ENV.staging]: NAMES.staging,
    [FUNCTION_ENV.topic]: NAMES.topic,
    [FUNCTION_ENV.workflow]: NAMES.workflow,
    [FUNCTION_ENV.applyWorkflow]: NAMES.applyWorkflow,
    [FUNCTION_ENV.feeds]: FEEDS_FOLDER,
    FRESHET_STORAGE_ENDPOINT: urls.storage,
    FRESHET_BIGQUERY_ENDPOINT: urls.bigquery,
    FRESHET_WORKFLOWS_ENDPOINT: urls.workflows,
    PUBSUB_EMULATOR_HOST: new URL(urls.pubsub).host,
    METADATA_SERVER_DETECTION: 'none',
  }
}

export async function startDeployment(folder: string, feedsDir: string) {
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.splice(0)) await end()
  }
  try {
    return { ...(await deploy(folder, feedsDir, ends)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function deploy(folder: string, feedsDir: string, ends: (() => unknown)[]) {
  const calls: Call[] = []
  const keep = <T extends { close(): unknown }>(one: T): T => {
    ends.unshift(() => one.close())
    return one
  }
  const source = join(folder, 'source')
  await unpackArchive(source, feedsDir)
  const services = await startServices(join(folder, 'cloud'))
  for (const service of Object.values(services) as Service[]) keep(service)
  const clients = await provision(services, feedsDir)
  const record = async (account: string, target: () => string) =>
    keep(await startRecorder(account, target, calls)).url
  const endpoints = {
    storage: await record('refresh', () => services.storage.url),
    bigquery: await record('refresh', () => services.bigquery.url),
    pubsub: await record('refresh', () => services.pubsub.url),
  }
  const workflows = keep(await startWorkflows({ clock: systemClock, project, location, endpoints }))

  const start = async (key: FunctionKey): Promise<RunningFunction> => {
    const account = ACCOUNT_OF[key]
    const made = await startFunction(
      source,
      FUNCTIONS[key],
      environment({
        storage: await record(account, () => services.storage.url),
        bigquery: await record(account, () => services.bigquery.url),
        workflows: await record(account, () => workflows.url),
        pubsub: keep(await startGrpcRecorder(account, services.pubsub.url, calls)).url,
      }),
    )
    ends.unshift(made.stop)
    return made
  }
  const functions = new Map<FunctionKey, RunningFunction>()
  await Promise.all(KEYS.map(async key => functions.set(key, await start(key))))
  const urlOf = (key: FunctionKey) => functions.get(key)?.url ?? ''
  /** The address by which `account` calls a function. */
  const callable = async (account: string, key: FunctionKey) =>
    `${await record(account, () => urlOf(key))}/run:${partOf(key)}`

  const trigger = keep(
    makeTrigger({ url: await callable('trigger', 'onObject'), clock: systemClock, log: () => {} }),
  )
  services.storage.onFinalize(object => object.bucket === NAMES.inbox && trigger.deliver(object))
  const sweepUrl = await callable('scheduler', 'sweep')
  return {
    clients,
    calls,
    /** Every line that the functions have written. */
    lines: () => [...functions.values()].flatMap(one => one.lines()),
    sweep: async () =>
      (await fetch(sweepUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }))
        .status,
    /** Puts the workflow where the functions look for it. */
    async deployWorkflow() {
      const userEnvVars = {
        [WORKFLOW_ENV.plan]: await callable('refresh', 'plan'),
        [WORKFLOW_ENV.verify]: await callable('refresh', 'verify'),
        [WORKFLOW_ENV.complete]: await callable('refresh', 'complete'),
        [WORKFLOW_ENV.fail]: await callable('refresh', 'fail'),
        [WORKFLOW_ENV.topic]: NAMES.topic,
      }
      const url = `${workflows.url}/v1/projects/${project}/locations/${location}/workflows?workflowId=${NAMES.workflow}`
      const body = JSON.stringify({
        sourceContents: readFileSync(join(ROOT, 'workflows/refresh.yaml'), 'utf8'),
        userEnvVars,
      })
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (!answer.ok) throw new Error(await answer.text())
    },
  }
}
export type Deployment = Awaited<ReturnType<typeof startDeployment>>
