/** CSV that is packed or encoded otherwise than it should be: what its bytes alone give away. */
import { gzipSync } from 'node:zlib'
import type { BadInput } from './bad-input.ts'

export const HEADER = 'id,name,price,day\n'
export const ROWS =
  '1,tea,1.10,2026-01-01\n2,salt,0.30,2026-01-02\n3,oats,2.00,2026-01-03\n4,flour,0.90,2026-01-04\n'
export const GOOD = HEADER + ROWS
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

export const BYTES: readonly BadInput[] = [...packed, ...encoded]
