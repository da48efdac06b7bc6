/** Freshet on a laptop: the embedded cloud with everything in it that the Pulumi program makes on Google Cloud. */
import { resolve } from 'node:path'
import { FUNCTIONS, WORKFLOW_ENV } from '../functions/names.ts'
import { type Cloud, startCloud } from '../local/cloud.ts'
import { deployWorkflow } from './deploy-workflow.ts'
import { NAMES } from './laptop-names.ts'
import { deployDatasets, deployTopic, ensureBuckets } from './provision.ts'
import { readFeeds } from './read-feeds.ts'
import { startSchedule } from './schedule.ts'
import { type ServedFunctions, serveFunctions } from './serve-functions.ts'

export interface StackOptions {
  /** Where the data lives; made when it is not there. */
  readonly dir: string
  /** Folder of the feed files; read once, now. */
  readonly feedsDir: string
  /** Told of events that could not be delivered yet, and the like. */
  readonly log?: (line: string) => void
  readonly bigquery?: { readonly memoryLimit?: string; readonly threads?: number }
  readonly ports?: {
    readonly storage?: number
    readonly bigquery?: number
    readonly pubsub?: number
    readonly workflows?: number
  }
}

export interface Stack {
  readonly cloud: Cloud
  readonly feedsDir: string
  /** The environment of the functions; with it another process can do what `freshet approve` and the like do. */
  readonly env: Readonly<Record<string, string>>
  /** Addresses of the served functions, by name. */
  readonly functions: Readonly<Record<string, string>>
  /** Resolves when every object of the inbox so far has been told to `on-object`. */
  delivered(): Promise<void>
  close(): Promise<void>
}

let running = false

/**
 * Starts the embedded cloud in `dir`, deploys feeds, functions and workflow into it, and connects the inbox.
 * What is there already stays as it is. One stack a process: the functions' registry is the process's own.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  if (running) throw new Error('A stack is running in this process; close it first.')
  running = true
  const opened: Array<() => Promise<void>> = []
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end()
    running = false
  }
  try {
    return await open(options, opened, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function deployWorkflows(cloud: Cloud, urls: ServedFunctions['urls']): Promise<void> {
  await deployWorkflow(cloud, NAMES.workflow, 'refresh.yaml', {
    [WORKFLOW_ENV.plan]: urls[FUNCTIONS.plan],
    [WORKFLOW_ENV.verify]: urls[FUNCTIONS.verify],
    [WORKFLOW_ENV.complete]: urls[FUNCTIONS.complete],
    [WORKFLOW_ENV.fail]: urls[FUNCTIONS.fail],
    [WORKFLOW_ENV.topic]: NAMES.topic,
  })
  await deployWorkflow(cloud, NAMES.applyWorkflow, 'apply-changes.yaml', {
    [WORKFLOW_ENV.apply]: urls[FUNCTIONS.apply],
    [WORKFLOW_ENV.topic]: NAMES.topic,
  })
}

async function open(
  options: StackOptions,
  opened: Array<() => Promise<void>>,
  close: () => Promise<void>,
): Promise<Stack> {
  const feedsDir = resolve(options.feedsDir)
  const feeds = await readFeeds(feedsDir)
  const { feedsDir: _, ...cloudOptions } = options
  const cloud = await startCloud({ project: NAMES.project, location: NAMES.location, ...cloudOptions })
  opened.push(() => cloud.close())
  // The official clients read part of it from the process, the way to credentials first of all.
  Object.assign(process.env, cloud.env)
  await Promise.all([
    ensureBuckets(cloud, [NAMES.inbox, NAMES.state]),
    deployDatasets(cloud, feeds),
    deployTopic(cloud),
  ])
  const served = await serveFunctions(cloud, feedsDir)
  // First the cloud ends, which calls the functions, then they.
  opened.unshift(() => served.close())
  const { urls } = served
  await deployWorkflows(cloud, served.urls)
  const schedule = startSchedule(urls[FUNCTIONS.sweep])
  opened.push(() => schedule.close())
  const trigger = cloud.addTrigger({ bucket: NAMES.inbox, url: urls[FUNCTIONS.onObject] })
  return { cloud, feedsDir, env: served.env, functions: urls, delivered: () => trigger.idle(), close }
}
