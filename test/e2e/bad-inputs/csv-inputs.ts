/** CSV that is packed, encoded, headed, delimited or quoted otherwise than the feed says. */
import { gzipSync } from 'node:zlib'
import type { BadInput, Group } from './bad-input.ts'
import { writeFeed } from './feed-text.ts'

const HEADER = 'id,name,price,day\n'
const ROWS =
  '1,tea,1.10,2026-01-01\n2,salt,0.30,2026-01-02\n3,oats,2.00,2026-01-03\n4,flour,0.90,2026-01-04\n'
const GOOD = HEADER + ROWS
const LONG = HEADER + Array.from({ length: 9_000 }, (_, at) => `${at},tea,1.10,2026-01-01\n`).join('')
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const file = (content: string | Uint8Array) => ({ 'a.csv': content })

const packed: readonly BadInput[] = [
  {
    name: 'a byte-order mark',
    report: 23,
    files: file(`\uFEFF${GOOD}`),
    status: 'rejected',
    says: ['a.csv', 'byte-order mark', 'byte 0', 'UTF-8 without'],
  },
  {
    name: 'a byte-order mark inside gzip',
    report: 23,
    files: { 'a.csv.gz': gzipSync(`\uFEFF${GOOD}`) },
    status: 'rejected',
    says: ['a.csv.gz', 'byte-order mark'],
  },
  {
    name: 'gzip in gzip',
    files: { 'a.csv.gz': gzipSync(gzipSync(GOOD)) },
    status: 'rejected',
    says: ['a.csv.gz', 'compressed twice', 'once'],
  },
  {
    name: 'gzip that was cut within the head',
    files: { 'a.csv.gz': gzipSync(GOOD).subarray(0, -12) },
    status: 'rejected',
    says: ['a.csv.gz', 'no whole gzip stream', 'anew'],
  },
  {
    name: 'gzip that was cut after the head',
    files: { 'a.csv.gz': gzipSync(noise()).subarray(0, -9) },
    status: 'rejected',
    says: ['a.csv.gz', 'truncated'],
  },
  {
    name: 'gzip with a wrong checksum',
    files: { 'a.csv.gz': Buffer.concat([gzipSync(GOOD).subarray(0, -8), Buffer.alloc(8, 7)]) },
    status: 'rejected',
    says: ['a.csv.gz', 'gzip', 'incorrect data check'],
  },
  {
    name: 'gzip beside plain text in one snapshot',
    report: 23,
    files: { 'a.csv': GOOD, 'b.csv.gz': gzipSync(GOOD.replace(/^/gm, '1').replace('1id', 'id')) },
    status: 'rejected',
    says: ['b.csv.gz', 'a.csv', 'gzip', 'all or none'],
  },
  {
    name: 'a zip archive',
    files: file(Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'), Buffer.from(GOOD)])),
    status: 'rejected',
    says: ['a.csv', 'zip archive', 'source.format'],
  },
  {
    name: 'Parquet sent as CSV',
    files: file(Buffer.from(`PAR1${GOOD}PAR1`)),
    status: 'rejected',
    says: ['a.csv', 'Parquet', 'source.format'],
  },
  {
    name: 'Avro sent as CSV',
    report: 21,
    files: file(Buffer.from('Obj\x01\x04\x14avro.codec\x08null\0', 'latin1')),
    status: 'rejected',
    says: ['a.csv', 'Avro', 'source.format'],
  },
]

/** More than the head even when packed. */
function noise(): string {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  return (
    HEADER + Array.from({ length: 12_000 }, (_, at) => `${at},${next()}${next()},1,2026-01-01\n`).join('')
  )
}

const encoded: readonly BadInput[] = [
  {
    name: 'UTF-16 with its mark',
    files: file(utf16(`\uFEFF${GOOD}`)),
    status: 'rejected',
    says: ['a.csv', 'UTF-16'],
  },
  {
    name: 'UTF-16 without its mark',
    files: file(utf16(GOOD)),
    status: 'rejected',
    says: ['a.csv', 'zero byte', 'byte 1', 'UTF-8'],
  },
  {
    name: 'Latin-1',
    files: file(latin1(GOOD.replace('tea', 'thé'))),
    status: 'rejected',
    says: ['a.csv', 'not UTF-8', 'line 2'],
  },
  {
    name: 'Latin-1 after the head',
    files: file(latin1(`${LONG}9001,thé,1.10,2026-01-01\n`)),
    status: 'rejected',
    says: ['a.csv', 'UTF-8', 'line 9002'],
  },
  {
    name: 'a zero byte',
    files: file(GOOD.replace('tea', 'te\0a')),
    status: 'rejected',
    says: ['a.csv', 'zero byte'],
  },
  {
    name: 'lines that end in a carriage return alone',
    files: file(GOOD.replaceAll('\n', '\r')),
    status: 'rejected',
    says: ['a.csv', 'carriage return', 'line feed'],
  },
]

const headed: readonly BadInput[] = [
  {
    name: 'no header row',
    report: 23,
    files: file(ROWS),
    status: 'rejected',
    says: ['a.csv', 'no header row', '1, tea', 'csv.header'],
  },
  {
    name: 'a column missing in the header',
    files: file('id,name,price\n1,tea,1.10\n'),
    status: 'rejected',
    says: ['a.csv', 'lacks the column day'],
  },
  {
    name: 'a column too many',
    files: file('id,name,price,day,colour\n1,tea,1.10,2026-01-01,red\n'),
    status: 'rejected',
    says: ['a.csv', 'colour', 'Add it to the feed'],
  },
  {
    name: 'columns in another order',
    files: file('id,price,name,day\n1,1.10,tea,2026-01-01\n'),
    status: 'rejected',
    says: ['a.csv', 'price where the feed has name', 'column 2', 'order'],
  },
  {
    name: 'a column twice',
    files: file('id,name,price,day,name\n1,tea,1.10,2026-01-01,tea\n'),
    status: 'rejected',
    says: ['a.csv', 'twice'],
  },
  {
    name: 'a header and nothing else',
    report: 4,
    files: file(HEADER),
    status: 'held',
    says: ['no rows landed', 'approve'],
  },
]

const shaped: readonly BadInput[] = [
  {
    name: 'another delimiter',
    files: file(GOOD.replaceAll(',', ';')),
    status: 'rejected',
    says: ['a.csv', '";"', 'csv.delimiter'],
  },
  {
    name: 'a quote that never closes',
    report: 23,
    files: file(`${GOOD}5,"tea,1.10,2026-01-01\n6,salt,1.10,2026-01-01\n`),
    status: 'rejected',
    says: ['a.csv', 'close quote', 'line 6'],
  },
  {
    name: 'a quote escaped with a backslash',
    report: 23,
    files: file(`${GOOD}5,"te\\"a",1.10,2026-01-01\n`),
    status: 'rejected',
    says: ['a.csv', 'close quote', 'line 6'],
  },
  {
    name: 'a quote in the middle of a value',
    files: file(`${GOOD}5,"te"a,1.10,2026-01-01\n`),
    status: 'rejected',
    says: ['a.csv', 'close quote', 'line 6'],
  },
  {
    name: 'a row that is too short',
    files: file(`${GOOD}5,tea\n`),
    status: 'rejected',
    says: ['a.csv', 'Too few values', 'line 6'],
  },
  {
    name: 'a row that is too long',
    files: file(`${GOOD}5,tea,1.10,2026-01-01,red\n`),
    status: 'rejected',
    says: ['a.csv', 'Too many values', 'line 6'],
  },
  {
    name: 'a text where a number belongs, in the second file',
    files: { 'a.csv': GOOD, 'b.csv': `${HEADER}7,tea,cheap,2026-01-01\n` },
    status: 'rejected',
    says: ['b.csv', "'cheap'", 'price', 'line 2', 'send the snapshot again'],
  },
  {
    name: 'a decimal comma',
    files: file(`${GOOD}5,tea,"1,10",2026-01-01\n`),
    status: 'rejected',
    says: ['a.csv', "'1,10'", 'price', 'line 6'],
  },
]

/** Odd, and right all the same: it is loaded as it stands. */
const right: readonly BadInput[] = [
  {
    name: 'a line break inside quotes',
    report: 23,
    files: file(`${HEADER}5,"te\na ""x""",1.10,2026-01-01\n${ROWS}`),
    status: 'refreshed',
    says: [],
  },
  {
    name: 'plain text under a name that ends in .gz',
    files: { 'a.csv.gz': GOOD },
    status: 'refreshed',
    says: [],
  },
  {
    name: 'gzip under a name that does not say so',
    files: file(gzipSync(GOOD)),
    status: 'refreshed',
    says: [],
  },
]

export const csvInputs: Group = {
  feed: 'csv-goods',
  feedText: writeFeed({
    name: 'csv-goods',
    format: 'csv',
    columns: { id: 'INT64', name: 'STRING', price: 'NUMERIC', day: 'DATE' },
  }),
  good: file(GOOD),
  cases: [...packed, ...encoded, ...headed, ...shaped, ...right],
}

/** Nothing but texts, no header: what is meant as a header would pass for data. */
export const bareCsvInputs: Group = {
  feed: 'bare-goods',
  feedText: writeFeed({
    name: 'bare-goods',
    format: 'csv',
    columns: { id: 'STRING', name: 'STRING' },
    source: '  csv: { header: false, delimiter: "\\t" }',
  }),
  good: file('1\ttea\n2\tsalt\n'),
  cases: [
    {
      name: 'a header row that the feed does not expect',
      report: 23,
      files: file('id\tname\n1\ttea\n2\tsalt\n'),
      status: 'rejected',
      says: ['a.csv', 'has a header row', 'csv.header: true'],
    },
    {
      name: 'commas instead of tabs',
      files: file('1,tea\n2,salt\n'),
      status: 'rejected',
      says: ['a.csv', '","', 'csv.delimiter'],
    },
    {
      name: 'three columns instead of two',
      files: file('1\ttea\tred\n2\tsalt\twhite\n'),
      status: 'rejected',
      says: ['a.csv', '3 columns', 'the feed has 2'],
    },
  ],
}
