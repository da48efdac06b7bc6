/** Change files as streams: wherever they are cut, packed or not, and what is said of those that are wrong. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countChanges } from '../../functions/cdc/count-file.ts'
import { describeProblem, RecordProblem } from '../../functions/cdc/read/record.ts'
import { blocksOf, bytesOf, ORDERS, readChangeFeed, rowsOf } from '../support/change-feed.ts'

const NDJSON = readChangeFeed()
const CSV = readChangeFeed(ORDERS.replace('format: ndjson', 'format: csv'))
const ROWS = [
  '{"op":"I","id":1,"price":1.5,"note":"ä\\n€","lsn":"0/1","ordinal":0}',
  '',
  '{"op":"U","ID":2,"price":"2","lsn":"0/1","ordinal":1,"note":null}\r',
  '{"op":"D","id":1,"lsn":"0/2","ordinal":0}',
].join('\n')
const LINES = `op,id,price,lsn,ordinal,note\nI,1,1.5,0/1,0,"ä\n€"\r\nU,2,2,0/1,1,\nD,1,,0/2,0,\n`
const WANTED = [
  { id: '2', price: '2', _CHANGE_SEQUENCE_NUMBER: '1/1', _CHANGE_TYPE: 'UPSERT' },
  { id: '1', _CHANGE_SEQUENCE_NUMBER: '2/0', _CHANGE_TYPE: 'DELETE' },
]

test('both formats say the same, and a key collapses to its newest change', async () => {
  expect(await rowsOf(NDJSON, ROWS)).toEqual(WANTED)
  expect(await rowsOf(CSV, LINES)).toEqual(WANTED)
})

test('where a file is cut makes no difference, nor does gzip', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      fc.boolean(),
      async (piece, packed, csv) => {
        const [feed, text] = csv ? [CSV, LINES] : [NDJSON, ROWS]
        const bytes = packed ? gzipSync(text) : Buffer.from(text)
        async function* pieces() {
          for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
        }
        expect(await countChanges(blocksOf(feed, pieces()))).toMatchObject({
          records: 3,
          upserts: 1,
          deletes: 1,
        })
      },
    ),
    { numRuns: 40 },
  )
})

const row = (change: string) => `{"op":"I","id":1,"price":1,"lsn":"0/1","ordinal":0${change}}`
const good = row('')

test.each([
  ['a broken line', NDJSON, `${good}\n{"op":\n`, 'line 2: is no JSON'],
  ['no object', NDJSON, '[1]\n', 'line 1: is no JSON object'],
  ['an unknown field', NDJSON, `${good}\n\n${row(',"x":1')}`, 'line 3, column x: is no field of the feed'],
  [
    'no key',
    NDJSON,
    good.replace('"id":1', '"id":null'),
    'line 1, column id: is NULL, and every change needs its key',
  ],
  [
    'a column that is absent',
    NDJSON,
    good.replace('"price":1,', ''),
    'line 1, column price: is missing, and an upsert',
  ],
  [
    'another operation',
    NDJSON,
    good.replace('"I"', '"X"'),
    'line 1, column op: "X" is no operation of the feed',
  ],
  [
    'a bad value',
    NDJSON,
    good.replace(':1,"lsn', ':1.234,"lsn'),
    'line 1, column price: 1.234 is no NUMERIC(10, 2)',
  ],
  [
    'no place in the sequence',
    NDJSON,
    good.replace('"0/1"', '"?"'),
    'line 1, column lsn: "?" is no log position',
  ],
  [
    'a row that is too short',
    CSV,
    'op,id,price,lsn,ordinal\nI,1\n',
    'line 2: is no CSV: Invalid Record Length',
  ],
  ['a header that is unknown', CSV, 'op,id,prize\n', 'line 1, column prize: is no field of the feed'],
  ['a quote that is open', CSV, 'op,id,price,lsn,ordinal\nI,"1', 'is no CSV: Quote Not Closed'],
])('%s is told with its place', async (_, feed, text, message) => {
  const problem = await rowsOf(feed, text).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(problem instanceof RecordProblem)) throw problem
  expect(describeProblem('orders/7', problem)).toContain('object orders/7')
  expect(describeProblem('orders/7', problem)).toContain(message)
})

async function* raw(...pieces: readonly Uint8Array[]) {
  yield* pieces
}

test.each([
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is no UTF-8'],
  ['half of gzip', gzipSync(good).subarray(0, 30), 'is broken gzip'],
])('a file that is %s is refused as a whole', async (_, bytes, message) => {
  await expect(countChanges(blocksOf(NDJSON, raw(bytes)))).rejects.toThrow(message)
})

test('a column may be called as what every object has', async () => {
  const feed = readChangeFeed(ORDERS.replace('note:', 'constructor:'))
  expect((await rowsOf(feed, good))[0]).not.toHaveProperty('constructor', expect.anything())
})

test('a file of more keys than a block holds is taken block by block', async () => {
  const text = Array.from({ length: 100 }, (_, id) => good.replace('"id":1', `"id":${id % 30}`)).join('\n')
  const blocks = []
  for await (const block of blocksOf(NDJSON, bytesOf(text, 50), { bytes: 1_000_000, changes: 10 }))
    blocks.push(block)
  expect(blocks.map(({ line }) => line)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
  expect(blocks.every(({ changes }) => changes.length === 10)).toBe(true)
})
