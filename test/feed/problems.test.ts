/** What a user is told about a feed that is wrong: the place, the line and the words. */
import { describe, expect, test } from 'vitest'
import { feedWith, GOOD, problemsOf, type Row } from './feed-text.ts'

const PATH = 'path: sales/{snapshot}/*.csv.gz'
const MANIFEST = 'manifest: sales/{snapshot}/manifest.json'
const NO_NAME = 'is no feed name: lower-case words joined by dashes, at most 40 characters'
const SEQUENCE = 'sequence: changed'

const SETTINGS: readonly Row[] = [
  ['name: sales', 'name: Sales', 'name', 1, NO_NAME],
  ['name: sales', `name: ${'a'.repeat(41)}`, 'name', 1, NO_NAME],
  ['name: sales', 'name: a--b', 'name', 1, NO_NAME],
  ['name: sales', 'name: 7', 'name', 1, 'is a number, and has to be a text'],
  ['name: sales', 'name:', 'name', 1, 'is empty, and has to be a text'],
  ['name: sales', 'title: sales\nname: sales', 'title', 1, 'is not a setting of a feed'],
  ['  format: csv', '  format: xml', 'source.format', 6, 'is not parquet or csv or ndjson or avro or orc'],
  ['  format: csv\n', '', 'source.format', 3, 'is missing'],
  [
    '  format: csv',
    '  format: csv\n  snapshot: week',
    'source.snapshot',
    7,
    'is not integer or date or timestamp',
  ],
  ['  format: csv', '  format: csv\n  formatt: csv', 'source.formatt', 7, 'is not a setting of a feed'],
  [
    '  format: csv',
    '  format: parquet\n  csv: { header: true }',
    'source.csv',
    7,
    'goes with format csv, not parquet',
  ],
  [
    '  format: csv',
    '  format: parquet\n  bad_rows: { at_most: 1% }',
    'source.bad_rows',
    7,
    'goes with format csv or ndjson, not parquet',
  ],
  [
    '  format: csv',
    '  format: csv\n  bad_rows: { at_most: few }',
    'source.bad_rows.at_most',
    7,
    'is no share; write it as "1%" or "0.1%"',
  ],
  [
    '  format: csv',
    '  format: csv\n  bad_rows: { at_most: 101% }',
    'source.bad_rows.at_most',
    7,
    'is no share; write it as "1%" or "0.1%"',
  ],
  ['  format: csv', '  format: csv\n  bad_rows: {}', 'source.bad_rows.at_most', 7, 'is missing'],
  [
    '  format: csv',
    '  format: csv\n  csv: { delimiter: "||" }',
    'source.csv.delimiter',
    7,
    'is no delimiter: one character, no quote and no line break',
  ],
  [
    '  format: csv',
    `  format: csv\n  csv: { delimiter: '"' }`,
    'source.csv.delimiter',
    7,
    'is no delimiter: one character, no quote and no line break',
  ],
  [
    '  format: csv',
    '  format: csv\n  csv: { header: yes }',
    'source.csv.header',
    7,
    'is a text, and has to be true or false',
  ],
  [PATH, 'path: sales/*.csv.gz', 'source.path', 3, 'needs {snapshot} exactly once'],
  [PATH, 'path: /sales/{snapshot}/*', 'source.path', 3, 'starts with a slash, and no object name does'],
  [
    PATH,
    'path: _freshet/{snapshot}/*',
    'source.path',
    3,
    'starts with _freshet/, where Freshet keeps objects of its own',
  ],
  [
    PATH,
    'path: sales/{snapshot}/{date}/*',
    'source.path',
    3,
    'knows {snapshot}, {partition}, * and **/ only',
  ],
  [PATH, 'path: sales/{snapshot}/**', 'source.path', 3, 'knows {snapshot}, {partition}, * and **/ only'],
  [
    PATH,
    'path: sales/*/{snapshot}.csv',
    'source.path',
    3,
    'has a wildcard before {snapshot}, so that one snapshot would be spread over the bucket',
  ],
  [
    PATH,
    'path: sales/{snapshot}*.csv',
    'source.path',
    3,
    'has a wildcard right after {snapshot}: put something between them',
  ],
  [
    MANIFEST,
    'manifest: sales/{snapshot}/*.json',
    'source.complete.manifest',
    5,
    'names one object, so no wildcards',
  ],
  [MANIFEST, 'manifest: sales/manifest.json', 'source.complete.manifest', 5, 'needs {snapshot} exactly once'],
  [
    MANIFEST,
    'manifest: lists/{snapshot}.json',
    'source.complete.manifest',
    5,
    'lies in lists/, and source.path is not below that',
  ],
  [
    'complete:\n    manifest: sales/{snapshot}/manifest.json',
    'complete: all',
    'source.complete',
    4,
    'is not single-file',
  ],
  ['name: shop.sales', 'name: sales', 'table.name', 8, 'is no table; write it as dataset.table'],
  ['name: shop.sales', 'name: p.shop.sales', 'table.name', 8, 'is no table; write it as dataset.table'],
]

const RULES: readonly Row[] = [
  ['key: [id, day]', 'key: []', 'model.key', 19, 'is empty'],
  ['key: [id, day]', 'key: [id, date]', 'model.key[1]', 19, 'names no column of the table: date'],
  ['key: [id, day]', 'key: [id, id]', 'model.key[1]', 19, 'names id twice'],
  ['key: [id, day]', 'key: [id, 2]', 'model.key[1]', 19, 'is a number, and has to be a text'],
  [
    '  kind: unique',
    '  kind: newest',
    'model.kind',
    18,
    'has no kind that Freshet knows: unique, duplicate or aggregate',
  ],
  [
    'key: [id, day]\n  sequence: changed',
    'key: [id]\n  sequence: changed\nrefresh: { strategy: changed-partitions }',
    'refresh.strategy',
    21,
    'needs the partition column in the key, and day is not part of it',
  ],
  [
    PATH,
    'path: sales/{snapshot}/{partition}/*.csv.gz',
    'source.path',
    3,
    'names {partition}, which only changed-partitions uses',
  ],
  [
    SEQUENCE,
    'sequence: changed\nrefresh: { within: soon }',
    'refresh.within',
    21,
    'is no duration; write it as "60 minutes" or "3 days"',
  ],
  [
    SEQUENCE,
    'sequence: changed\nrefresh: { rollback: 40000 days }',
    'refresh.rollback',
    21,
    'is no duration; write it as "60 minutes" or "3 days"',
  ],
  [
    SEQUENCE,
    'sequence: changed\nrefresh: { strategy: fast }',
    'refresh.strategy',
    21,
    'is not rewrite or changed-partitions',
  ],
  [
    SEQUENCE,
    'sequence: changed\ngates: { min_rows_vs_last: 101% }',
    'gates.min_rows_vs_last',
    21,
    'is no share; write it as "50%"',
  ],
  [
    SEQUENCE,
    'sequence: changed\ngates: { min_rows_vs_last: 0.5 }',
    'gates.min_rows_vs_last',
    21,
    'is a number, and has to be a text',
  ],
  [
    SEQUENCE,
    'sequence: changed\ngates: { null_keys: newest }',
    'gates.null_keys',
    21,
    'is not reject or hold or allow',
  ],
  [SEQUENCE, 'sequence: changed\ngates: strict', 'gates', 21, 'is a text, and has to be a map'],
]

describe('one problem', () => {
  test('the good feed has none', () => expect(problemsOf(GOOD)).toEqual([]))
  test.each([...SETTINGS, ...RULES])('%s → %s', (from, to, path, line, message) => {
    expect(problemsOf(feedWith(from, to))).toEqual([
      { file: 'sales.yaml', path, line, message, hint: expect.stringMatching(/^([A-Z`]|docs).*[.']$/s) },
    ])
  })
})

test('all problems of a file come together', () => {
  const text = feedWith('format: csv', 'format: xml')
    .replace('name: sales', 'name: Sales')
    .replace('id: INT64', 'id: TEXT')
    .replace('key: [id, day]', 'keys: [id]')
  expect(problemsOf(text).map(({ path, line }) => `${line} ${path}`)).toEqual([
    '1 name',
    '6 source.format',
    '10 table.columns.id',
    '18 model.key',
    '19 model.keys',
  ])
})

test('names are looked up only in a feed of the right form, and then all of them', () => {
  const text = feedWith('key: [id, day]', 'key: [ident, day, day]').replace('cluster: [id]', 'cluster: [no]')
  expect(problemsOf(text).map(({ path }) => path)).toEqual([
    'model.key[0]',
    'model.key[2]',
    'table.cluster[0]',
  ])
})

test('a way of completing that is not known', () => {
  expect(problemsOf(feedWith(MANIFEST, 'marked: sales/{snapshot}/_DONE')).map(({ path }) => path)).toEqual([
    'source.complete.manifest',
    'source.complete.marked',
  ])
})
