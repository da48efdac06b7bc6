/** The small grammars: feed names, column names, tables, durations, column types. */
import { describe, expect, test } from 'vitest'
import { isColumnType } from '../../functions/feed/column-type.ts'
import { parseDuration } from '../../functions/feed/duration.ts'
import { parseFeedName, parseIdentifier, parseRunId, parseServedTable } from '../../functions/feed/names.ts'

describe('durations', () => {
  test.each([
    ['1 second', 1],
    ['60 minutes', 3_600],
    ['1 hour', 3_600],
    ['3 days', 259_200],
    ['36500 days', 36_500 * 86_400],
  ])('%s', (text, seconds) => expect(parseDuration(text)).toBe(seconds))
  test.each([
    '',
    '0 days',
    '-1 days',
    '1',
    '1d',
    '1  day',
    '1 Day',
    '1 week',
    '1.5 hours',
    '36501 days',
    '1 days\n',
    ' 1 day',
  ])('%j is none', text => expect(parseDuration(text)).toBeUndefined())
})

describe('feed names', () => {
  test.each(['a', 'store-attributes', 'a1-b2', 'a'.repeat(40)])('%s', text =>
    expect(parseFeedName(text)).toBe(text),
  )
  test.each(['', 'A', '1a', 'a_b', 'a--b', '-a', 'a-', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(41)])(
    '%j is none',
    text => expect(parseFeedName(text)).toBeUndefined(),
  )
})

describe('column names', () => {
  test.each(['a', 'A_1', '_x', 'group by', 'größe', '日本', 'a-b', 'select', "it's", 'a'.repeat(300)])(
    '%s',
    text => expect(parseIdentifier(text)).toBe(text),
  )
  test.each([
    '',
    ' a',
    'a ',
    'a`b',
    'a"b',
    'a.b',
    'a\\b',
    'a\nb',
    'a\u0000',
    '\uD800',
    '_TABLE_x',
    '_file_x',
    '_PARTITIONTIME',
    '__root__x',
    'a'.repeat(301),
  ])('%j is none', text => expect(parseIdentifier(text)).toBeUndefined())
})

describe('tables', () => {
  test.each([
    ['retail.sales', { datasetId: 'retail', tableId: 'sales' }],
    ['r_1.sales-2', { datasetId: 'r_1', tableId: 'sales-2' }],
  ])('%s', (text, table) => expect(parseServedTable(text)).toEqual(table))
  test.each([
    'sales',
    'p.retail.sales',
    'retail-x.sales',
    'retail.',
    '.sales',
    'retail.sa les',
    'retail.s`',
    'retail.sales\n',
  ])('%j is none', text => expect(parseServedTable(text)).toBeUndefined())
})

describe('column types', () => {
  test.each([
    'INT64',
    'JSON',
    'STRING(1)',
    'BYTES(1000)',
    'NUMERIC(38, 9)',
    'NUMERIC(29)',
    'NUMERIC(9,9)',
    'BIGNUMERIC(76, 38)',
    'BIGNUMERIC(38)',
  ])('%s', text => expect(isColumnType(text)).toBe(true))
  test.each([
    '',
    'int64',
    'INTEGER',
    'STRUCT<a INT64>',
    'ARRAY<INT64>',
    'STRING()',
    'STRING(0)',
    'NUMERIC(30)',
    'NUMERIC(10, 10, 1)',
    'NUMERIC(5, 10)',
    'NUMERIC(12, 10)',
    'BIGNUMERIC(39)',
    'INT64(3)',
    'toString',
    '__proto__',
    'INT64) --',
  ])('%j is none', text => expect(isColumnType(text)).toBe(false))
})

test.each([
  ['0123456789abcdef', true],
  ['0123456789ABCDEF', false],
  ['0123456789abcde', false],
  ['../../../../x', false],
])('run id %s: %s', (text, is) => expect(parseRunId(text) !== undefined).toBe(is))
