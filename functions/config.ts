/** Reads the environment of the functions, once, with every problem reported together. */
import { z } from 'zod'
import { FreshetError } from './errors.ts'
import { ENDPOINT_ENV, FUNCTION_ENV } from './names.ts'

const text = z.string({ error: 'is not set' }).min(1, 'is empty')
const url = z.url({ error: 'is no URL' }).optional()

const environment = z.object({
  [FUNCTION_ENV.project]: text,
  [FUNCTION_ENV.location]: text,
  [FUNCTION_ENV.region]: text,
  [FUNCTION_ENV.inbox]: text,
  [FUNCTION_ENV.state]: text,
  [FUNCTION_ENV.landing]: text,
  [FUNCTION_ENV.staging]: text,
  [FUNCTION_ENV.topic]: text,
  [FUNCTION_ENV.workflow]: text,
  [FUNCTION_ENV.applyWorkflow]: text,
  [FUNCTION_ENV.feeds]: text,
  [FUNCTION_ENV.logFile]: text.optional(),
  [ENDPOINT_ENV.storage]: url,
  [ENDPOINT_ENV.bigquery]: url,
  [ENDPOINT_ENV.workflows]: url,
})

export interface Config {
  readonly projectId: string
  readonly location: string
  readonly region: string
  readonly inbox: string
  readonly state: string
  readonly landing: string
  readonly staging: string
  readonly topic: string
  readonly workflow: string
  readonly applyWorkflow: string
  readonly feeds: string
  /** Where log lines go; standard output when absent. */
  readonly logFile: string | undefined
  /** Set only where the services are not Google's own. */
  readonly endpoints: {
    readonly storage?: string | undefined
    readonly bigquery?: string | undefined
    readonly workflows?: string | undefined
  }
}

export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const checked = environment.safeParse(env)
  if (!checked.success) {
    const problems = checked.error.issues
      .map(({ path, message }) => `${path.join('.')} ${message}`)
      .join('; ')
    throw new FreshetError({
      code: 'bad-config',
      message: `The environment is not complete: ${problems}.`,
      hint: 'functions/names.ts says what each is.',
    })
  }
  const set = checked.data
  return {
    projectId: set[FUNCTION_ENV.project],
    location: set[FUNCTION_ENV.location],
    region: set[FUNCTION_ENV.region],
    inbox: set[FUNCTION_ENV.inbox],
    state: set[FUNCTION_ENV.state],
    landing: set[FUNCTION_ENV.landing],
    staging: set[FUNCTION_ENV.staging],
    topic: set[FUNCTION_ENV.topic],
    workflow: set[FUNCTION_ENV.workflow],
    applyWorkflow: set[FUNCTION_ENV.applyWorkflow],
    feeds: set[FUNCTION_ENV.feeds],
    logFile: set[FUNCTION_ENV.logFile],
    endpoints: {
      storage: set[ENDPOINT_ENV.storage],
      bigquery: set[ENDPOINT_ENV.bigquery],
      workflows: set[ENDPOINT_ENV.workflows],
    },
  }
}
