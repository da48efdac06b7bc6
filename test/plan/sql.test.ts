/** SQL is quoted whatever stands in it: by our own reading of the rules, and by Google's evaluator. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identifier, parseIdentifier } from '../../functions/feed/names.ts'
import { sql, sqlJoin, sqlLiteral, sqlText, sqlType } from '../../functions/plan/sql.ts'
import { type GoogleSql, noGoogleSql, startGoogleSql } from '../support/googlesql.ts'

const HOSTILE = [
  "'",
  '"',
  '`',
  '\\',
  '\n',
  '\r',
  '\t',
  '--',
  '/*',
  '*/',
  ';',
  '\u0024{x}',
  '$&',
  '\u0000',
  '\u007F',
  '\u2028',
  'é',
  '日本',
  '😀',
  ' ',
  'x',
  "\\'",
  '\\`',
  'r"',
  '@p',
  '?',
  '#',
]
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 8 }).map(parts => parts.join('')),
)
const identifier = fc
  .oneof(
    fc
      .array(fc.constantFrom(...HOSTILE, 'a', '_'), { minLength: 1, maxLength: 8 })
      .map(parts => parts.join('')),
    fc.string({ unit: 'grapheme', minLength: 1 }),
  )
  .map(parseIdentifier)
  .filter(name => name !== undefined)

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/lexical#escape_sequences */
function unquote(literal: string, quote: string): string {
  const inner = literal.slice(1, -1)
  expect(literal.at(0)).toBe(quote)
  expect(literal.at(-1)).toBe(quote)
  expect(inner.replaceAll(/\\(u[0-9a-f]{4}|[\\`'nrt])/g, '')).not.toMatch(new RegExp(`[${quote}\\\\\\n\\r]`))
  return inner.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gs, (_, code?: string, one?: string) =>
    code === undefined
      ? ({ n: '\n', r: '\r', t: '\t' }[one ?? ''] ?? one ?? '')
      : String.fromCodePoint(Number.parseInt(code, 16)),
  )
}

test('a text literal is the text', () => {
  fc.assert(
    fc.property(text, value => {
      expect(unquote(sqlText(value).text, "'")).toBe(value)
    }),
  )
})

test('a quoted name is the name', () => {
  fc.assert(
    fc.property(identifier, name => {
      expect(unquote(sql`${name}`.text, '`')).toBe(name)
    }),
  )
})

test('a table is one quoted path', () => {
  const ref = { projectId: 'p', datasetId: 'd', tableId: 't`; DROP TABLE x; --' }
  expect(sql`SELECT 1 FROM ${ref}`.text).toBe('SELECT 1 FROM `p.d.t\\`; DROP TABLE x; --`')
})

test('parts are joined, numbers are whole', () => {
  const names = ['a', 'b c'].map(parseIdentifier).filter((name): name is Identifier => name !== undefined)
  expect(sql`SELECT ${sqlJoin(names)} LIMIT ${7.9}`.text).toBe('SELECT `a`, `b c` LIMIT 7')
  expect(sqlJoin([]).text).toBe('')
})

test.each(['INT64', 'NUMERIC(10, 2)', 'STRING(5)'])('%s is a type', type =>
  expect(sqlType(type).text).toBe(type),
)
test.each(['', 'INT64; DROP TABLE x', 'constructor', 'ARRAY<INT64>'])('%j is no type', type =>
  expect(() => sqlType(type)).toThrow('no column type'),
)
test.each(['42', "DATE '2026-01-02'", "TIMESTAMP '2026-01-02 03:04:05+00'"])('%s is a literal', literal =>
  expect(sqlLiteral(literal).text).toBe(literal),
)
test.each(['', '-1', "'x'", "DATE '2026'; DROP", '1 OR TRUE', "DATE ''' --'"])('%j is no literal', literal =>
  expect(() => sqlLiteral(literal)).toThrow('no literal'),
)

describe.skipIf(noGoogleSql)(`in Google's evaluator${noGoogleSql ? ` (${noGoogleSql})` : ''}`, () => {
  let google: GoogleSql
  beforeAll(async () => {
    google = await startGoogleSql()
  })
  afterAll(() => google?.close())

  test('texts and names come back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(text, identifier, async (value, name) => {
        const { columns, rows } = await google.evaluate(sql`SELECT ${sqlText(value)} AS ${name}`.text, [])
        expect(columns.map(column => column.name)).toEqual([name])
        expect(rows).toEqual([[value]])
      }),
      { numRuns: 100 },
    )
  })
})
