/** The embedded cloud: four services on loopback ports over one folder, and what points clients at them. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { startBigQuery } from './bigquery/index.ts'
import { makeTrigger, type Trigger } from './events.ts'
import { lockFolder } from './folder-lock.ts'
import { openOutbox } from './outbox.ts'
import { startPubSub } from './pubsub/index.ts'
import { type Clock, type Service, systemClock } from './service.ts'
import { startStorage } from './storage/index.ts'
import { startWorkflows } from './workflows/index.ts'

export interface CloudOptions {
  /** Buckets and tables live here and are there again at the next start. Topics, subscriptions and executions are not. */
  readonly dir: string
  readonly project?: string
  readonly location?: string
  readonly clock?: Clock
  /** A service without a port gets a free one. */
  readonly ports?: {
    readonly storage?: number
    readonly bigquery?: number
    readonly pubsub?: number
    readonly workflows?: number
  }
  readonly bigquery?: {
    readonly memoryLimit?: string
    readonly threads?: number
    readonly applies?: 'when told'
  }
  /** Told of events that could not be delivered yet. */
  readonly log?: (line: string) => void
}

export type Cloud = Awaited<ReturnType<typeof startCloud>>

type Urls = Readonly<Record<'storage' | 'bigquery' | 'pubsub' | 'workflows', string>>

/** The lines that make our own code and the official clients use these services. */
function clientEnv(project: string, urls: Urls) {
  return {
    GOOGLE_CLOUD_PROJECT: project,
    FRESHET_STORAGE_ENDPOINT: urls.storage,
    FRESHET_BIGQUERY_ENDPOINT: urls.bigquery,
    FRESHET_BIGQUERY_STORAGE_ENDPOINT: urls.bigquery,
    FRESHET_WORKFLOWS_ENDPOINT: urls.workflows,
    PUBSUB_EMULATOR_HOST: new URL(urls.pubsub).host,
    METADATA_SERVER_DETECTION: 'none',
  }
}

/** The lines that make gcloud use them, without a login. */
function toolEnv(project: string, urls: Urls) {
  return {
    CLOUDSDK_CORE_PROJECT: project,
    CLOUDSDK_AUTH_DISABLE_CREDENTIALS: 'true',
    CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: `${urls.storage}/storage/v1/`,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB: `${urls.pubsub}/`,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_WORKFLOWEXECUTIONS: `${urls.workflows}/`,
  }
}

/** Ends things in the reverse order of their start, once, and all of them even when one fails. */
function makeEnding() {
  const endings: Array<() => Promise<void> | void> = []
  let ended: Promise<void> | undefined
  async function endAll(): Promise<void> {
    const problems: unknown[] = []
    for (const end of endings.toReversed())
      try {
        await end()
      } catch (error) {
        problems.push(error)
      }
    if (problems.length > 0) throw new AggregateError(problems, 'The embedded cloud did not close cleanly.')
  }
  return {
    add: (end: () => Promise<void> | void) => void endings.push(end),
    end: () => (ended ??= endAll()),
  }
}

type Ending = ReturnType<typeof makeEnding>

async function startServices(
  options: CloudOptions,
  dir: string,
  project: string,
  location: string,
  ending: Ending,
) {
  const { clock = systemClock, ports = {}, bigquery: engine = {} } = options
  const keep = <T extends Service>(service: T): T => {
    ending.add(() => service.close())
    return service
  }
  const port = (name: keyof Urls) => (ports[name] === undefined ? {} : { port: ports[name] })
  const storage = keep(await startStorage({ dir: join(dir, 'storage'), clock, ...port('storage') }))
  const place = { clock, project, location }
  const objects = storage.files
  const bigquery = keep(
    await startBigQuery({ dir: join(dir, 'bigquery'), objects, ...place, ...engine, ...port('bigquery') }),
  )
  const pubsub = keep(await startPubSub({ clock, project, ...port('pubsub') }))
  const endpoints = { bigquery: bigquery.url, storage: storage.url, pubsub: pubsub.url }
  const workflows = keep(await startWorkflows({ ...place, endpoints, ...port('workflows') }))
  return { storage, bigquery, workflows, urls: { ...endpoints, workflows: workflows.url } }
}

/** The outbox knows a trigger's address by its path: ports change between starts. */
function outboxOf(dir: string, bucket: string, url: string) {
  const path = createHash('sha256').update(new URL(url).pathname).digest('hex').slice(0, 8)
  return openOutbox(join(dir, 'events', bucket, path))
}

/** Starts the four services. Throws, with nothing left running, when one cannot start or the folder is in use. */
export async function startCloud(options: CloudOptions) {
  const { project = 'freshet-local', location = 'US', clock = systemClock, log = () => {} } = options
  const dir = resolve(options.dir)
  const ending = makeEnding()
  ending.add(lockFolder(dir))
  try {
    const { storage, bigquery, workflows, urls } = await startServices(
      options,
      dir,
      project,
      location,
      ending,
    )
    return {
      project,
      location,
      dir,
      urls,
      storage,
      bigquery,
      workflows,
      env: clientEnv(project, urls),
      toolEnv: toolEnv(project, urls),
      /** Delivers finalized objects of `bucket` to `url`, and first what an earlier process could not deliver. */
      addTrigger({ bucket, url }: { bucket: string; url: string }): Trigger {
        const trigger = makeTrigger({ url, clock, log, outbox: outboxOf(dir, bucket, url) })
        storage.onFinalize(object => object.bucket === bucket && trigger.deliver(object))
        ending.add(() => trigger.close())
        return trigger
      },
      /** Ends everything, the first call's promise serving all later ones. */
      close: () => ending.end(),
    }
  } catch (error) {
    await ending.end()
    throw error
  }
}
