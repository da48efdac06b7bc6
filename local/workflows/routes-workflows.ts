/** The Workflows API: deploys, shows and deletes workflows. */
import type { Call, Route } from '../server.ts'
import type { Library } from './library.ts'
import { type Places, pageOf } from './places.ts'
import { makeRevision, type Revision } from './state.ts'
import { ApiError, operationResource, workflowResource } from './wire.ts'

const WORKFLOW = 'type.googleapis.com/google.cloud.workflows.v1.Workflow'
const EMPTY = 'type.googleapis.com/google.protobuf.Empty'

export interface WorkflowRoutesOptions {
  readonly places: Places
  readonly library: Library
  readonly now: () => number
}

export function makeWorkflowRoutes(options: WorkflowRoutesOptions): readonly Route[] {
  const { places } = options
  const operations = new Operations(options)
  const base = '/v1/projects/:project/locations/:location'
  const show = (call: Call) => workflowResource(places.workflowOf(call).revision, true)
  return [
    { method: 'POST', path: `${base}/workflows`, handler: makeCreate(options, operations) },
    { method: 'GET', path: `${base}/workflows`, handler: makeList(places) },
    { method: 'GET', path: `${base}/workflows/:workflow`, handler: show },
    { method: 'PATCH', path: `${base}/workflows/:workflow`, handler: makeUpdate(options, operations) },
    { method: 'DELETE', path: `${base}/workflows/:workflow`, handler: makeDelete(places, operations) },
    { method: 'GET', path: `${base}/operations/:operation`, handler: call => operations.get(call) },
  ]
}

/** Deploying is done before it is answered, but clients ask for its operation all the same. */
class Operations {
  readonly #options: WorkflowRoutesOptions
  readonly #finished = new Map<string, unknown>()

  constructor(options: WorkflowRoutesOptions) {
    this.#options = options
  }

  finish(target: string, verb: string, response: Record<string, unknown>): unknown {
    const { places, now } = this.#options
    const name = `${places.parent}/operations/operation-${now()}-${this.#finished.size + 1}`
    const operation = operationResource(name, target, verb, response)
    this.#finished.set(name, operation)
    return operation
  }

  deployed(verb: string, revision: Revision): unknown {
    return this.finish(revision.name, verb, { '@type': WORKFLOW, ...workflowResource(revision, true) })
  }

  get(call: Call): unknown {
    const name = `${this.#options.places.parentOf(call)}/operations/${call.params.operation}`
    const found = this.#finished.get(name)
    if (found === undefined) throw new ApiError('NOT_FOUND', `operation ${name} is not found`)
    return found
  }
}

function makeCreate({ places, library, now }: WorkflowRoutesOptions, operations: Operations) {
  return async (call: Call) => {
    const parent = places.parentOf(call)
    const id = call.url.searchParams.get('workflowId') ?? ''
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(id)) {
      throw new ApiError('INVALID_ARGUMENT', `workflowId "${id}" is not a workflow id`)
    }
    const name = `${parent}/workflows/${id}`
    const body = await call.body()
    if (places.workflows.has(id)) throw new ApiError('ALREADY_EXISTS', `workflow ${name} already exists`)
    const revision = makeRevision({ name, body, previous: undefined, library, now: now() })
    places.workflows.set(id, { revision, executions: new Map() })
    return operations.deployed('create', revision)
  }
}

function makeUpdate({ places, library, now }: WorkflowRoutesOptions, operations: Operations) {
  return async (call: Call) => {
    const body = masked(await call.body(), call.url.searchParams.get('updateMask'))
    const workflow = places.workflowOf(call)
    const { name } = workflow.revision
    workflow.revision = makeRevision({ name, body, previous: workflow.revision, library, now: now() })
    return operations.deployed('update', workflow.revision)
  }
}

function makeDelete(places: Places, operations: Operations) {
  return (call: Call) => {
    const { revision, executions } = places.workflowOf(call)
    for (const execution of executions.values()) execution.cancel()
    places.workflows.delete(call.params.workflow ?? '')
    return operations.finish(revision.name, 'delete', { '@type': EMPTY })
  }
}

function makeList(places: Places) {
  return (call: Call) => {
    places.parentOf(call)
    const { items, nextPageToken } = pageOf([...places.workflows.values()], call.url)
    return { workflows: items.map(({ revision }) => workflowResource(revision, false)), ...nextPageToken }
  }
}

/** Only the fields that the mask names, in either spelling; all of them when there is no mask. */
function masked(body: Record<string, unknown>, mask: string | null): Record<string, unknown> {
  if (mask === null) return body
  const names = mask
    .split(',')
    .map(name => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return Object.fromEntries(Object.entries(body).filter(([key]) => names.includes(key)))
}
