/** CSV that is headed, delimited or quoted otherwise than the feed says. */
import { gzipSync } from 'node:zlib'
import type { BadInput, Group } from './bad-input.ts'
import { BYTES, GOOD, HEADER, ROWS } from './csv-bytes.ts'
import { writeFeed } from './feed-text.ts'

const file = (content: string | Uint8Array) => ({ 'a.csv': content })

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
  cases: [...BYTES, ...headed, ...shaped, ...right],
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
