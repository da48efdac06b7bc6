/** The form of a feed file that says `delivers: changes`. Written once, as that of snapshot feeds is. */
import { z } from 'zod'
import { parseFeedName } from '../names.ts'
import { csvSettings, table } from '../schema.ts'
import { duration, identifier } from '../terms.ts'
import { findObjectPatternProblem } from './object-pattern.ts'

export const SEQUENCE_FORMS = ['integer', 'timestamp', 'timestamp-milliseconds', 'hexadecimal'] as const

const field = z.string().min(1)
const fields = z.array(field.describe('fields'))
const values = z.array(z.string().describe('values'))
const sequencePart = z
  .union([
    field,
    z
      .strictObject({
        field: field.describe('A field of the files; it need not be a column'),
        as: z
          .enum(SEQUENCE_FORMS)
          .optional()
          .describe(
            'What its values are; a timestamp counts microseconds, timestamp-milliseconds milliseconds',
          ),
        states: values.min(1).optional().describe('Instead: the values that it takes, the oldest first'),
      })
      .refine(part => (part.as === undefined) !== (part.states === undefined), {
        error: 'needs either `as` or `states`',
      }),
  ])
  .describe('fields')

const source = z.strictObject({
  path: z
    .string()
    .superRefine((text, context) => {
      const problem = findObjectPatternProblem(text)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .describe('Names of the change files: * within a folder, **/ over any folders; each file is a delivery'),
  format: z.enum(['ndjson', 'csv']).describe('Either may be gzipped'),
  csv: csvSettings.optional(),
  ignore: fields.default([]).describe('Fields of the files that are read over'),
})

const changes = z.strictObject({
  operation: field.describe('The field that says what happened to the row'),
  upsert: values.min(1).describe('Its values for a row that is new or changed'),
  delete: values.default([]).describe('Its values for a row that is gone'),
  sequence: z
    .array(sequencePart)
    .min(1)
    .max(4)
    .describe('What makes a change newer: one to four fields, the first counts most'),
})

const model = z.strictObject({
  kind: z.literal('unique').default('unique').describe('One row for each key: the newest'),
  key: z.array(identifier.describe('columns')).min(1).describe('The columns that make a row unique: 1 to 16'),
})

const refresh = z.strictObject({
  max_staleness: duration
    .default('15 minutes')
    .describe('How old what a query reads may be; BigQuery applies changes at least that often'),
  announce: z
    .enum(['applied', 'pending'])
    .default('applied')
    .describe('Say refreshed once BigQuery has applied a file, or pending as soon as it is sent'),
  within: duration
    .default('60 minutes')
    .describe('The promise: from the arrival of a file to rows that are applied'),
})

export const changeFeedSchema = z.strictObject({
  name: z
    .string()
    .refine(text => parseFeedName(text) !== undefined, {
      error: 'is no feed name: lower-case words joined by dashes, at most 40 characters',
    })
    .describe('Lower-case words joined by dashes, at most 40 characters'),
  delivers: z.literal('changes').describe('The files hold only changed rows: docs/cdc.md'),
  source,
  table: table.omit({ cluster: true }),
  model,
  changes,
  refresh: refresh.prefault({}),
})

/** A change feed's file as it is read, defaults filled in. */
export type ChangeFeedFile = z.infer<typeof changeFeedSchema>
