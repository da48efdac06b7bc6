import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

let own: OpenBigQuery
let serial = 0
beforeAll(async () => {
  own = await openBigQuery()
  await own.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
})
afterAll(() => own.close())

type Content = string | Uint8Array
type Options = Record<string, unknown>

/** `id INT64!, s STRING` → fields. */
function fields(text: string) {
  return text.split(',').map(part => {
    const [name, type] = part.trim().split(' ')
    const mode = type?.endsWith('!') ? 'REQUIRED' : type?.endsWith('*') ? 'REPEATED' : 'NULLABLE'
    return { name, type: type?.replace(/[!*]$/, ''), mode }
  })
}

/** Loads one object into a new table: its rows, or the message of the failure. */
async function load(format: string, columns: string, content: Content, options: Options = {}) {
  const id = `t${++serial}`
  const uri = own.objects.put('in', `${id}/file`, content)
  const { body, ...rest } = { body: undefined, ...options }
  const job = await own.job({
    load: {
      sourceUris: [uri],
      sourceFormat: format,
      schema: { fields: fields(columns) },
      destinationTable: own.table(`d.${id}`),
      ...rest,
    },
  })
  if (job.error) return { failed: job.error.message, job: body }
  if (job.status.errorResult) {
    const { reason, message, location } = job.status.errorResult
    expect(reason).toBe('invalid')
    expect(location).toBe(uri)
    const gone = await own.call('GET', `/datasets/d/tables/${id}`)
    expect(gone.status).toBe(404)
    return { failed: message.replace(uri, 'URI') }
  }
  const { body: page } = await own.call(
    'GET',
    `/datasets/d/tables/${id}/data?formatOptions.useInt64Timestamp=true`,
  )
  const value = (v: unknown): unknown => (Array.isArray(v) ? v.map(i => value(i.v)) : v)
  const rows = (page.rows ?? []).map((row: { f: { v: unknown }[] }) => row.f.map(cell => value(cell.v)))
  return { rows, job }
}

const ndjson: [string, string, Content, unknown[][] | RegExp, Options?][] = [
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

const csv: [string, string, Content, unknown[][] | RegExp, Options?][] = [
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

function check(result: Awaited<ReturnType<typeof load>>, wanted: unknown[][] | RegExp) {
  if (wanted instanceof RegExp) expect(result.failed).toMatch(wanted)
  else {
    expect(result.failed).toBeUndefined()
    const sorted = (rows: unknown[][]) => rows.map(r => JSON.stringify(r)).sort()
    expect(sorted(result.rows)).toEqual(sorted(wanted))
  }
}

describe('NEWLINE_DELIMITED_JSON', () => {
  test.each(ndjson)('%s', async (_name, columns, content, wanted, options) => {
    check(await load('NEWLINE_DELIMITED_JSON', columns, content, options), wanted)
  })
  test('a bad record let pass is told of', async () => {
    const { job } = await load('NEWLINE_DELIMITED_JSON', 'a INT64', '{"a":"x"}\n{"a":1}', {
      maxBadRecords: 5,
    })
    expect(job.statistics.load).toMatchObject({ badRecords: '1', outputRows: '1' })
    expect(job.status.errors[0].message).toMatch(/Value: "x"; line 1/)
  })
})

describe('CSV', () => {
  test.each(csv)('%s', async (_name, columns, content, wanted, options) => {
    check(await load('CSV', columns, content, options), wanted)
  })
})

describe('PARQUET', () => {
  const path = (name: string) => `${own.dir}/${name}.parquet`
  const write = async (name: string, sql: string) => {
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run("SET TimeZone='UTC'")
    await connection.run(`COPY (${sql}) TO '${path(name)}' (FORMAT parquet)`)
    const { readFileSync } = await import('node:fs')
    return readFileSync(path(name))
  }
  const cases: [string, string, string, unknown[][] | RegExp, Options?][] = [
    [
      'types as they are',
      'a INT64, b STRING, c DATE',
      "SELECT 1::BIGINT AS a, 'x' AS b, DATE '2020-01-02' AS c",
      [['1', 'x', '2020-01-02']],
    ],
    ['narrow numbers', 'a INT64, b FLOAT64', 'SELECT 1::SMALLINT AS a, 1.5::FLOAT AS b', [['1', '1.5']]],
    ['decimals', 'a NUMERIC', 'SELECT 1.25::DECIMAL(10,2) AS a', [['1.25']]],
    [
      'decimals too wide',
      'a NUMERIC',
      'SELECT 1.25::DECIMAL(38,20) AS a',
      /Parquet column 'a' has type DECIMAL\(38,20\) which does not match the target type NUMERIC. File: URI/,
    ],
    [
      'timestamps',
      'a TIMESTAMP, b DATETIME',
      "SELECT TIMESTAMPTZ '2020-01-02 03:04:05+00' AS a, TIMESTAMP '2020-01-02 03:04:05' AS b",
      [['1577934245000000', '2020-01-02T03:04:05']],
    ],
    [
      'no texts as numbers',
      'a INT64',
      "SELECT '1' AS a",
      /Parquet column 'a' has type VARCHAR which does not match the target type INT64/,
    ],
    ['a column missing', 'a INT64, b STRING', 'SELECT 1::BIGINT AS a', [['1', null]]],
    [
      'a required column missing',
      'a INT64, b STRING!',
      'SELECT 1::BIGINT AS a',
      /Required field b is missing/,
    ],
    ['a column too many', 'a INT64', 'SELECT 1::BIGINT AS a, 2 AS zz', /Cannot add fields \(field: zz\)/],
    [
      'a column too many let pass',
      'a INT64',
      'SELECT 1::BIGINT AS a, 2 AS zz',
      [['1']],
      { ignoreUnknownValues: true },
    ],
    ['another case and order', 'a INT64, b STRING', "SELECT 'x' AS B, 1::BIGINT AS A", [['1', 'x']]],
    ['lists', 'a INT64*', 'SELECT [1::BIGINT, 2] AS a', [[['1', '2']]]],
    ['too big for INT64', 'a INT64', 'SELECT 18446744073709551615::UBIGINT AS a', /out of range.*File: URI/],
    ['no rows', 'a INT64', 'SELECT 1::BIGINT AS a WHERE false', []],
  ]
  test.each(cases)('%s', async (name, columns, sql, wanted, options) => {
    check(await load('PARQUET', columns, await write(name.replaceAll(' ', '-'), sql), options), wanted)
  })
  test('another format', async () => {
    check(await load('PARQUET', 'a INT64', '{"a":1}'), /Input file is not in Parquet format. File: URI/)
    check(await load('PARQUET', 'a INT64', ''), /Input file is not in Parquet format/)
    check(await load('PARQUET', 'a INT64', 'PAR1 and then nothing'), /File: URI/)
  })
  test('files of different schemas, each by its own', async () => {
    own.objects.put('in', 'mixed/1', await write('m1', "SELECT 1::BIGINT AS a, 'x' AS b"))
    own.objects.put('in', 'mixed/2', await write('m2', "SELECT 'y' AS b, 2::INTEGER AS a"))
    own.objects.put('in', 'mixed/3', await write('m3', 'SELECT 3::BIGINT AS a'))
    const job = await own.job({
      load: {
        sourceUris: ['gs://in/mixed/*'],
        sourceFormat: 'PARQUET',
        schema: { fields: fields('a INT64, b STRING') },
        destinationTable: own.table('d.mixed'),
      },
    })
    expect(job.status.errorResult).toBeUndefined()
    expect(await own.query('SELECT a, b FROM d.mixed ORDER BY a')).toEqual([
      ['1', 'x'],
      ['2', 'y'],
      ['3', null],
    ])
  })
  test('NULL in a required column', async () => {
    const uri = own.objects.put(
      'in',
      'req',
      await write('req', 'SELECT * FROM (VALUES (1::BIGINT), (NULL)) t(a)'),
    )
    const job = await own.job({
      load: {
        sourceUris: [uri],
        sourceFormat: 'PARQUET',
        schema: { fields: fields('a INT64!') },
        destinationTable: own.table('d.req'),
      },
    })
    expect(job.status.errorResult.message).toBe('Required field a cannot be null')
  })
})

describe('files and tables', () => {
  const job = (load: Options) =>
    own.job({ load: { sourceFormat: 'CSV', schema: { fields: fields('a INT64') }, ...load } })

  test('a manifest pins the files', async () => {
    own.objects.put('in', 'm/1', '1')
    own.objects.put('in', 'm/2', '2')
    own.objects.put('in', 'm/3', '3')
    const uri = own.objects.put('in', 'm/list', 'gs://in/m/1\ngs://in/m/3\n')
    const manifest = { sourceUris: [uri], fileSetSpecType: 'FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST' }
    const done = await job({ ...manifest, destinationTable: own.table('d.manifest') })
    expect(done.statistics.load.inputFiles).toBe('2')
    expect(await own.query('SELECT a FROM d.manifest ORDER BY a')).toEqual([['1'], ['3']])
  })
  test.each([
    ['gs://in/nothing', /Not found: URI gs:\/\/in\/nothing/],
    ['gs://nowhere/x', /Not found: URI gs:\/\/nowhere\/x/],
    ['gs://in/no*thing', /Not found: URI/],
    ['gs://in/a*b*', /Only one wildcard/],
    ['http://x/y', /Invalid source URI/],
  ])('%s', async (uri, message) => {
    const done = await job({ sourceUris: [uri], destinationTable: own.table('d.none') })
    expect(done.status.errorResult.message).toMatch(message)
  })
  test('columns that the job lacks get their default', async () => {
    await own.query("CREATE TABLE d.defaults (a INT64, b STRING DEFAULT 'x', c INT64)")
    own.objects.put('in', 'def', '1\n2\n')
    const done = await job({ sourceUris: ['gs://in/def'], destinationTable: own.table('d.defaults') })
    expect(done.status.errorResult).toBeUndefined()
    expect(await own.query('SELECT a, b, c FROM d.defaults ORDER BY a')).toEqual([
      ['1', 'x', null],
      ['2', 'x', null],
    ])
  })
  test('dispositions', async () => {
    const destinationTable = own.table('d.disposed')
    own.objects.put('in', 'one', '1')
    const uris = { sourceUris: ['gs://in/one'], destinationTable }
    expect((await job({ ...uris, createDisposition: 'CREATE_NEVER' })).status.errorResult.reason).toBe(
      'notFound',
    )
    await job(uris)
    await job(uris)
    expect(await own.query('SELECT COUNT(*) FROM d.disposed')).toEqual([['2']])
    expect((await job({ ...uris, writeDisposition: 'WRITE_EMPTY' })).status.errorResult.reason).toBe(
      'duplicate',
    )
    await job({ ...uris, writeDisposition: 'WRITE_TRUNCATE' })
    expect(await own.query('SELECT COUNT(*) FROM d.disposed')).toEqual([['1']])
    const other = await job({ ...uris, schema: { fields: fields('a STRING') } })
    expect(other.status.errorResult.message).toBe(
      'Provided Schema does not match Table p-test:d.disposed. Field a has changed type from INTEGER to STRING',
    )
  })
  test('what is not served is refused', async () => {
    const refused = await job({
      sourceUris: ['gs://in/one'],
      autodetect: true,
      destinationTable: own.table('d.no'),
    })
    expect(refused.error).toMatchObject({ code: 501, message: expect.stringContaining('autodetect') })
    const unknown = await job({
      sourceUris: ['gs://in/one'],
      nonsense: 1,
      destinationTable: own.table('d.no'),
    })
    expect(unknown.error.message).toContain('configuration.load.nonsense')
  })
})
