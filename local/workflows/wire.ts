/** How the Workflows APIs speak: resources and errors as their REST references have them. */
import { BadJson, type ErrorRenderer, type WireError } from '../server.ts'
import type { Execution } from './execution.ts'
import type { Revision } from './state.ts'

const HTTP_STATUS = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
} as const

/** A refusal in Google's form. */
export class ApiError extends Error {
  readonly status: keyof typeof HTTP_STATUS
  constructor(status: keyof typeof HTTP_STATUS, message: string) {
    super(message)
    this.status = status
  }
}

function wireError(status: keyof typeof HTTP_STATUS, message: string): WireError {
  const code = HTTP_STATUS[status]
  return { status: code, body: { error: { code, message, status } } }
}

export const ERRORS: ErrorRenderer = {
  render(error) {
    if (error instanceof ApiError) return wireError(error.status, error.message)
    if (error instanceof BadJson) return wireError('INVALID_ARGUMENT', error.message)
    return wireError('INTERNAL', error instanceof Error ? error.message : String(error))
  },
  noRoute: (method, path) => wireError('NOT_FOUND', `Workflows serves nothing at ${method} ${path} here.`),
}

export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** https://cloud.google.com/workflows/docs/reference/rest/v1/projects.locations.workflows#Workflow */
export function workflowResource(revision: Revision, full: boolean): Record<string, unknown> {
  return {
    name: revision.name,
    state: 'ACTIVE',
    revisionId: revision.id,
    createTime: timestamp(revision.workflowCreated),
    updateTime: timestamp(revision.created),
    revisionCreateTime: timestamp(revision.created),
    ...revision.settings,
    ...(full && { sourceContents: revision.sourceContents }),
    userEnvVars: revision.userEnvVars,
  }
}

/** A finished long-running operation: deploying takes no time here. */
export function operationResource(
  name: string,
  target: string,
  verb: string,
  response: Record<string, unknown>,
) {
  const metadata = { '@type': 'type.googleapis.com/google.cloud.workflows.v1.OperationMetadata' }
  return { name, metadata: { ...metadata, target, verb, apiVersion: 'v1' }, done: true, response }
}

/**
 * BASIC leaves out what may be large, FULL is everything.
 * https://cloud.google.com/workflows/docs/reference/executions/rest/v1/projects.locations.workflows.executions#Execution
 */
export function executionResource(execution: Execution, view: 'BASIC' | 'FULL'): Record<string, unknown> {
  const { ended, outcome } = execution
  const basic = {
    name: execution.name,
    startTime: timestamp(execution.started),
    ...(ended !== undefined && {
      endTime: timestamp(ended),
      duration: `${((ended - execution.started) / 1000).toFixed(3)}s`,
    }),
    state: execution.state,
    workflowRevisionId: execution.revision.id,
    ...(execution.callLogLevel !== undefined && { callLogLevel: execution.callLogLevel }),
    labels: execution.labels,
  }
  if (view === 'BASIC') return basic
  return {
    ...basic,
    argument: execution.argument,
    ...(outcome?.result !== undefined && { result: outcome.result }),
    ...(outcome?.error !== undefined && { error: outcome.error }),
    status: { currentSteps: execution.currentSteps },
  }
}
