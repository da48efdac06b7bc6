/** Every setting of a stack: its form, its default and what it is for. docs/deploy.md shows how to set them. */
import { z } from 'zod'
import { capacitySchema } from './capacity/settings.ts'

const member = z.string().regex(/^(user|group|serviceAccount|domain|principal|principalSet):.+$/, {
  error: 'is no member; write it as group:data@example.com. Freshet makes nothing public',
})
const text = z.string().min(1)
/** Texts are how `pulumi config set` writes them; `--path` and YAML give real booleans and numbers. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform(said => said === 'true')])
const days = z.coerce.number().int().min(1).max(3_650)

/** Where data may lie: BigQuery's two multi-regions, or a region. docs.cloud.google.com/bigquery/docs/locations */
const location = z.string().regex(/^(EU|US|[a-z]+-[a-z]+\d{1,2})$/, {
  error: 'is no location; write EU, US, or a region such as europe-west1',
})
const prefix = z.string().regex(/^[a-z][a-z0-9-]{2,18}[a-z0-9]$/, {
  error:
    'is no prefix: 4 to 20 lower-case letters, digits and dashes, a letter first. `freshet:prefix` sets it',
})

export const settingsSchema = z.strictObject({
  location: location.describe('Where buckets, datasets and reservations are: EU, US or a region'),
  region: z
    .string()
    .regex(/^[a-z]+-[a-z]+\d{1,2}$/, { error: 'is no region; write it as europe-west1' })
    .optional()
    .describe('Where functions and workflow run; by default in or near the location'),
  prefix: prefix
    .optional()
    .describe('Starts every name, so that stacks of one project do not collide; by default freshet-<stack>'),
  feeds: text.default('feeds').describe('Folder of the feed files, from the root of the repository'),
  keepLandedDays: days.default(30).describe('How long objects stay in the inbox'),
  kmsKey: z
    .string()
    .regex(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/, {
      error: 'is no key; write it as projects/P/locations/L/keyRings/R/cryptoKeys/K',
    })
    .optional()
    .describe('A key of your own for buckets, datasets and topics'),
  senders: z.array(member).default([]).describe('Who may write objects into the inbox'),
  readers: z.array(member).default([]).describe('Who may read the tables that are served'),
  subscribers: z.array(member).default([]).describe('Who may subscribe to the messages'),
  alertEmails: z.array(z.email()).default([]).describe('Who is written to when something is wrong'),
  goal: z.coerce
    .number()
    .min(0.5)
    .max(0.9999)
    .default(0.99)
    .describe('Share of snapshots that are to be served within the minutes of their feed'),
  sweep: text.default('* * * * *').describe('When the sweep looks for waiting work, as a cron expression'),
  destroyData: flag
    .default(false)
    .describe('Whether `pulumi destroy` may take tables, messages and objects with it'),
  renamed: z
    .record(text, text)
    .default({})
    .describe('New name of a feed → its old name: its rows are copied over, nothing is removed'),
  capacity: capacitySchema.prefault({}).describe('Reservations and what runs in them'),
})
export type SettingName = keyof z.infer<typeof settingsSchema>
export const SETTINGS = Object.keys(settingsSchema.shape) as SettingName[]

/** What a stack is made from: every default filled in. */
export type Settings = z.infer<typeof settingsSchema> & {
  readonly project: string
  readonly stack: string
  readonly region: string
  readonly prefix: string
}

const REGION_OF: Readonly<Record<string, string>> = { EU: 'europe-west1', US: 'us-central1' }

function describe({ path, message, code, ...issue }: z.core.$ZodIssue): string {
  const name = `freshet:${path.join('.')}`
  if (code === 'unrecognized_keys' && 'keys' in issue)
    return `${name}${path.length > 0 ? '.' : ''}${issue.keys.join(', ')} is no setting; docs/deploy.md lists them`
  return `${name} ${message}`
}

/** Where two settings do not go together. */
function findConflicts({ location, kmsKey }: z.infer<typeof settingsSchema>): string[] {
  const keyLocation = kmsKey?.split('/')[3]?.toLowerCase()
  if (keyLocation === undefined) return []
  // Multi-region EU has its keys in `europe`: docs.cloud.google.com/bigquery/docs/customer-managed-encryption
  const wanted = location === 'EU' ? 'europe' : location.toLowerCase()
  return keyLocation === wanted
    ? []
    : [`freshet:kmsKey is in ${keyLocation}; choose a key in ${wanted}, where the data is`]
}

/** `raw` is what the stack's configuration says. Throws one error with a line for each problem. */
export function parseSettings(
  raw: Readonly<Record<string, unknown>>,
  { project, stack }: { readonly project: string | undefined; readonly stack: string },
): Settings {
  const problems = project ? [] : ['gcp:project is not set: `npx pulumi config set gcp:project YOUR-PROJECT`']
  if (raw.location === undefined)
    problems.push('freshet:location is not set: `npx pulumi config set freshet:location EU`')
  const checked = settingsSchema.safeParse(raw)
  if (!checked.success)
    problems.push(
      ...checked.error.issues.filter(({ path }) => raw.location ?? path[0] !== 'location').map(describe),
    )
  const named = prefix.safeParse(raw.prefix ?? `freshet-${stack}`)
  if (!named.success && raw.prefix === undefined)
    problems.push(
      `the stack's name makes the prefix freshet-${stack}, which ${named.error.issues[0]?.message}`,
    )
  if (checked.success) problems.push(...findConflicts(checked.data))
  if (problems.length > 0 || !checked.success || !named.success || !project)
    throw new Error(`The settings of this stack are not right:\n  ${problems.join('\n  ')}`)
  const settings = checked.data
  const region = settings.region ?? REGION_OF[settings.location] ?? settings.location
  return { ...settings, project, stack, region, prefix: named.data }
}
