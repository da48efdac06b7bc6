/**
 * Who may do what: one service account for each part, and exactly the roles that its calls need. The tests hold this
 * table against the calls that each part is seen to make.
 */

/** What a role is granted on; `project` only where Google knows nothing narrower. */
export type Place =
  | 'project'
  | 'inbox'
  | 'inbox-lists'
  | 'state'
  | 'source'
  | 'landing'
  | 'staging'
  | 'serving'
  | 'topic'
  | 'run:on-object'
  | 'run:plan'
  | 'run:verify'
  | 'run:complete'
  | 'run:fail'
  | 'run:sweep'
  | 'run:apply'

export interface Grant {
  readonly role: string
  readonly on: Place
  /** Only when a feed names a reservation. */
  readonly onlyWith?: 'reservations'
}

/** Roles of our own, where Google's own would give far more. */
export const CUSTOM_ROLES = {
  /** Jobs of another account: docs.cloud.google.com/bigquery/docs/reference/rest/v2/jobs/get */
  jobReader: ['bigquery.jobs.get'],
  /** A rollback point expires, and that counts as removing it: docs.cloud.google.com/bigquery/docs/table-snapshots-create */
  snapshotExpirer: ['bigquery.tables.deleteSnapshot'],
  /** What would be lost by a publish is looked at first: docs.cloud.google.com/bigquery/docs/managing-row-level-security */
  policyReader: ['bigquery.rowAccessPolicies.list'],
  /** docs.cloud.google.com/bigquery/docs/reservations-tasks#control_access_to_reservations */
  reservationUser: ['bigquery.reservations.use'],
} as const
export type CustomRole = keyof typeof CUSTOM_ROLES
const own = (role: CustomRole) => `custom:${role}`

const storageReader = 'roles/storage.objectViewer'
/** Writing over an object counts as removing it too, and a generation precondition does not change that. */
const storageWriter = 'roles/storage.objectUser'
const metadata = 'roles/bigquery.metadataViewer'
const editor = 'roles/bigquery.dataEditor'
const publisher = 'roles/pubsub.publisher'
const invoker = 'roles/run.invoker'
const starter = 'roles/workflows.invoker'

export const GRANTS = {
  'on-object': [
    { role: storageReader, on: 'inbox' },
    { role: storageWriter, on: 'state' },
    { role: publisher, on: 'topic' },
    { role: starter, on: 'project' },
  ],
  plan: [
    { role: storageWriter, on: 'state' },
    { role: storageWriter, on: 'inbox-lists' },
    { role: metadata, on: 'staging' },
    { role: metadata, on: 'serving' },
    { role: own('policyReader'), on: 'serving' },
    { role: publisher, on: 'topic' },
  ],
  /** The workflow, and `verify`: rows of a query without a named table are only for the account that ran it. */
  refresh: [
    { role: 'roles/bigquery.jobUser', on: 'project' },
    { role: editor, on: 'landing' },
    { role: editor, on: 'staging' },
    { role: own('snapshotExpirer'), on: 'staging' },
    { role: own('policyReader'), on: 'staging' },
    { role: editor, on: 'serving' },
    { role: storageReader, on: 'inbox' },
    { role: storageWriter, on: 'state' },
    { role: publisher, on: 'topic' },
    { role: invoker, on: 'run:plan' },
    { role: invoker, on: 'run:verify' },
    { role: invoker, on: 'run:complete' },
    { role: invoker, on: 'run:fail' },
    { role: own('reservationUser'), on: 'project', onlyWith: 'reservations' },
  ],
  complete: [
    { role: storageWriter, on: 'state' },
    { role: own('jobReader'), on: 'project' },
    { role: metadata, on: 'staging' },
    { role: metadata, on: 'serving' },
    { role: own('policyReader'), on: 'serving' },
  ],
  fail: [
    { role: storageWriter, on: 'state' },
    { role: own('jobReader'), on: 'project' },
  ],
  /** It looks for snapshots that no event told of, and takes them as `on-object` would have done. */
  sweep: [
    { role: storageReader, on: 'inbox' },
    { role: storageWriter, on: 'state' },
    { role: publisher, on: 'topic' },
    { role: starter, on: 'project' },
  ],
  /** Streams changes into the tables of change feeds, makes these tables, and asks how far BigQuery has applied. */
  apply: [
    { role: storageReader, on: 'inbox' },
    { role: storageWriter, on: 'state' },
    { role: 'roles/bigquery.jobUser', on: 'project' },
    { role: editor, on: 'serving' },
  ],
  /** The workflow `apply-changes`. */
  changes: [
    { role: publisher, on: 'topic' },
    { role: invoker, on: 'run:apply' },
  ],
  /** Eventarc, when it brings an event. */
  trigger: [
    { role: 'roles/eventarc.eventReceiver', on: 'project' },
    { role: invoker, on: 'run:on-object' },
  ],
  /** Cloud Scheduler, when it calls the sweep. */
  scheduler: [{ role: invoker, on: 'run:sweep' }],
  /** Cloud Build, when it makes the functions: docs.cloud.google.com/run/docs/configuring/services/build-service-account */
  build: [
    { role: 'roles/logging.logWriter', on: 'project' },
    { role: 'roles/artifactregistry.writer', on: 'project' },
    { role: storageReader, on: 'source' },
  ],
} as const satisfies Readonly<Record<string, readonly Grant[]>>
export type Account = keyof typeof GRANTS
export const ACCOUNTS = Object.keys(GRANTS) as Account[]

/** Which account each function runs as. */
export const ACCOUNT_OF = {
  onObject: 'on-object',
  plan: 'plan',
  verify: 'refresh',
  complete: 'complete',
  fail: 'fail',
  sweep: 'sweep',
  apply: 'apply',
} as const satisfies Readonly<Record<string, Account>>
