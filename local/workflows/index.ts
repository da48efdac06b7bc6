/** Cloud Workflows on a laptop: the REST APIs and an interpreter of the YAML. */
import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from '../server.ts'
import type { Clock, Service } from '../service.ts'
import { type Endpoints, makeConnectors } from './connectors/index.ts'
import { Execution } from './execution.ts'
import type { StepReport } from './interpreter.ts'
import { encodeJson } from './json.ts'
import type { Library } from './library.ts'
import { Places } from './places.ts'
import { makeExecutionRoutes, type NewExecution } from './routes-executions.ts'
import { makeWorkflowRoutes } from './routes-workflows.ts'
import { STANDARD_LIBRARY } from './stdlib/index.ts'
import { ERRORS } from './wire.ts'

/** A step of some execution, those of subworkflows included. `execution` and `workflow` are short ids. */
export interface StepEvent extends StepReport {
  readonly execution: string
  readonly workflow: string
}

/** An entry that `sys.log` wrote; `data` is text as it is and everything else as JSON. */
export interface LogEvent {
  readonly execution: string
  readonly workflow: string
  readonly severity: string
  readonly data: string
}

export interface WorkflowsService extends Service {
  /** Tells of every step as it starts and ends; returns a function that stops it. */
  onStep(listener: (event: StepEvent) => void): () => void
  /** Tells of every `sys.log`; returns a function that stops it. */
  onLog(listener: (event: LogEvent) => void): () => void
}

export interface WorkflowsOptions {
  readonly clock: Clock
  readonly project: string
  readonly location: string
  /** Where the connectors find the other services; without trailing slashes. */
  readonly endpoints: Endpoints
  readonly port?: number
  /** Waits in place of `setTimeout`, so that a test need not. Rejects when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Timers hold at most 2^31 - 1 ms; a longer wait is made of several. */
async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  const longest = 2 ** 31 - 1
  for (let left = milliseconds; left > 0; left -= longest)
    await wait(Math.min(left, longest), undefined, { signal })
}

/** Starts the service. Its state is in memory: workflows and executions end with it. */
export async function startWorkflows(options: WorkflowsOptions): Promise<WorkflowsService> {
  const { clock, project, location, endpoints, port = 0 } = options
  const library: Library = new Map([...STANDARD_LIBRARY, ...makeConnectors(endpoints)])
  const places = new Places(project, location)
  const steps = new Set<(event: StepEvent) => void>()
  const logs = new Set<(event: LogEvent) => void>()
  const routes = [
    ...makeExecutionRoutes(places, makeStart(options, library, steps, logs)),
    ...makeWorkflowRoutes({ places, library, now: () => clock.now() }),
  ]
  const server = await startServer(routes, ERRORS, port)
  return {
    url: server.url,
    onStep: listener => subscribe(steps, listener),
    onLog: listener => subscribe(logs, listener),
    async close() {
      const running = [...places.executions()]
      for (const execution of running) execution.cancel()
      await Promise.all(running.map(execution => execution.finished))
      await server.close()
    },
  }
}

type Listeners<T> = Set<(event: T) => void>

function makeStart(
  options: WorkflowsOptions,
  library: Library,
  steps: Listeners<StepEvent>,
  logs: Listeners<LogEvent>,
) {
  const { clock, sleep = waitFor } = options
  return (begun: NewExecution): Execution => {
    const workflow = begun.revision.name.slice(begun.revision.name.lastIndexOf('/') + 1)
    const origin = { execution: begun.id, workflow }
    return new Execution({
      ...begun,
      name: `${begun.revision.name}/executions/${begun.id}`,
      library,
      now: () => clock.now(),
      sleep,
      environment: environmentOf(begun, workflow, options),
      onStep: report => {
        for (const listener of steps) listener({ ...origin, ...report })
      },
      onLog: ({ severity, data }) => {
        const text = typeof data === 'string' ? data : encodeJson(data)
        for (const listener of logs) listener({ ...origin, severity, data: text })
      },
    })
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** https://cloud.google.com/workflows/docs/reference/environment-variables */
function environmentOf(
  { id, revision }: NewExecution,
  workflow: string,
  { project, location }: WorkflowsOptions,
): ReadonlyMap<string, string> {
  const account = revision.settings.serviceAccount
  return new Map([
    ...Object.entries(revision.userEnvVars),
    ['GOOGLE_CLOUD_PROJECT_ID', project],
    // There is no real number on a laptop; this one has the form of one.
    ['GOOGLE_CLOUD_PROJECT_NUMBER', '123456789012'],
    ['GOOGLE_CLOUD_LOCATION', location],
    ['GOOGLE_CLOUD_WORKFLOW_ID', workflow],
    ['GOOGLE_CLOUD_WORKFLOW_REVISION_ID', revision.id],
    ['GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID', id],
    ['GOOGLE_CLOUD_WORKFLOW_EXECUTION_ATTEMPT', '1'],
    [
      'GOOGLE_CLOUD_SERVICE_ACCOUNT_NAME',
      typeof account === 'string' ? account : `local@${project}.iam.gserviceaccount.com`,
    ],
  ])
}
