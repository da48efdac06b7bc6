/** Finds the workflow and execution that a URL names, in the one project and location served here. */
import type { Call } from '../server.ts'
import type { Execution } from './execution.ts'
import type { Deployed } from './state.ts'
import { ApiError } from './wire.ts'

export class Places {
  readonly workflows = new Map<string, Deployed>()
  readonly #project: string
  readonly #location: string

  constructor(project: string, location: string) {
    this.#project = project
    this.#location = location
  }

  get parent(): string {
    return `projects/${this.#project}/locations/${this.#location}`
  }

  parentOf(call: Call): string {
    const { project, location } = call.params
    if (project === this.#project && location === this.#location) return this.parent
    throw new ApiError(
      'NOT_FOUND',
      `projects/${project}/locations/${location} is not served here, only ${this.parent}`,
    )
  }

  workflowOf(call: Call): Deployed {
    const name = `${this.parentOf(call)}/workflows/${call.params.workflow}`
    const workflow = this.workflows.get(call.params.workflow ?? '')
    if (workflow === undefined) throw new ApiError('NOT_FOUND', `workflow ${name} is not found`)
    return workflow
  }

  executionOf(call: Call): Execution {
    const id = call.params.execution ?? ''
    const { executions, revision } = this.workflowOf(call)
    const execution = executions.get(id)
    if (execution === undefined)
      throw new ApiError('NOT_FOUND', `execution ${revision.name}/executions/${id} is not found`)
    return execution
  }

  *executions(): Iterable<Execution> {
    for (const workflow of this.workflows.values()) yield* workflow.executions.values()
  }
}

/** One page of a list. Filters and orders are refused: the answer would be wrong without them. */
export function pageOf<T>(all: readonly T[], url: URL): { items: readonly T[]; nextPageToken: object } {
  for (const name of ['filter', 'orderBy']) {
    if (url.searchParams.get(name)) throw new ApiError('UNIMPLEMENTED', `${name} is not served here`)
  }
  const size = Number(url.searchParams.get('pageSize') ?? 0)
  const start = Number(url.searchParams.get('pageToken') || 0)
  if (!Number.isInteger(size) || size < 0)
    throw new ApiError('INVALID_ARGUMENT', 'pageSize must be 0 or more')
  if (!Number.isInteger(start) || start < 0)
    throw new ApiError('INVALID_ARGUMENT', 'pageToken is not one of ours')
  const end = start + (size === 0 ? 1000 : Math.min(size, 1000))
  return {
    items: all.slice(start, end),
    nextPageToken: end < all.length ? { nextPageToken: String(end) } : {},
  }
}
