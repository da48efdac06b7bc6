/** Puts what a workflow caught into one sentence. */
import { z } from 'zod'

/** What a function answers with, inside the workflow's HttpError. */
const failedCall = z.object({
  body: z.object({ error: z.object({ message: z.string(), hint: z.string().default('') }) }),
})
const anyError = z.object({ message: z.string() })

export function describeError(error: unknown): string {
  const call = failedCall.safeParse(error)
  if (call.success) return `${call.data.body.error.message} ${call.data.body.error.hint}`.trim()
  const known = anyError.safeParse(error)
  if (known.success) return known.data.message
  return typeof error === 'string' ? error : JSON.stringify(error)
}
