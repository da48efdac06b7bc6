/** One value of every type that the type does not have: the row before it is good, the row after it as well. */
import type { BadInput, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const GOOD = {
  n: 1,
  share: 0.5,
  price: '1.10',
  small: '1.10',
  sold: true,
  day: '2026-01-01',
  at: '2026-01-01T10:00:00Z',
  local: '2026-01-01T10:00:00',
  clock: '10:00:00',
  raw: 'AAEC',
  code: 'abcde',
}
const row = (id: number, more: object = {}) => ({ id, ...GOOD, ...more })
const good = lines(row(1), row(2), row(3))

/** Written as it stands, since JavaScript could not hold some of these numbers. */
const withValue = (column: keyof typeof GOOD, json: string) => {
  const marked = JSON.stringify(row(4, { [column]: 'HERE' })).replace('"HERE"', json)
  return { 'a.ndjson': `${good}${marked}\n${lines(row(5))}` }
}

const refuse = (column: keyof typeof GOOD, json: string, why: string, report?: number): BadInput => ({
  name: `${column} ${json.slice(0, 40)}: ${why}`,
  ...(report !== undefined && { report }),
  files: withValue(column, json),
  status: 'rejected',
  says: ['a.ndjson', `Field: ${column};`, `Value: ${json}`, 'line 4', 'send the snapshot again'],
})

const accept = (column: keyof typeof GOOD, json: string, why: string): BadInput => ({
  name: `${column} ${json}: ${why}`,
  files: withValue(column, json),
  status: 'refreshed',
  says: [],
})

export const valueInputs: Group = {
  feed: 'all-types',
  feedText: writeFeed({
    name: 'all-types',
    format: 'ndjson',
    columns: {
      id: 'INT64',
      n: 'INT64',
      share: 'FLOAT64',
      price: 'NUMERIC',
      small: 'NUMERIC(10, 2)',
      sold: 'BOOL',
      day: 'DATE',
      at: 'TIMESTAMP',
      local: 'DATETIME',
      clock: 'TIME',
      raw: 'BYTES',
      code: 'STRING(5)',
    },
  }),
  good: { 'a.ndjson': good },
  cases: [
    refuse('n', '1.5', 'no whole number'),
    refuse('n', '9223372036854775808', 'one more than INT64 holds'),
    refuse('n', '-9223372036854775809', 'one less than INT64 holds'),
    refuse('n', '"NaN"', 'no whole number'),
    refuse('n', 'true', 'a truth is no number'),
    refuse('n', '""', 'nothing is no number'),
    refuse('share', '1e400', 'more than FLOAT64 holds'),
    refuse('share', '"1,5"', 'a decimal comma'),
    refuse('price', '"12345678901234567890123456789.5e1"', '30 digits before the point', 22),
    refuse('price', '123456789012345678901234567890', '30 digits before the point', 22),
    refuse('price', '"cheap"', 'no number'),
    refuse('small', '"123456789.00"', '9 digits before the point of NUMERIC(10, 2)', 22),
    refuse('sold', '"maybe"', 'neither true nor false'),
    refuse('sold', '2', 'neither true nor false'),
    refuse('day', '"2026-02-30"', 'no such day'),
    refuse('day', '"10000-01-01"', 'after the last year'),
    refuse('day', '"2026-01-01T00:00:00"', 'a date with a time'),
    refuse('day', '20260101', 'a number'),
    refuse('at', '"2026-01-01 25:00:00Z"', 'no such hour'),
    refuse('at', '"yesterday"', 'no timestamp'),
    refuse('at', '1767225600000', 'milliseconds where seconds belong', 21),
    refuse('local', '"2026-01-01T10:00:00+02:00"', 'a zone where none belongs'),
    refuse('clock', '"24:00:00"', 'no such time'),
    refuse('raw', '"@@@"', 'not base64'),
    refuse('code', '"abcdef"', 'six characters for STRING(5)'),
    accept('at', '"2026-01-01 10:00:00"', 'without a zone it is UTC'),
    accept('at', '1767225600', 'a number is seconds since 1970'),
    accept('share', '"NaN"', 'FLOAT64 has it'),
    accept('code', '"größe"', 'five characters, seven bytes'),
  ],
}
