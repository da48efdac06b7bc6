/** Bad rows through the whole of Freshet: good ones are served, bad ones lie in quarantine with their reason. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bed, type Content, startBed } from './bad-inputs/bed.ts'

const CSV = `name: deliveries
source:
  path: deliveries/{snapshot}/*.csv
  complete: { manifest: "deliveries/{snapshot}/manifest.json" }
  format: csv
  bad_rows: { at_most: 50% }
table:
  name: shop.deliveries
  columns:
    id: INT64
    weight: NUMERIC(4, 1)
    share: FLOAT64
    sent: BOOL
    code: STRING(3)
    seal: BYTES(3)
    day: DATE
    at_door: DATETIME
    seen: TIMESTAMP
    opens: TIME
    more: JSON
model: { kind: unique, key: [id], sequence: { from: snapshot, as: delivered } }
gates: { min_rows_vs_last: 0% }
`
const NDJSON = `name: visits
source:
  path: visits/{snapshot}/*.ndjson.gz
  complete: { manifest: "visits/{snapshot}/manifest.json" }
  format: ndjson
  bad_rows: { at_most: 20% }
table:
  name: web.visits
  columns: { id: INT64, pages: NUMERIC, seen: TIMESTAMP, known: BOOL, more: JSON }
model: { kind: unique, key: [id], sequence: seen }
gates: { min_rows_vs_last: 0% }
`
const HEADER = 'id,weight,share,sent,code,seal,day,at_door,seen,opens,more\n'
const TAIL = '2026-01-02,2026-01-02 03:04:05,2026-01-02 03:04:05.5+02:00,03:04:05,"{""a"": [1]}"'
/** A good row, but for the cells that are given, by their place. */
const delivery = (id: string, cells: Readonly<Record<number, string>> = {}): string =>
  `${id},999.9,0.5,yes,abc,YWJj,${TAIL}`
    .replace('"{""a"": [1]}"', 'JSON')
    .split(',')
    .map((cell, at) => cells[at] ?? (cell === 'JSON' ? '"{""a"": [1]}"' : cell))
    .join(',')
    .concat('\n')

let bed: Bed
beforeAll(async () => {
  bed = await startBed([CSV, NDJSON])
})
afterAll(() => bed?.close())

async function send(feed: string, id: number, files: Readonly<Record<string, Content>>, rows?: number) {
  for (const [name, content] of Object.entries(files)) await bed.put(`${feed}/${id}/${name}`, content)
  const listed = Object.keys(files).map((name, at) => ({
    name,
    ...(at === 0 && rows !== undefined && { rows }),
  }))
  await bed.put(`${feed}/${id}/manifest.json`, JSON.stringify({ files: listed }))
  return bed.message(feed, String(id))
}
const quarantined = (table: string, run: string) =>
  bed.query(
    `SELECT snapshot, row_text, reason FROM freshet_staging.${table}__quarantine WHERE run = '${run}' ORDER BY reason`,
  )

const BAD: Readonly<Record<string, readonly [row: string, reason: string]>> = {
  'a number that is none': [delivery('x'), 'id is no INT64: x'],
  'a number that is too large': [delivery('9223372036854775808'), 'id is no INT64: 9223372036854775808'],
  'digits too many before the point': [delivery('21', { 1: '999.95' }), 'weight is no NUMERIC(4, 1): 999.95'],
  'a share in words': [delivery('22', { 2: 'half' }), 'share is no FLOAT64: half'],
  'neither yes nor no': [delivery('23', { 3: 'perhaps' }), 'sent is no BOOL: perhaps'],
  'a code that is too long': [delivery('24', { 4: 'abcd' }), 'code is no STRING(3): abcd'],
  'a seal that is too long': [delivery('25', { 5: 'YWJjZA==' }), 'seal is no BYTES(3): YWJjZA=='],
  'a seal that is no base64': [delivery('26', { 5: '!' }), 'seal is no BYTES(3): !'],
  'a day that never was': [delivery('27', { 6: '2026-02-30' }), 'day is no DATE: 2026-02-30'],
  'a time without a day': [delivery('28', { 7: '03:04' }), 'at_door is no DATETIME: 03:04'],
  'a moment in words': [delivery('29', { 8: 'noon' }), 'seen is no TIMESTAMP: noon'],
  'an hour too late': [delivery('30', { 9: '25:00:00' }), 'opens is no TIME: 25:00:00'],
  'JSON that is cut': [delivery('31', { 10: '{' }), 'more is no JSON: {'],
}

test('CSV: good rows are served, each bad one is told with its column, value and type', async () => {
  const good = ['1', '9007199254740993', '-9223372036854775808'].map(id => delivery(id))
  // The edges: nothing at all, nothing in quotes, what is rounded into its column.
  const edges = ['3,,,,,,,,,,\n', '4,"","","",abc,"","","","","",""\n', delivery('5', { 1: '999.94' })]
  const filler = Array.from({ length: 20 }, (_, at) => delivery(String(100 + at)))
  const bad = Object.values(BAD).map(([row]) => row)
  const unreadable = '6,too,few\n'
  const text = HEADER + [...good, ...edges, ...filler, ...bad, unreadable].join('')
  const rows = good.length + edges.length + filler.length + bad.length + 1
  const message = await send('deliveries', 1, { 'a.csv': text }, rows)
  if (message.status !== 'refreshed') throw new Error(message.reason)
  const count = rows - bad.length - 1
  expect(message).toMatchObject({
    status: 'refreshed',
    rows: { loaded: count, quarantined: bad.length + 1, inserted: count, after: count },
  })
  const found = (await quarantined('deliveries', message.run)) as {
    reason: string
    row_text: string | null
  }[]
  const reasons = Object.values(BAD).map(([, reason]) => reason)
  expect(found.map(({ reason }) => reason)).toEqual(expect.arrayContaining(reasons))
  expect(found).toHaveLength(bad.length + 1)
  expect(found.find(({ row_text }) => row_text === null)?.reason).toMatch(/a\.csv/)
  expect(JSON.parse(found.find(({ reason }) => reason.startsWith('share'))?.row_text ?? '')).toMatchObject({
    id: '22',
    share: 'half',
    day: '2026-01-02',
  })
})

test('CSV: what is served is what the files say, to the last digit', async () => {
  const sql = `SELECT CAST(id AS STRING) AS id, CAST(weight AS STRING) AS weight, share, sent, code,
    TO_BASE64(seal) AS seal, CAST(day AS STRING) AS day, CAST(at_door AS STRING) AS at_door,
    CAST(seen AS STRING) AS seen, CAST(opens AS STRING) AS opens, TO_JSON_STRING(more) AS more, delivered
    FROM shop.deliveries WHERE id NOT BETWEEN 100 AND 200 ORDER BY 1`
  const whole = {
    weight: '999.9',
    share: 0.5,
    sent: true,
    code: 'abc',
    seal: 'YWJj',
    day: '2026-01-02',
    at_door: '2026-01-02 03:04:05',
    seen: '2026-01-02 01:04:05.500+00',
    opens: '03:04:05',
    more: '{"a":[1]}',
    delivered: 1,
  }
  const nothing = { weight: null, share: null, sent: null, day: null, at_door: null, seen: null, opens: null }
  expect(await bed.query(sql)).toMatchObject([
    { id: '-9223372036854775808', ...whole },
    { id: '1', ...whole },
    { id: '3', ...nothing, code: null, seal: null },
    { id: '4', ...nothing, code: 'abc', seal: '' },
    { id: '5', ...whole },
    { id: '9007199254740993', ...whole },
  ])
})

test('CSV: more bad rows than the share reject the snapshot, and the target is as it was', async () => {
  const before = await bed.look('deliveries')
  const text = HEADER + delivery('1') + delivery('x') + delivery('y')
  const message = await send('deliveries', 2, { 'a.csv': text })
  expect(message).toMatchObject({ status: 'rejected' })
  expect(message.reason).toContain('2 of 3 rows are bad, and at most 1 may be')
  expect(message.reason).toContain('id is no INT64: x; id is no INT64: y')
  expect(await bed.look('deliveries')).toEqual(before)
  expect(await quarantined('deliveries', message.run)).toHaveLength(2)
})

test('a manifest counts every row, and one that lies is found out', async () => {
  const text = HEADER + delivery('1') + delivery('2') + delivery('x')
  const message = await send('deliveries', 3, { 'a.csv': text }, 2)
  expect(message).toMatchObject({ status: 'rejected' })
  expect(message.reason).toContain('2 rows landed and 1 was bad, and the manifest promises 2')
})

const line = (id: unknown, more: object = {}) =>
  `${JSON.stringify({ id, pages: 1.5, seen: '2026-01-02T03:04:05Z', known: true, more: { deep: [1] }, ...more })}\n`

test('NDJSON, gzipped and in two files: values of the wrong kind and broken lines', async () => {
  const a =
    line(1) +
    line('9007199254740993', { known: 'no', seen: 1767323045.25, more: 7 }) +
    '{"id": 3, \n' +
    line('x')
  const b = Array.from({ length: 8 }, (_, at) => line(10 + at, { pages: null })).join('')
  const message = await send('visits', 1, { 'a.ndjson.gz': gzipSync(a), 'b.ndjson.gz': gzipSync(b) })
  expect(message).toMatchObject({ status: 'refreshed', rows: { loaded: 10, quarantined: 2, after: 10 } })
  const found = await quarantined('visits', message.run)
  expect(found).toMatchObject([
    { snapshot: '1', row_text: null, reason: expect.stringMatching(/a\.ndjson\.gz/) },
    { snapshot: '1', row_text: expect.stringContaining('"id":"x"'), reason: 'id is no INT64: x' },
  ])
  const sql = `SELECT CAST(id AS STRING) AS id, CAST(pages AS STRING) AS pages, CAST(seen AS STRING) AS seen, known,
    TO_JSON_STRING(more) AS more FROM web.visits WHERE id NOT BETWEEN 10 AND 17 ORDER BY 1`
  expect(await bed.query(sql)).toEqual([
    { id: '1', pages: '1.5', seen: '2026-01-02 03:04:05+00', known: true, more: '{"deep":[1]}' },
    { id: '9007199254740993', pages: '1.5', seen: '2026-01-02 03:04:05.250+00', known: false, more: '7' },
  ])
})

test('NDJSON: lines that can not be read count for the share', async () => {
  const before = await bed.look('visits')
  const message = await send('visits', 2, { 'a.ndjson.gz': gzipSync(`${line(1)}{\n{\n${line(2)}`) })
  expect(message).toMatchObject({ status: 'rejected' })
  expect(message.reason).toMatch(/2 of 4 rows are bad, and at most 0 may be: .*a\.ndjson\.gz/)
  expect(await bed.look('visits')).toEqual(before)
  expect(await quarantined('visits', message.run)).toHaveLength(2)
})

test('a file that breaks off is no bad row: it rejects its snapshot', async () => {
  const before = await bed.look('visits')
  const long = Array.from({ length: 30_000 }, (_, at) => line(at, { more: Math.sin(at) })).join('')
  const message = await send('visits', 4, { 'a.ndjson.gz': gzipSync(long).subarray(0, -9) })
  expect(message).toMatchObject({ status: 'rejected' })
  expect(message.reason).toContain('a.ndjson.gz')
  expect(await bed.look('visits')).toEqual(before)
})

test('a snapshot without bad rows, and nothing of the texts is left', async () => {
  const message = await send('visits', 5, {
    'a.ndjson.gz': gzipSync(line(1, { seen: '2027-01-01T00:00:00Z' })),
  })
  expect(message).toMatchObject({ status: 'refreshed', rows: { loaded: 1, quarantined: 0, updated: 1 } })
  await expect
    .poll(() => bed.query('SELECT table_name FROM freshet_landing.INFORMATION_SCHEMA.TABLES'), {
      timeout: 30_000,
    })
    .toEqual([])
})
