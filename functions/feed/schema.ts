/** The form of a feed file, written once: types, checks, the editors' JSON Schema and the docs come from here. */
import { z } from 'zod'
import { GRANULARITIES } from './column-type.ts'
import { COMBINES, STRATEGIES } from './feed.ts'
import { parseFeedName, parseServedTable } from './names.ts'
import { isReservation } from './reservation.ts'
import { servedSchema } from './serve-schema.ts'
import { SNAPSHOT_KINDS } from './snapshot-id.ts'
import { columnType, duration, fineShare, identifier, objectName, pattern, share } from './terms.ts'

const column = z.union([
  columnType,
  z.strictObject({
    type: columnType,
    description: z.string().max(1024).optional().describe('What BigQuery shows beside the column'),
    optional: z.boolean().default(false).describe('The files may lack this column; its value is NULL then'),
  }),
])

export const csvSettings = z.strictObject({
  header: z.boolean().default(true).describe('The first row names the columns, in the order of the feed'),
  delimiter: z
    .string()
    .regex(/^[^"\r\n]$/, { error: 'is no delimiter: one character, no quote and no line break' })
    .default(',')
    .describe('One character; write a tab as "\\t"'),
  null_text: z.string().default('').describe('The text that stands for NULL'),
})

const source = z.strictObject({
  path: pattern.describe(
    'Names of the data objects: {snapshot} once, * within a folder, **/ over any folders; {partition} where a name says which partition its rows are in',
  ),
  on_new_column: z
    .enum(['reject', 'add'])
    .default('reject')
    .describe(
      'A column in the files that the feed does not name: refuse the snapshot, or add it to the table',
    ),
  every: duration.optional().describe('How often a snapshot is expected; a feed that gets none is late'),
  snapshot: z
    .enum(SNAPSHOT_KINDS)
    .default('integer')
    .describe('What the snapshot id is, and so how it orders'),
  complete: z
    .union([
      z.literal('single-file'),
      z.strictObject({
        manifest: objectName.describe(
          'A JSON object that lists the files: docs/manifest.md; in their folder or above',
        ),
      }),
      z.strictObject({
        marker: objectName.describe('An object, of any content, that is written after all others'),
      }),
    ])
    .describe('How one knows that a snapshot is whole'),
  format: z.enum(['parquet', 'csv', 'ndjson', 'avro', 'orc']).describe('csv and ndjson may be gzipped'),
  csv: csvSettings.optional(),
  bad_rows: z
    .strictObject({
      at_most: fineShare.describe('The share of bad rows, such as 1% or 0.1%, that a snapshot may have'),
    })
    .optional()
    .describe('Rows that are not what the columns ask go to a quarantine table; without it one rejects all'),
})

export const table = z.strictObject({
  name: z
    .string()
    .refine(text => parseServedTable(text) !== undefined, { error: 'is no table; write it as dataset.table' })
    .describe('The target, as dataset.table'),
  description: z.string().max(16_384).optional().describe('What BigQuery shows beside the target'),
  columns: z.record(z.string(), column).describe('Name and type of each column, in the order of the table'),
  partition: z
    .strictObject({
      by: identifier.describe('A DATE, DATETIME or TIMESTAMP column'),
      every: z.enum(GRANULARITIES).describe('One partition for each; hour not for a DATE'),
      keep: duration.optional().describe('Whole days, after which a partition expires; for ever when absent'),
    })
    .optional(),
  cluster: z
    .array(identifier)
    .min(1)
    .max(4)
    .optional()
    .describe('One to four columns by which the rows of a partition are sorted'),
})

const snapshotSequence = z.strictObject({
  from: z.literal('snapshot').describe('The snapshot id makes every row of a newer snapshot newer'),
  as: identifier.describe('The name of the column that holds it'),
})
const replacePartitions = z
  .boolean()
  .default(false)
  .describe('Each partition that a snapshot has rows of becomes those rows; the others stay as they are')

const unique = z.strictObject({
  kind: z.literal('unique').describe('One row for each key: the newest'),
  key: z.array(identifier).min(1).describe('The columns that make a row unique'),
  sequence: z
    .union([identifier, z.array(identifier).min(1), snapshotSequence])
    .optional()
    .describe(
      'What makes a row newer: a column, several that are compared in order, or the snapshot id in a column of its own; without it what arrives later is newer',
    ),
  missing_rows: z
    .enum(['keep', 'delete'])
    .default('keep')
    .describe('Rows that the newest snapshot lacks: keep them, or mirror the snapshot'),
  delete_when: z
    .union([
      identifier,
      z.strictObject({
        column: identifier.describe('A STRING, INT64 or BOOL column of the files'),
        values: z
          .array(z.union([z.string(), z.int(), z.boolean()]))
          .min(1)
          .describe('The values that say so, such as [D, DELETE]'),
      }),
    ])
    .optional()
    .describe('The rows that delete their key: those with TRUE in a BOOL column, or with one of the values'),
  replace_partitions: replacePartitions,
})

const duplicate = z.strictObject({
  kind: z.literal('duplicate').describe('Rows are appended as they come, those of each snapshot once'),
  sequence: snapshotSequence
    .optional()
    .describe('The snapshot id in a column of its own; without it rows do not say where they are from'),
  replace_partitions: replacePartitions,
})

const aggregate = z.strictObject({
  kind: z.literal('aggregate').describe('One row for each key, made of all rows that ever came'),
  key: z.array(identifier).min(1).describe('The columns that make a row unique'),
  values: z
    .record(z.string(), z.enum(COMBINES))
    .describe('For each other column how the values of a key become one: docs/models.md'),
})

const model = z.discriminatedUnion('kind', [unique, duplicate, aggregate], {
  error: ({ code }) =>
    code === 'invalid_union' ? 'has no kind that Freshet knows: unique, duplicate or aggregate' : undefined,
})

const gates = z.strictObject({
  zero_rows: z.enum(['hold', 'reject', 'allow']).default('hold').describe('A snapshot without rows'),
  min_rows_vs_last: share
    .optional()
    .describe(
      'Hold a snapshot with fewer rows than this share of the last one; without it 50% where snapshots are whole tables (model unique), else 0%',
    ),
  duplicate_keys: z
    .enum(['hold', 'reject', 'newest'])
    .default('hold')
    .describe('A key in more than one row of a snapshot; newest: the newest row wins'),
  null_keys: z
    .enum(['reject', 'hold', 'allow'])
    .default('reject')
    .describe('NULL in a key column; allow: NULL is a key like any other'),
  null_partitions: z
    .enum(['hold', 'reject', 'allow'])
    .default('hold')
    .describe('Rows without a value in the partition column'),
  outside_window: z
    .enum(['hold', 'reject', 'allow'])
    .default('hold')
    .describe('Rows that would expire at once, or lie more than a year ahead'),
  emptied_columns: z
    .enum(['hold', 'reject', 'allow'])
    .default('hold')
    .describe('A column that had values in the last snapshot and has only NULL in this one'),
  max_deleted: share
    .default('50%')
    .describe('Under missing_rows: delete, hold when more than this share would go'),
})

const refresh = z.strictObject({
  strategy: z
    .enum(STRATEGIES)
    .default('rewrite')
    .describe('rewrite: staging is written anew in one job; changed-partitions: only what differs is'),
  within: duration
    .default('60 minutes')
    .describe('The promise: from the last object to the refreshed target'),
  rollback: duration.default('7 days').describe('How long rollback points are kept'),
  reservation: z
    .string()
    .refine(text => isReservation(text), {
      error: 'is no reservation: a name such as refresh-slots, or projects/P/locations/L/reservations/R',
    })
    .optional()
    .describe("The BigQuery reservation that this feed's jobs run in; by default the project's"),
})

export const feedSchema = z.strictObject({
  name: z
    .string()
    .refine(text => parseFeedName(text) !== undefined, {
      error: 'is no feed name: lower-case words joined by dashes, at most 40 characters',
    })
    .describe('Lower-case words joined by dashes, at most 40 characters; names the staging table too'),
  delivers: z
    .literal('snapshots')
    .default('snapshots')
    .describe('What the files are: the whole table each time; `changes` is another form, docs/cdc.md'),
  source,
  table,
  model,
  refresh: refresh.prefault({}),
  gates: gates.prefault({}),
  serve: z
    .array(servedSchema)
    .default([])
    .describe('Tables elsewhere that show what the target shows: docs/serving.md'),
})

/** A feed file as it is read, defaults filled in. */
export type FeedFile = z.infer<typeof feedSchema>
/** Its model, where that is `unique`. */
export type UniqueFile = z.infer<typeof unique>
export type AggregateFile = z.infer<typeof aggregate>
