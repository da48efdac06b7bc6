/** The bodies that the workflow sends, checked. */
import { z } from 'zod'
import { FreshetError } from '../errors.ts'
import type { RunId } from '../feed/names.ts'
import { parseRunId } from '../feed/names.ts'
import { STAGES } from '../plan/run-plan.ts'

const run = z
  .string()
  .refine(text => parseRunId(text) !== undefined, { error: 'is no run id' })
  .transform(text => text as RunId)
const turn = z.object({ feed: z.string(), holder: z.string().min(1) })
const job = z.object({
  stage: z.enum(STAGES),
  projectId: z.string(),
  jobId: z.string(),
  location: z.string(),
})

/** A job that the workflow has seen end well: under this attempt's id its result is to be found. */
export type RanJob = z.infer<typeof job>

export const planRequest = turn
const withJobs = turn.extend({ run, jobs: z.array(job) })
export const verifyRequest = withJobs.extend({ what: z.enum(['landing', 'staging']) })
export const completeRequest = withJobs.extend({ announced: z.boolean() })
export const failRequest = turn.extend({
  run: z.union([z.literal(''), run]),
  stage: z.string().nullish(),
  error: z.unknown(),
})

export function parseRequest<T>(schema: z.ZodType<T>, body: unknown): T {
  const checked = schema.safeParse(body)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new FreshetError({
    code: 'bad-request',
    message: `The request's ${issue?.path.join('.') || 'body'} is not as it has to be: ${issue?.message}`,
    hint: 'The workflow and the functions are of different versions; deploy both.',
  })
}
