import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { check, type LoadCase, openLoader } from '../support/load-file.ts'

let loader: Awaited<ReturnType<typeof openLoader>>
beforeAll(async () => {
  loader = await openLoader()
})
afterAll(() => loader.own.close())

const ndjson: LoadCase[] = [
  ['whole numbers', 'a INT64', '{"a":1}\n{"a":-9223372036854775808}\n', [['1'], ['-9223372036854775808']]],
  ['a number in quotes', 'a INT64', '{"a":"12"}', [['12']]],
  [
    'no rounding',
    'a INT64',
    '{"a":1}\n{"a":1.5}',
    /Could not convert value to INTEGER. Field: a; Value: 1.5; line 2; File: URI/,
  ],
  ['no truth as number', 'a INT64', '{"a":true}', /Field: a; Value: true; line 1/],
  ['too big', 'a INT64', '{"a":9223372036854775808}', /Value: 9223372036854775808/],
  ['exact big numbers', 'a INT64', '{"a":9007199254740993}', [['9007199254740993']]],
  ['exponents are not whole numbers', 'a INT64', '{"a":1e3}', /Value: 1e3/],
  [
    'exact decimals',
    'a NUMERIC',
    '{"a":12345678901234567890.123456789}',
    [['12345678901234567890.123456789']],
  ],
  ['decimals in quotes', 'a NUMERIC', '{"a":"-0.5"}', [['-0.5']]],
  ['decimals too big', 'a NUMERIC', '{"a":1e30}', /Value: 1e30/],
  ['floats', 'a FLOAT64', '{"a":1.5}\n{"a":"NaN"}\n{"a":2}', [['1.5'], ['NaN'], ['2.0']]],
  ['texts as written', 'a STRING', '{"a":"é\\n\\u0000x"}\n{"a":""}', [['é\n\u0000x'], ['']]],
  ['numbers as texts', 'a STRING', '{"a":1.10}', [['1.10']]],
  ['no lists as texts', 'a STRING', '{"a":[1]}', /Could not convert value to STRING/],
  ['booleans', 'a BOOL', '{"a":true}\n{"a":"false"}', [['true'], ['false']]],
  ['no numbers as booleans', 'a BOOL', '{"a":1}', /Value: 1/],
  ['dates', 'a DATE', '{"a":"2024-02-29"}', [['2024-02-29']]],
  ['dates that exist', 'a DATE', '{"a":"2023-02-29"}', /Value: "2023-02-29"/],
  ['dates without a time', 'a DATE', '{"a":"2023-02-28 10:00:00"}', /Could not convert value to DATE/],
  [
    'timestamps',
    'a TIMESTAMP',
    '{"a":"2020-01-02 03:04:05.000006Z"}\n{"a":"2020-01-02T05:04:05+02:00"}',
    [['1577934245000006'], ['1577934245000000']],
  ],
  ['timestamps as seconds', 'a TIMESTAMP', '{"a":1577934245}', [['1577934245000000']]],
  ['no nonsense as timestamps', 'a TIMESTAMP', '{"a":"xx"}', /Value: "xx"/],
  [
    'datetimes and times',
    'a DATETIME, b TIME',
    '{"a":"2020-01-02T03:04:05","b":"23:59:59.5"}',
    [['2020-01-02T03:04:05', '23:59:59.5']],
  ],
  ['bytes', 'a BYTES', '{"a":"AAH/"}', [['AAH/']]],
  ['no text as bytes', 'a BYTES', '{"a":"*"}', /Value: "\*"/],
  ['json', 'a JSON', '{"a":{"x":[1,null]}}', [['{"x":[1,null]}']]],
  [
    'missing keys',
    'a INT64, b STRING',
    '{"b":"x"}\n{}',
    [
      [null, 'x'],
      [null, null],
    ],
  ],
  ['keys in another case', 'Id INT64', '{"ID":7}', [['7']]],
  ['unknown keys', 'a INT64', '{"a":1,"zz":2}', /No such field: zz.; line 1/],
  ['unknown keys let pass', 'a INT64', '{"a":1,"zz":2}', [['1']], { ignoreUnknownValues: true }],
  [
    'required',
    'a INT64!',
    '{"a":1}\n{"a":null}',
    /Only optional fields can be set to NULL. Field: a; Value: NULL; line 2/,
  ],
  ['lists', 'a STRING*', '{"a":["x","y"]}\n{"a":null}\n{}', [[['x', 'y']], [[]], [[]]]],
  ['lists without NULL', 'a INT64*', '{"a":[1,null]}', /Field: a\[1\]; Value: NULL/],
  ['syntax', 'a INT64', '{"a":1}\n{"a":', /Unable to parse JSON: .*; line 2/],
  ['one object a line', 'a INT64', '[{"a":1}]', /each line must hold one JSON object/],
  ['blank lines and CRLF', 'a INT64', '{"a":1}\r\n\r\n{"a":2}\r\n', [['1'], ['2']]],
  ['a byte order mark', 'a INT64', '\uFEFF{"a":1}\n', [['1']]],
  [
    'bytes that are not UTF-8',
    'a STRING',
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
    /Invalid UTF-8 in line 1. File: URI/,
  ],
  ['an empty file', 'a INT64', '', []],
  ['gzip by content', 'a INT64', gzipSync('{"a":1}\n{"a":2}\n'), [['1'], ['2']]],
  [
    'gzip of two members',
    'a INT64',
    Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n')]),
    [['1'], ['2']],
  ],
  [
    'gzip cut off',
    'a INT64',
    gzipSync('{"a":1}\n'.repeat(999)).subarray(0, 30),
    /truncated or corrupt.*File: URI/,
  ],
  ['bad records let pass', 'a INT64', '{"a":1}\n{"a":"x"}\n{"a":3}', [['1'], ['3']], { maxBadRecords: 1 }],
  [
    'too many bad records',
    'a INT64',
    '{"a":"y"}\n{"a":"x"}\n{"a":3}',
    /Value: "y"; line 1/,
    { maxBadRecords: 1 },
  ],
  [
    'parquet by content',
    'a INT64',
    'PAR1....PAR1',
    /The file holds Parquet data, not NEWLINE_DELIMITED_JSON/,
  ],
]
describe('NEWLINE_DELIMITED_JSON', () => {
  test.each(ndjson)('%s', async (_name, columns, content, wanted, options) => {
    check(await loader.load('NEWLINE_DELIMITED_JSON', columns, content, options), wanted)
  })
  test('a bad record let pass is told of', async () => {
    const { job } = await loader.load('NEWLINE_DELIMITED_JSON', 'a INT64', '{"a":"x"}\n{"a":1}', {
      maxBadRecords: 5,
    })
    expect(job.statistics.load).toMatchObject({ badRecords: '1', outputRows: '1' })
    expect(job.status.errors[0].message).toMatch(/Value: "x"; line 1/)
  })
})
