/** The form of the capacity settings. What goes together and what does not is said in plan-capacity.ts. */
import { z } from 'zod'

export const EDITIONS = ['STANDARD', 'ENTERPRISE', 'ENTERPRISE_PLUS'] as const
/** docs.cloud.google.com/bigquery/docs/reference/reservations/rest/v1/projects.locations.reservations.assignments */
export const JOB_TYPES = [
  'QUERY',
  'PIPELINE',
  'CONTINUOUS',
  'ML_EXTERNAL',
  'BACKGROUND',
  'BACKGROUND_CHANGE_DATA_CAPTURE',
  'BACKGROUND_COLUMN_METADATA_INDEX',
  'BACKGROUND_SEARCH_INDEX_REFRESH',
] as const
export type JobType = (typeof JOB_TYPES)[number]

const slots = z.coerce.number().int().min(0)
const reservation = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,38}[a-z0-9]$/, {
    error: 'is no reservation name: lower-case letters, digits and dashes, at most 40 characters',
  }),
  edition: z.enum(EDITIONS).default('ENTERPRISE'),
  location: z.string().optional().describe('Only to say it out loud: it has to be where the data is'),
  baseline: slots.default(0).describe('Slots that are always there, and always paid'),
  max: slots.describe('Slots at most; what is above the baseline comes and goes with the work'),
  assign: z
    .array(z.enum(JOB_TYPES))
    .default([])
    .describe('Job types of the project that run in it; none for a reservation that only feeds name'),
  ignoreIdleSlots: z.boolean().default(false).describe('Take no idle slots of other reservations'),
})
const commitment = z.strictObject({
  slots,
  plan: z.enum(['ANNUAL', 'THREE_YEAR']),
  edition: z.enum(EDITIONS).default('ENTERPRISE'),
  renewal: z.enum(['NONE', 'ANNUAL', 'THREE_YEAR']).default('NONE').describe('What follows at its end'),
})

export const capacitySchema = z.strictObject({
  enabled: z
    .union([z.boolean(), z.enum(['true', 'false']).transform(said => said === 'true')])
    .default(false)
    .describe('false: everything runs on demand and is paid by the byte'),
  reservations: z.array(reservation).default([]),
  commitments: z.array(commitment).default([]),
})
export type Capacity = z.infer<typeof capacitySchema>
export type ReservationSettings = z.infer<typeof reservation>
