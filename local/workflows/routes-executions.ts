/** The Workflow Executions API: starts, shows and cancels executions. */
import { randomUUID } from 'node:crypto'
import type { Call, Route } from '../server.ts'
import type { Execution } from './execution.ts'
import { parseJson } from './json.ts'
import { LIMITS } from './limits.ts'
import { type Places, pageOf } from './places.ts'
import { parseLabels, type Revision } from './state.ts'
import { ApiError, executionResource } from './wire.ts'

export interface NewExecution {
  readonly id: string
  readonly revision: Revision
  readonly argument: string
  readonly labels: Readonly<Record<string, string>>
  readonly callLogLevel: string | undefined
}

const FIELDS = ['argument', 'labels', 'callLogLevel', 'executionHistoryLevel']

type Start = (execution: NewExecution) => Execution

export function makeExecutionRoutes(places: Places, start: Start): readonly Route[] {
  const base = '/v1/projects/:project/locations/:location/workflows/:workflow/executions'
  const show = (call: Call) => executionResource(places.executionOf(call), viewOf(call, 'FULL'))
  return [
    { method: 'POST', path: base, handler: makeCreate(places, start) },
    { method: 'GET', path: base, handler: makeList(places) },
    { method: 'GET', path: `${base}/:execution`, handler: show },
    { method: 'POST', path: `${base}/:execution\\:cancel`, handler: makeCancel(places) },
  ]
}

function makeCreate(places: Places, start: Start) {
  return async (call: Call) => {
    const body = await call.body()
    const { revision, executions } = places.workflowOf(call)
    const unknown = Object.keys(body).find(key => !FIELDS.includes(key))
    if (unknown !== undefined)
      throw new ApiError('INVALID_ARGUMENT', `Execution.${unknown} is not served here`)
    const id = randomUUID()
    const level = body.callLogLevel
    const execution = start({
      id,
      revision,
      argument: parseArgument(body.argument),
      labels: parseLabels(body.labels),
      callLogLevel: typeof level === 'string' ? level : undefined,
    })
    executions.set(id, execution)
    return executionResource(execution, 'FULL')
  }
}

function makeCancel(places: Places) {
  return (call: Call) => {
    const execution = places.executionOf(call)
    if (!execution.cancel()) {
      throw new ApiError('FAILED_PRECONDITION', `execution ${execution.name} has already ended`)
    }
    return executionResource(execution, 'FULL')
  }
}

/** Newest first. */
function makeList(places: Places) {
  return (call: Call) => {
    const view = viewOf(call, 'BASIC')
    const all = [...places.workflowOf(call).executions.values()].reverse()
    const { items, nextPageToken } = pageOf(all, call.url)
    return { executions: items.map(execution => executionResource(execution, view)), ...nextPageToken }
  }
}

function viewOf(call: Call, fallback: 'BASIC' | 'FULL'): 'BASIC' | 'FULL' {
  const view = call.url.searchParams.get('view') ?? ''
  if (view === 'BASIC' || view === 'FULL') return view
  if (view === '' || view === 'EXECUTION_VIEW_UNSPECIFIED') return fallback
  throw new ApiError('INVALID_ARGUMENT', `view ${view} is not one of BASIC and FULL`)
}

/** JSON text of at most 32 KB; none is `null`. */
function parseArgument(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'null'
  if (typeof value !== 'string')
    throw new ApiError('INVALID_ARGUMENT', 'Execution.argument must be a string of JSON')
  if (Buffer.byteLength(value) > LIMITS.argumentBytes) {
    throw new ApiError(
      'INVALID_ARGUMENT',
      `Execution.argument is larger than 32 KB (${LIMITS.argumentBytes} bytes)`,
    )
  }
  try {
    parseJson(value)
    return value
  } catch {
    throw new ApiError('INVALID_ARGUMENT', 'Execution.argument is not valid JSON')
  }
}
