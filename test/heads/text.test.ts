/** What the first bytes of CSV and NDJSON objects give away, before anything is loaded. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { feedText, findReason } from './findings.ts'

const CSV = feedText('format: csv')
const BARE = feedText('format: csv\ncsv: { header: false }')
const NDJSON = feedText('format: ndjson')
const OPTIONAL = feedText('format: ndjson', '    id: INT64\n    note: { type: STRING, optional: true }')
const SHARE = 'bad_rows: { at_most: 1% }'
const SOME_BAD = feedText(`format: ndjson\n${SHARE}`)
const BARE_SOME_BAD = feedText(`format: csv\ncsv: { header: false }\n${SHARE}`)
const HEADER = 'id,name,price\n'
const ROW = '{"id":1,"name":"a","price":2}\n'
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

describe('a finding', () => {
  test.each<readonly [what: string, feed: string, content: string | Buffer, reason: string | RegExp]>([
    ['a byte-order mark', CSV, `\uFEFF${HEADER}`, 'starts with a byte-order mark (byte 0)'],
    ['a byte-order mark in gzip', NDJSON, gzipSync(`\uFEFF${ROW}`), 'starts with a byte-order mark (byte 0)'],
    ['bad lines only', SOME_BAD, 'id\n1\n', 'line 1 is no JSON object: id'],
    ['gzip of gzip', CSV, gzipSync(gzipSync(HEADER)), 'is compressed twice'],
    [
      'half a gzip',
      CSV,
      gzipSync(`${HEADER}1,a,2\n`).subarray(0, 20),
      'is no whole gzip stream: unexpected end of file',
    ],
    [
      'gzip that is none',
      CSV,
      Buffer.from([0x1f, 0x8b, 0x08, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6]),
      /^is no whole gzip stream: /,
    ],
    [
      'gzip with a wrong checksum',
      CSV,
      Buffer.from(gzipSync(HEADER).map((byte, at, all) => (at === all.length - 6 ? byte ^ 1 : byte))),
      'is no whole gzip stream: incorrect data check',
    ],
    ['zip', CSV, Buffer.from('PK\x03\x04rest', 'latin1'), 'is a zip archive, not text'],
    ['Parquet', NDJSON, 'PAR1....PAR1', 'is Parquet, not text'],
    ['Parquet in gzip', NDJSON, gzipSync('PAR1....PAR1'), 'is Parquet, not text'],
    ['Avro', NDJSON, latin1('Obj\x01rest'), 'is Avro, not text'],
    ['ORC', CSV, 'ORC rest', 'is ORC, not text'],
    ['zstd', CSV, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'is zstd, not text'],
    ['UTF-16 with its mark', CSV, utf16(`\uFEFF${HEADER}`), 'is UTF-16, not text'],
    ['UTF-16 without', CSV, utf16(HEADER), 'has a zero byte (byte 1), so it is no text'],
    ['Latin-1', CSV, latin1(`${HEADER}1,Zürich,2\n`), 'is not UTF-8 (line 2)'],
    [
      'a character that breaks off',
      CSV,
      Buffer.from(`${HEADER}1,Zü`).subarray(0, -1),
      'is not UTF-8 (line 2)',
    ],
    ['no header', CSV, '1,a,2\n', 'has no header row; its first row is 1, a, 2'],
    ['a column too few', CSV, 'id,name\n1,a\n', 'lacks the column price'],
    ['two columns too few', CSV, 'id\n1\n', 'lacks the column name, price'],
    ['a column too many', CSV, 'id,name,price,tax\n', 'has the column tax, which the feed does not'],
    ['a column twice', CSV, 'id,name,price,price\n', 'names a column twice: id, name, price, price'],
    ['another order', CSV, 'name,id,price\n', 'has name where the feed has id (column 1)'],
    ['semicolons', CSV, 'id;name;price\n', 'is delimited by ";", not ","'],
    ['tabs', CSV, 'id\tname\tprice\n', 'is delimited by "\\t", not ","'],
    ['a line break in the header', CSV, 'id,"na\nme",price\n', 'lacks the column name'],
    ['a header that should not be', BARE, HEADER, 'has a header row'],
    ['a header of other delimiters', BARE, '1;a;2\n', 'is delimited by ";", not ","'],
    ['a first row too short', BARE, '1,a\n', 'has 2 columns in its first row, and the feed has 3'],
    ['a first row too long', BARE, '1,a,2,3\n', 'has 4 columns in its first row, and the feed has 3'],
    ['a JSON array', NDJSON, `[${ROW}]`, 'is a JSON array'],
    ['a JSON array over lines', NDJSON, `\n [\n${ROW}]`, 'is a JSON array'],
    ['pretty JSON', NDJSON, '{\n  "id": 1\n}\n', 'line 1 is no JSON object: {'],
    ['a broken line', NDJSON, `${ROW}${ROW}{"id":3,\n${ROW}`, 'line 3 is no JSON object: {"id":3,'],
    ['a broken last line', NDJSON, `${ROW}{"id":`, 'line 2 is no JSON object: {"id":'],
    ['a line that is a number', NDJSON, `${ROW}\n7\n`, 'line 3 is no JSON object: 7'],
    ['CSV for JSON', NDJSON, HEADER, 'line 1 is no JSON object: id,name,price'],
    ['Avro for ORC', feedText('format: orc'), latin1('Obj\x01rest'), 'is Avro, not orc'],
    ['text for Avro', feedText('format: avro'), HEADER, 'is something else, not avro'],
  ])('%s', async (_, feed, content, reason) => {
    const found = await findReason(feed, content)
    expect(found).toMatch(/^object sales\/1\/f0 /)
    const said = found?.replace(/^object sales\/1\/f0 /, '')
    if (typeof reason === 'string') expect(said).toBe(reason)
    else expect(said).toMatch(reason)
  })

  test('a column that no object has', async () => {
    const lost = 'the column price is in none of the first rows of any object'
    expect(await findReason(NDJSON, '{"id":1,"name":"a"}\n', '{"id":2,"name":"b"}\n')).toBe(lost)
  })

  test('names the object that has it', async () => {
    expect(await findReason(CSV, HEADER, HEADER, 'id;name;price\n')).toMatch(
      /^object sales\/1\/f2 is delimited/,
    )
  })
})

describe('a good file', () => {
  const long = `${HEADER}${'1,Zürich 日本 😀,2\n'.repeat(6_000)}`
  test.each<readonly [what: string, feed: string, contents: readonly (string | Buffer)[]]>([
    ['plain', CSV, [`${HEADER}1,a,2\n`]],
    ['CRLF', CSV, ['id,name,price\r\n1,a,2\r\n']],
    ['quoted headers', CSV, ['"id","name","price"\n1,"a, b",2\n']],
    ['headers in capitals and blanks', CSV, ['ID, Name ,PRICE\n']],
    ['a header only', CSV, [HEADER]],
    ['a header without a line end', CSV, ['id,name,price']],
    ['gzip', CSV, [gzipSync(HEADER)]],
    ['gzip of several members', CSV, [Buffer.concat([gzipSync(HEADER), gzipSync('1,a,2\n')])]],
    ['gzip of many megabytes', NDJSON, [gzipSync(ROW.repeat(2_000_000))]],
    ['an empty file', CSV, ['']],
    ['an empty gzip', CSV, [gzipSync('')]],
    ['an empty file among others', NDJSON, ['', ROW]],
    ...[0, 1, 2, 3].map((shift): [string, string, string[]] => [
      `characters cut at 64 KiB, ${shift}`,
      CSV,
      [HEADER + 'x'.repeat(shift) + long.slice(HEADER.length)],
    ]),
    ['a row without a header', BARE, ['1,a,2\n']],
    ['blank lines', NDJSON, [`\n${ROW}\n\n${ROW}\n`]],
    ['CRLF in NDJSON', NDJSON, [ROW.replace('\n', '\r\n').repeat(3)]],
    ['no last line end', NDJSON, [ROW.trimEnd()]],
    ['a line of 100 KiB', NDJSON, [`{"id":1,"price":2,"name":"${'x'.repeat(100_000)}"}\n`]],
    ['columns in other objects', NDJSON, ['{"id":1}\n', '{"name":"a","price":2}\n']],
    ['keys in capitals', NDJSON, ['{"ID":1,"Name":"a","PRICE":null}\n']],
    ['a column that may be absent', OPTIONAL, ['{"id":1}\n']],
    ['a bad line where some may be', SOME_BAD, [`{"id":\n${ROW}`]],
    ['a bad first row where some may be', BARE_SOME_BAD, ['1,a\n1,a,2\n']],
    ['Avro', feedText('format: avro'), [latin1('Obj\x01rest')]],
    ['ORC', feedText('format: orc'), ['ORC rest']],
  ])('%s', async (_, feed, contents) => {
    expect(await findReason(feed, ...contents)).toBeUndefined()
  })
})
