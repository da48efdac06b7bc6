/** What a user is told about the columns, partitions and clusters of a feed. */
import { expect, test } from 'vitest'
import { feedWith, problemsOf, type Row } from './feed-text.ts'

const NO_TYPE =
  'is no column type that a feed may use; one of INT64, NUMERIC, BIGNUMERIC, FLOAT64, BOOL, STRING, BYTES, DATE, DATETIME, TIMESTAMP, TIME, JSON'
const NOTE = 'note: { type: STRING, description: what the till said }'
const PARTITION = 'partition: { by: day, every: day, keep: 730 days }'

const COLUMNS: readonly Row[] = [
  ['id: INT64', 'id: int64', 'table.columns.id', 10, NO_TYPE],
  ['id: INT64', 'id: constructor', 'table.columns.id', 10, NO_TYPE],
  ['price: NUMERIC(10, 2)', 'price: NUMERIC(40, 2)', 'table.columns.price', 12, NO_TYPE],
  ['price: NUMERIC(10, 2)', 'price: STRING(0)', 'table.columns.price', 12, NO_TYPE],
  ['id: INT64', 'id: 5', 'table.columns.id', 10, 'is a number, and has to be a text'],
  [
    NOTE,
    'note: { type: STRING, nullable: true }',
    'table.columns.note.nullable',
    13,
    'is not a setting of a feed',
  ],
  [NOTE, 'note: { description: lost }', 'table.columns.note.type', 13, 'is missing'],
  [
    NOTE,
    'note: { type: STRING, optional: true }',
    'table.columns.note.optional',
    13,
    'does not go with format csv, which is read by position',
  ],
  [NOTE, 'ID: INT64', 'table.columns.ID', 13, 'differs from another column by case only'],
  [
    NOTE,
    '_PARTITIONTIME: INT64',
    'table.columns._PARTITIONTIME',
    13,
    'is no column name that BigQuery takes',
  ],
  [NOTE, '"a`b": INT64', 'table.columns.a`b', 13, 'is no column name that BigQuery takes'],
  [NOTE, '7: INT64', 'table.columns.7', 10, 'is a whole number, not a name'],
  [
    PARTITION,
    'partition: { by: dag, every: day }',
    'table.partition.by',
    15,
    'names no column of the table: dag',
  ],
  [
    PARTITION,
    'partition: { by: id, every: day }',
    'table.partition.by',
    15,
    "is of type INT64, which can't be partitioned by day",
  ],
  [
    PARTITION,
    'partition: { by: day, every: hour }',
    'table.partition.by',
    15,
    "is of type DATE, which can't be partitioned by hour",
  ],
  [
    PARTITION,
    'partition: { by: day, every: week }',
    'table.partition.every',
    15,
    'is not hour or day or month or year',
  ],
  ['keep: 730 days', 'keep: 730', 'table.partition.keep', 15, 'is a number, and has to be a text'],
  [
    'keep: 730 days',
    'keep: 2 years',
    'table.partition.keep',
    15,
    'is no duration; write it as "60 minutes" or "3 days"',
  ],
  ['keep: 730 days', 'keep: 36 hours', 'table.partition.keep', 15, 'is not a number of days'],
  [
    '{ by: day, every: day, keep: 730 days }',
    '{ by: changed, every: hour, keep: 730 days }',
    'table.partition.keep',
    15,
    'makes 17520 partitions by hour, and a job of BigQuery writes at most 4000',
  ],
  [
    'format: csv',
    'format: csv\n  every: 20 minutes\nrefresh: { strategy: changed-partitions }',
    'source.every',
    7,
    'makes 72 refreshes a day, and BigQuery takes 50 table snapshots of one table',
  ],
  [
    'format: csv',
    'format: csv\n  every: 30 minutes',
    'source.every',
    7,
    'makes 48 refreshes a day of 730 partitions, and BigQuery takes 30000 writes of partitions of one table',
  ],
  ['cluster: [id]', 'cluster: [id, ID]', 'table.cluster[1]', 16, 'names no column of the table: ID'],
  ['cluster: [id]', 'cluster: [id, id]', 'table.cluster[1]', 16, 'names id twice'],
  ['cluster: [id]', 'cluster: []', 'table.cluster', 16, 'is empty'],
  [
    'cluster: [id]',
    'cluster: [id, day, note, price, changed]',
    'table.cluster',
    16,
    'has more than 4 entries',
  ],
  ['cluster: [id]', 'cluster: id', 'table.cluster', 16, 'is a text, and has to be a list'],
]

test.each(COLUMNS)('%s → %s', (from, to, path, line, message) => {
  expect(problemsOf(feedWith(from, to))).toEqual([
    { file: 'sales.yaml', path, line, message, hint: expect.stringMatching(/^([A-Z`]|docs).*[.']$/s) },
  ])
})
