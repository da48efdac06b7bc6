import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { check, type LoadCase, openLoader } from '../support/load-file.ts'

let loader: Awaited<ReturnType<typeof openLoader>>
beforeAll(async () => {
  loader = await openLoader()
})
afterAll(() => loader.own.close())

const csv: LoadCase[] = [
  [
    'rows',
    'a INT64, b STRING',
    '1,x\n2,y\n',
    [
      ['1', 'x'],
      ['2', 'y'],
    ],
  ],
  ['a header', 'a INT64', 'a\n1\n', [['1']], { skipLeadingRows: 1 }],
  [
    'no rounding',
    'a INT64',
    '1\n1.5\n',
    /Could not parse '1.5' as INT64 for field a \(position 0\); line 2; File: URI/,
  ],
  ['no underscores', 'a INT64', '1_000', /Could not parse '1_000'/],
  ['no exponents', 'a INT64', '1e3', /Could not parse '1e3'/],
  ['dates only', 'a DATE', '2020-01-01 10:00:00', /as DATE/],
  ['no epoch as timestamp', 'a TIMESTAMP', '1577836800', /as TIMESTAMP/],
  [
    'timestamps',
    'a TIMESTAMP',
    '2020-01-02 03:04:05 UTC\n2020/01/02 03:04:05',
    [['1577934245000000'], ['1577934245000000']],
  ],
  ['booleans in words', 'a BOOL', 'T\nno\n1\n', [['true'], ['false'], ['true']]],
  [
    'nothing is NULL',
    'a STRING, b INT64',
    ',\n"",\n',
    [
      [null, null],
      ['', null],
    ],
  ],
  [
    'a null marker',
    'a STRING, b INT64',
    'NULL,NULL\n,1\n',
    [
      [null, null],
      ['', '1'],
    ],
    { nullMarker: 'NULL' },
  ],
  [
    'nothing is not a number',
    'a INT64, b STRING',
    ',x',
    /Could not parse '' as INT64/,
    { nullMarker: 'NULL' },
  ],
  ['quotes', 'a STRING, b STRING', '"a,""b""",c', [['a,"b"', 'c']]],
  ['text behind a quote', 'a STRING', '"a"b', /Data between close quote character/],
  ['newlines in quotes', 'a STRING', '"a\nb"', [['a\nb']], { allowQuotedNewlines: true }],
  ['no newlines in quotes', 'a STRING', '"a\nb"', /Missing close quote character.*line 1/],
  [
    'too many values',
    'a INT64',
    '1,2',
    /Too many values in row. Found 2 column\(s\) while expected 1; line 1/,
  ],
  ['too many let pass', 'a INT64', '1,2', [['1']], { ignoreUnknownValues: true }],
  ['too few values', 'a INT64, b INT64', '1', /Too few values in row/],
  ['jagged rows', 'a INT64, b INT64', '1', [['1', null]], { allowJaggedRows: true }],
  ['another delimiter', 'a INT64, b STRING', '1|x', [['1', 'x']], { fieldDelimiter: '|' }],
  ['tabs', 'a INT64, b STRING', '1\tx', [['1', 'x']], { fieldDelimiter: '\\t' }],
  ['required', 'a STRING!', 'x\n""\n', [['x'], ['']]],
  [
    'required but missing',
    'a INT64!, b INT64',
    '1,1\n,2\n',
    /Required column value for column index: 0 is missing.*line 2/,
  ],
  ['latin-1', 'a STRING', Buffer.from('caf\xe9', 'latin1'), [['café']], { encoding: 'ISO-8859-1' }],
  ['decimals', 'a NUMERIC', '-1.123456789\n1e2', [['-1.123456789'], ['100']]],
  ['bad records let pass', 'a INT64', '1\nx\n3', [['1'], ['3']], { maxBadRecords: 2 }],
  ['gzip', 'a INT64', gzipSync('1\n2\n'), [['1'], ['2']]],
  ['an empty file', 'a INT64', '', []],
]
describe('CSV', () => {
  test.each(csv)('%s', async (_name, columns, content, wanted, options) => {
    check(await loader.load('CSV', columns, content, options), wanted)
  })
})
