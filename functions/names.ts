/** The names that the functions, their deployment and the laptop agree on. */

/** The deployed functions, by what calls them: an event, the workflow over HTTP, or (sweep) a schedule. */
export const FUNCTIONS = {
  onObject: 'freshet-on-object',
  plan: 'freshet-plan',
  verify: 'freshet-verify',
  complete: 'freshet-complete',
  fail: 'freshet-fail',
  sweep: 'freshet-sweep',
  apply: 'freshet-apply',
} as const
export type FunctionName = (typeof FUNCTIONS)[keyof typeof FUNCTIONS]

export const WORKFLOW = 'freshet-refresh'
/** Runs for each file of a change feed. */
export const APPLY_WORKFLOW = 'freshet-apply-changes'
export const TOPIC = 'freshet-refreshed'
export const DATASETS = { landing: 'freshet_landing', staging: 'freshet_staging' } as const

/** Environment of the functions; `functions/config.ts` reads it, once. */
export const FUNCTION_ENV = {
  project: 'GOOGLE_CLOUD_PROJECT',
  /** Location of the datasets and their jobs, such as `EU`. */
  location: 'FRESHET_LOCATION',
  /** Region of the workflow. */
  region: 'FRESHET_REGION',
  inbox: 'FRESHET_INBOX_BUCKET',
  state: 'FRESHET_STATE_BUCKET',
  landing: 'FRESHET_LANDING_DATASET',
  staging: 'FRESHET_STAGING_DATASET',
  topic: 'FRESHET_TOPIC',
  workflow: 'FRESHET_WORKFLOW',
  applyWorkflow: 'FRESHET_APPLY_WORKFLOW',
  /** Folder of the feed files. */
  feeds: 'FRESHET_FEEDS',
  /** Optional: a file for the log lines, instead of standard output. */
  logFile: 'FRESHET_LOG_FILE',
} as const

/** Environment variable of a database's address: `crm` → `FRESHET_POSTGRES_CRM`. */
export const databaseVariable = (name: string): string =>
  `FRESHET_POSTGRES_${name.replaceAll('-', '_').toUpperCase()}`

/** Only where the services are not Google's own: the embedded cloud, or a test. */
export const ENDPOINT_ENV = {
  storage: 'FRESHET_STORAGE_ENDPOINT',
  bigquery: 'FRESHET_BIGQUERY_ENDPOINT',
  workflows: 'FRESHET_WORKFLOWS_ENDPOINT',
} as const

/** Environment of the workflows (`userEnvVars`): where the functions are, and the topic's short name. */
export const WORKFLOW_ENV = {
  plan: 'PLAN_URL',
  verify: 'VERIFY_URL',
  complete: 'COMPLETE_URL',
  fail: 'FAIL_URL',
  apply: 'APPLY_URL',
  topic: 'TOPIC',
} as const
