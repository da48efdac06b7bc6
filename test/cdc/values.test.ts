/** Values on the wire: what each type takes, exactly, and what it refuses. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDecimal, rangeOf } from '../../functions/cdc/decimal.ts'
import { parseDays, parseMicros } from '../../functions/cdc/moment.ts'
import { readChangeFeed, rowsOf } from '../support/change-feed.ts'

const feedOf = (type: string, format = 'ndjson') =>
  readChangeFeed(`name: f
delivers: changes
source: { path: "f/*", format: ${format} }
table: { name: d.t, columns: { k: INT64, v: ${JSON.stringify(type)} } }
model: { key: [k] }
changes: { operation: op, upsert: [U], sequence: [{ field: s, as: integer }] }
`)

/** `json` as it stands in the file. */
const sendJson = async (type: string, json: string) =>
  (await rowsOf(feedOf(type), `{"op":"U","k":1,"s":1,"v":${json}}\n`))[0]?.v
const sendCsv = async (type: string, text: string) =>
  (await rowsOf(feedOf(type, 'csv'), `op,s,k,v\nU,1,1,${text}\n`))[0]?.v

test.each([
  ['INT64', '9007199254740993', '9007199254740993'],
  ['INT64', '-9223372036854775808', '-9223372036854775808'],
  ['INT64', '"12"', '12'],
  ['NUMERIC', '12345678901234567890123456789.123456789', '12345678901234567890123456789.123456789'],
  ['NUMERIC', '1.50e1', '15'],
  ['NUMERIC', '-0.10', '-0.1'],
  ['BIGNUMERIC', '"0.00000000000000000000000000000000000001"', '0.00000000000000000000000000000000000001'],
  ['FLOAT64', '0.1', 0.1],
  ['FLOAT64', '"NaN"', Number.NaN],
  ['BOOL', 'true', true],
  ['STRING', '"ä€😀"', 'ä€😀'],
  ['STRING', '1.50', '1.50'],
  ['STRING', '12345678901234567890', '12345678901234567890'],
  ['DATE', '"1970-01-02"', 1],
  ['DATE', '"1969-12-31"', -1],
  ['TIMESTAMP', '"1970-01-01T00:00:00.000001Z"', '1'],
  ['TIMESTAMP', '"1970-01-01 01:00:00+01:00"', '0'],
  ['TIMESTAMP', '"0001-01-01 00:00:00 UTC"', '-62135596800000000'],
  ['TIMESTAMP', '"9999-12-31 23:59:59.999999Z"', '253402300799999999'],
  ['DATETIME', '"2026-01-02T03:04:05.1200"', '2026-01-02 03:04:05.12'],
  ['TIME', '"03:04:05"', '03:04:05'],
  ['JSON', '{"a":[1.10,12345678901234567890]}', '{"a":[1.10,12345678901234567890]}'],
  ['BYTES', '"AQI="', Buffer.from([1, 2])],
])('%s takes %s', async (type, json, value) => expect(await sendJson(type, json)).toEqual(value))

test.each([
  ['INT64', '1.5'],
  ['INT64', '9223372036854775808'],
  ['NUMERIC', '0.1234567891'],
  ['NUMERIC(5, 2)', '1000'],
  ['BIGNUMERIC', '"578960446186580977117854925043439539266.34992332820282019728792003956564819968"'],
  ['FLOAT64', '"1e999"'],
  ['BOOL', '1'],
  ['STRING(2)', '"abc"'],
  ['STRING', '{"a":1}'],
  ['DATE', '"2026-02-29"'],
  ['DATE', '"2026-1-1"'],
  ['TIMESTAMP', '"2026-01-01T00:00:00"'],
  ['TIMESTAMP', '"2026-01-01T24:00:00Z"'],
  ['TIMESTAMP', '"2026-01-01T00:00:00.0000001Z"'],
  ['TIMESTAMP', '"0001-01-01T00:00:00+01:00"'],
  ['TIMESTAMP', '1767225600'],
  ['DATETIME', '"2026-01-01T00:00:00Z"'],
  ['TIME', '"25:00:00"'],
  ['BYTES', '"AQI"'],
])('%s refuses %s with line and column', async (type, json) => {
  await expect(sendJson(type, json)).rejects.toMatchObject({ line: 1, column: 'v' })
})

test.each([
  ['STRING', '', undefined],
  ['STRING', '""', ''],
  ['NUMERIC', '0.10', '0.1'],
  ['BOOL', 'TRUE', true],
  ['JSON', '"{""a"":1}"', '{"a":1}'],
])('of CSV %s takes %s', async (type, text, value) => expect(await sendCsv(type, text)).toEqual(value))

describe('laws', () => {
  test('a timestamp is the instant that it names', () => {
    const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 0, max: 999 }),
        fc.integer({ min: -840, max: 840 }),
        (at, micros, offset) => {
          const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, 23)
          const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')}:${String(Math.abs(offset) % 60).padStart(2, '0')}`
          const text = `${local}${String(micros).padStart(3, '0')}${zone}`
          expect(BigInt(parseMicros(text) ?? -1)).toBe(BigInt(at.getTime()) * 1_000n + BigInt(micros))
          expect(parseDays(at.toISOString().slice(0, 10))).toBe(Math.floor(at.getTime() / 86_400_000))
        },
      ),
    )
  })

  test('a decimal keeps its value, and equal values have one text', () => {
    const range = rangeOf('NUMERIC')
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 38n) + 1n, 10n ** 38n - 1n), fc.nat(3), (scaled, zeros) => {
        const digits = String(scaled < 0n ? -scaled : scaled).padStart(10, '0')
        const text = `${scaled < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}${'0'.repeat(zeros)}`
        const found = parseDecimal(text, range) ?? ''
        const [whole = '', fraction = ''] = found.replace('-', '').split('.')
        expect(BigInt(whole + fraction.padEnd(9, '0')) * (found.startsWith('-') ? -1n : 1n)).toBe(scaled)
        expect(parseDecimal(`${text}e0`, range)).toBe(found)
        expect(found).not.toMatch(/\.$|\.\d*0$|^-?0\d/)
      }),
    )
  })
})
