/** The terms that feed files are written in: durations, names, patterns, types and shares, each with its sentence. */
import { z } from 'zod'
import { isColumnType, TYPE_NAMES } from './column-type.ts'
import { parseDuration } from './duration.ts'
import { parseIdentifier } from './names.ts'
import { findPatternProblem } from './path-pattern.ts'

export const duration = z.string().refine(text => parseDuration(text) !== undefined, {
  error: 'is no duration; write it as "60 minutes" or "3 days"',
})
export const identifier = z.string().refine(text => parseIdentifier(text) !== undefined, {
  error: 'is no column name that BigQuery takes',
})
export const pattern = z.string().superRefine((text, context) => {
  const problem = findPatternProblem(text)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})
export const objectName = pattern.refine(text => !/\*|\{partition\}/.test(text), {
  error: 'names one object, so no wildcards',
})
export const columnType = z
  .string()
  .refine(isColumnType, {
    error: `is no column type that a feed may use; one of ${TYPE_NAMES.join(', ')}`,
  })
  .describe(`${TYPE_NAMES.join(', ')}; with digits as NUMERIC(10, 2), with a length as STRING(20)`)
export const share = z
  .string()
  .regex(/^(100|\d{1,2})%$/, { error: 'is no share; write it as "50%"' })
  .describe('A share, such as 50%')

export const fineShare = z
  .string()
  .regex(/^(100|\d{1,2}(\.\d{1,3})?)%$/, { error: 'is no share; write it as "1%" or "0.1%"' })
