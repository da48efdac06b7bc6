/** The Workflows API: deploys, shows and deletes workflows. */
import type { Call, Route } from '../server.ts'
import type { Library } from './library.ts'
import { type Places, pageOf } from './places.ts'
import { makeRevision, type Revision } from './state.ts'
import { ApiError, operationResource, workflowResource } from './wire.ts'

const WORKFLOW = 'type.googleapis.com/google.cloud.workflows.v1.Workflow'
const EMPTY = 'type.googleapis.com/google.protobuf.Empty'

export function makeWorkflowRoutes(places: Places, library: Library, now: () => number): readonly Route[] {
  const operations = new Map<string, unknown>()
  let count = 0
  const finish = (parent: string, target: string, verb: string, response: Record<string, unknown>) => {
    const name = `${parent}/operations/operation-${now()}-${++count}`
    const operation = operationResource(name, target, verb, response)
    operations.set(name, operation)
    return operation
  }
  const deployed = (parent: string, verb: string, revision: Revision) =>
    finish(parent, revision.name, verb, { '@type': WORKFLOW, ...workflowResource(revision, true) })

  const create = async (call: Call) => {
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
    return deployed(parent, 'create', revision)
  }

  const update = async (call: Call) => {
    const workflow = places.workflowOf(call)
    const body = masked(await call.body(), call.url.searchParams.get('updateMask'))
    const { name } = workflow.revision
    workflow.revision = makeRevision({ name, body, previous: workflow.revision, library, now: now() })
    return deployed(places.parentOf(call), 'update', workflow.revision)
  }

  const remove = (call: Call) => {
    const { revision, executions } = places.workflowOf(call)
    for (const execution of executions.values()) execution.cancel()
    places.workflows.delete(call.params.workflow ?? '')
    return finish(places.parentOf(call), revision.name, 'delete', { '@type': EMPTY })
  }

  const list = (call: Call) => {
    places.parentOf(call)
    const { items, nextPageToken } = pageOf([...places.workflows.values()], call.url)
    return { workflows: items.map(({ revision }) => workflowResource(revision, false)), ...nextPageToken }
  }

  const operation = (call: Call) => {
    const name = `${places.parentOf(call)}/operations/${call.params.operation}`
    const found = operations.get(name)
    if (found === undefined) throw new ApiError('NOT_FOUND', `operation ${name} is not found`)
    return found
  }

  const base = '/v1/projects/:project/locations/:location'
  return [
    { method: 'POST', path: `${base}/workflows`, handler: create },
    { method: 'GET', path: `${base}/workflows`, handler: list },
    {
      method: 'GET',
      path: `${base}/workflows/:workflow`,
      handler: call => workflowResource(places.workflowOf(call).revision, true),
    },
    { method: 'PATCH', path: `${base}/workflows/:workflow`, handler: update },
    { method: 'DELETE', path: `${base}/workflows/:workflow`, handler: remove },
    { method: 'GET', path: `${base}/operations/:operation`, handler: operation },
  ]
}

/** Only the fields that the mask names, in either spelling; all of them when there is no mask. */
function masked(body: Record<string, unknown>, mask: string | null): Record<string, unknown> {
  if (mask === null) return body
  const names = mask
    .split(',')
    .map(name => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return Object.fromEntries(Object.entries(body).filter(([key]) => names.includes(key)))
}
