/** What is deployed and what has run, in memory: it ends with the process. */
import { createHash } from 'node:crypto'
import { InvalidSource } from './errors.ts'
import type { Execution } from './execution.ts'
import type { Library } from './library.ts'
import { LIMITS } from './limits.ts'
import { parseWorkflow } from './parse.ts'
import type { Program } from './program.ts'
import { ApiError } from './wire.ts'

/** One deployed version of a workflow. An execution keeps the revision that it began with. */
export interface Revision {
  readonly name: string
  /** Such as `000002-a4d`. */
  readonly id: string
  readonly number: number
  readonly workflowCreated: number
  readonly created: number
  readonly sourceContents: string
  readonly program: Program
  readonly userEnvVars: Readonly<Record<string, string>>
  /** Fields that are kept and shown without meaning anything here. */
  readonly settings: Readonly<Record<string, unknown>>
}

export interface Deployed {
  revision: Revision
  readonly executions: Map<string, Execution>
}

const SETTINGS = ['description', 'labels', 'serviceAccount', 'callLogLevel', 'executionHistoryLevel']
const FIELDS = [...SETTINGS, 'sourceContents', 'userEnvVars']
/** Sent back by clients that read, change and write a workflow; the service sets them itself. */
const OUTPUT_ONLY = [
  'name',
  'state',
  'revisionId',
  'createTime',
  'updateTime',
  'revisionCreateTime',
  'stateError',
]

function textRecord(value: unknown, what: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ApiError('INVALID_ARGUMENT', `${what} must be an object`)
  const record: Record<string, string> = {}
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') throw new ApiError('INVALID_ARGUMENT', `${what}.${key} must be a string`)
    record[key] = item
  }
  return record
}

/** At most 20 of at most 4 KiB. https://cloud.google.com/workflows/docs/use-environment-variables */
function parseEnvironment(value: unknown): Readonly<Record<string, string>> {
  const variables = textRecord(value, 'userEnvVars')
  const entries = Object.entries(variables)
  if (entries.length > LIMITS.environmentVariables) {
    throw new ApiError(
      'INVALID_ARGUMENT',
      `${entries.length} user environment variables; at most 20 are allowed`,
    )
  }
  for (const [name, text] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || /^(GOOGLE|WORKFLOWS)/.test(name)) {
      throw new ApiError('INVALID_ARGUMENT', `userEnvVars: ${name} is not allowed as a name`)
    }
    if (Buffer.byteLength(text) > LIMITS.environmentValueBytes) {
      throw new ApiError('INVALID_ARGUMENT', `userEnvVars.${name} is longer than 4 KiB`)
    }
  }
  return variables
}

function parseSource(value: unknown, library: Library): { sourceContents: string; program: Program } {
  if (typeof value !== 'string' || value === '')
    throw new ApiError('INVALID_ARGUMENT', 'sourceContents is missing')
  try {
    return { sourceContents: value, program: parseWorkflow(value, library) }
  } catch (error) {
    if (!(error instanceof InvalidSource)) throw error
    throw new ApiError('INVALID_ARGUMENT', `The workflow source has errors:\n${error.message}`)
  }
}

export interface Deployment {
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
  readonly previous: Revision | undefined
  readonly library: Library
  readonly now: number
}

/** Checks a workflow and makes its next revision. Fields that the body lacks stay as they were. */
export function makeRevision({ name, body, previous, library, now }: Deployment): Revision {
  const unknown = Object.keys(body).find(key => ![...FIELDS, ...OUTPUT_ONLY].includes(key))
  if (unknown !== undefined) throw new ApiError('INVALID_ARGUMENT', `Workflow.${unknown} is not served here`)
  const source =
    previous && body.sourceContents === undefined
      ? { sourceContents: previous.sourceContents, program: previous.program }
      : parseSource(body.sourceContents, library)
  const given = Object.fromEntries(Object.entries(body).filter(([key]) => SETTINGS.includes(key)))
  const userEnvVars =
    previous && !body.userEnvVars ? previous.userEnvVars : parseEnvironment(body.userEnvVars)
  const number = (previous?.number ?? 0) + 1
  const digest = createHash('sha256').update(`${name} ${number} ${source.sourceContents}`).digest('hex')
  return {
    name,
    id: `${String(number).padStart(6, '0')}-${digest.slice(0, 3)}`,
    number,
    workflowCreated: previous?.workflowCreated ?? now,
    created: now,
    ...source,
    userEnvVars,
    settings: { ...previous?.settings, ...given },
  }
}

export const parseLabels = (value: unknown): Readonly<Record<string, string>> => textRecord(value, 'labels')
