/** What to do about a failure of the platform, where its own words say what is wrong and not how it is mended. */
import type { Warehouse } from '../plan/run-plan.ts'

/** The role that brings a permission, as infra/roles.ts grants it, and on what. */
const ROLES: readonly [permission: RegExp, role: string, on: string][] = [
  [/^bigquery\.jobs\.create$/, 'roles/bigquery.jobUser', 'the project'],
  [
    /^bigquery\.(jobs\.|reservations\.|rowAccessPolicies\.|tables\.deleteSnapshot)/,
    "Freshet's own role for it",
    'the project',
  ],
  [/^bigquery\.(datasets|tables)\.(get|list)$/, 'roles/bigquery.metadataViewer', 'the dataset'],
  [/^bigquery\.tables\./, 'roles/bigquery.dataEditor', 'the dataset'],
  [/^storage\.objects\.(get|list)$/, 'roles/storage.objectViewer', 'the bucket'],
  [/^storage\.objects\./, 'roles/storage.objectUser', 'the bucket'],
  [/^pubsub\./, 'roles/pubsub.publisher', 'the topic'],
  [/^workflows\./, 'roles/workflows.invoker', 'the project'],
]
const PERMISSION = /\b((?:bigquery|storage|pubsub|workflows)\.[a-zA-Z]+\.[a-zA-Z]+)\b/

function explainDenied(text: string): string {
  const permission = PERMISSION.exec(text)?.[1]
  const [, role, on] = ROLES.find(([form]) => permission !== undefined && form.test(permission)) ?? []
  if (permission !== undefined && role !== undefined)
    return `Grant ${role} on ${on}, which brings ${permission}, to the account that runs this stage; \`pulumi up\` grants all of them.`
  const bucket = /gs:\/\//.test(text)
  const wanted = bucket
    ? 'roles/storage.objectViewer on the inbox'
    : 'roles/bigquery.dataEditor on the dataset'
  return `Grant ${wanted} to the account that runs this stage; \`pulumi up\` grants all of them.`
}

/** Symptom and remedy; the first that fits counts. */
const REMEDIES: readonly [symptom: RegExp, remedy: (text: string, names: Warehouse) => string][] = [
  [/access denied|permission|forbidden/i, explainDenied],
  [
    /different locations|not found in location/i,
    (_, { location }) =>
      `The inbox and every dataset have to be in ${location}; move what is not, for a job reads and writes in one place.`,
  ],
  [
    /too many partitions|partitions? modifications?/i,
    () =>
      'Partition by a longer time, let partitions go with `table.partition.keep`, or send snapshots less often.',
  ],
  [
    /different (partitioning|clustering) spec/i,
    () => 'Change the feed back, or drop the target: the next refresh makes it anew from staging.',
  ],
  [
    /quota|rate ?limit/i,
    () => 'The sweep tries again; `freshet estimate` says which limits the feed comes near to.',
  ],
  [/concurrent update/i, () => 'Something else writes the table; the sweep tries again.'],
]

/** One sentence more for what `text` tells; empty where it needs none. */
export function explainFailure(text: string, names: Warehouse): string {
  const [, remedy] = REMEDIES.find(([symptom]) => symptom.test(text)) ?? []
  return remedy?.(text, names) ?? ''
}
