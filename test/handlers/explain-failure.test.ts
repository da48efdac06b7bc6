/** Words of the platform that say what is wrong get a remedy. */
import { expect, test } from 'vitest'
import { explainFailure } from '../../functions/handlers/explain-failure.ts'

const names = { projectId: 'p', location: 'EU', landing: 'l', staging: 's', inbox: 'inbox' }

test.each([
  [
    'accessDenied: Access Denied: Project p: User does not have bigquery.jobs.create permission in project p.',
    'Grant roles/bigquery.jobUser on the project, which brings bigquery.jobs.create',
  ],
  [
    'accessDenied: Access Denied: Table p:shop.items: Permission bigquery.tables.updateData denied on table p:shop.items',
    'Grant roles/bigquery.dataEditor on the dataset, which brings bigquery.tables.updateData',
  ],
  ['Permission bigquery.tables.get denied on resource', 'Grant roles/bigquery.metadataViewer on the dataset'],
  ['Permission bigquery.rowAccessPolicies.list denied', "Grant Freshet's own role for it on the project"],
  [
    'accessDenied: Access Denied: File gs://inbox/a.csv: robot does not have storage.objects.get access',
    'Grant roles/storage.objectViewer on the bucket',
  ],
  [
    'accessDenied: Access Denied: File gs://inbox/a.csv: Access Denied',
    'Grant roles/storage.objectViewer on the inbox',
  ],
  [
    'Access Denied: Table p:shop.items: User does not have permission to query table p:shop.items',
    'Grant roles/bigquery.dataEditor on the dataset',
  ],
  ['Permission pubsub.topics.publish denied', 'Grant roles/pubsub.publisher on the topic'],
  [
    'invalid: Cannot read and write in different locations: source: US, destination: EU',
    'The inbox and every dataset have to be in EU',
  ],
  ['notFound: Not found: Dataset p:shop was not found in location EU', 'have to be in EU'],
  ['quotaExceeded: Your table exceeded quota for imports or query appends per table', 'freshet estimate'],
  [
    'Too many partitions produced by query, allowed 4000, query produces at least 4001',
    'Partition by a longer time',
  ],
  [
    'Cannot replace a table with a different partitioning spec. Instead, DROP the table',
    'Change the feed back',
  ],
  [
    'Transaction is aborted due to concurrent update against table p:s.items',
    'Something else writes the table',
  ],
])('%s', (text, remedy) => {
  expect(explainFailure(text, names)).toContain(remedy)
})

test.each(['It timed out.', 'invalidQuery: Unrecognized name: x', ''])('nothing is made up for %j', text => {
  expect(explainFailure(text, names)).toBe('')
})
