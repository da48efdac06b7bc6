/** Snapshot ids: what is one, in which order they are, and how SQL writes them. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareSnapshots,
  parseSnapshotId,
  SNAPSHOT_KINDS,
  type SnapshotId,
  type SnapshotKind,
  sqlSnapshotLiteral,
} from '../../functions/feed/snapshot-id.ts'

function id(text: string, kind: SnapshotKind): SnapshotId {
  const parsed = parseSnapshotId(text, kind)
  if (parsed === undefined) throw new Error(`${text} is no ${kind}`)
  return parsed
}

test.each<readonly [kind: SnapshotKind, text: string, literal: string]>([
  ['integer', '0', '0'],
  ['integer', '42', '42'],
  ['integer', '9223372036854775807', '9223372036854775807'],
  ['date', '2026-01-02', "DATE '2026-01-02'"],
  ['date', '20260102', "DATE '2026-01-02'"],
  ['date', '2024-02-29', "DATE '2024-02-29'"],
  ['date', '0100-01-01', "DATE '0100-01-01'"],
  ['timestamp', '2026-01-02T03:04:05Z', "TIMESTAMP '2026-01-02 03:04:05+00'"],
  ['timestamp', '2026-01-02 03:04', "TIMESTAMP '2026-01-02 03:04:00+00'"],
  ['timestamp', '20260102T030405Z', "TIMESTAMP '2026-01-02 03:04:05+00'"],
  ['timestamp', '202601020304', "TIMESTAMP '2026-01-02 03:04:00+00'"],
  ['timestamp', '2026-01-02-03-04-05', "TIMESTAMP '2026-01-02 03:04:05+00'"],
])('%s %s is %s', (kind, text, literal) => {
  expect(sqlSnapshotLiteral(id(text, kind), kind)).toBe(literal)
})

test.each<readonly [kind: SnapshotKind, text: string]>([
  ['integer', ''],
  ['integer', '007'],
  ['integer', '-1'],
  ['integer', '+1'],
  ['integer', '1.0'],
  ['integer', '1e3'],
  ['integer', ' 1'],
  ['integer', '1\n'],
  ['integer', '١'],
  ['integer', '9223372036854775808'],
  ['date', '2026-02-30'],
  ['date', '2025-02-29'],
  ['date', '2026-13-01'],
  ['date', '2026-00-01'],
  ['date', '2026-1-2'],
  ['date', '0042-01-01'],
  ['date', '2026-01-02T03:04'],
  ['date', '26-01-02'],
  ['timestamp', '2026-01-02'],
  ['timestamp', '2026-01-02T24:00'],
  ['timestamp', '2026-01-02T03:60'],
  ['timestamp', '2026-01-02T03:04:60'],
  ['timestamp', '2026-01-02T03:04:05+02:00'],
  ['timestamp', "2026-01-02T03:04'"],
])('%s %j is no id', (kind, text) => expect(parseSnapshotId(text, kind)).toBeUndefined())

describe('the order', () => {
  test.each<readonly [kind: SnapshotKind, older: string, newer: string]>([
    ['integer', '9', '10'],
    ['integer', '9007199254740993', '9007199254740994'],
    ['date', '2025-12-31', '20260101'],
    ['timestamp', '2026-01-02T03:04', '2026-01-02 03:04:01'],
  ])('%s: %s before %s', (kind, older, newer) => {
    expect(compareSnapshots(id(older, kind), id(newer, kind), kind)).toBeLessThan(0)
  })

  const day = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  const compact = (text: string) => text.replaceAll(/[-:]/g, '')
  const texts: Readonly<Record<SnapshotKind, fc.Arbitrary<string>>> = {
    integer: fc.bigInt(0n, 2n ** 63n - 1n).map(String),
    date: fc.tuple(day, fc.boolean()).map(([date, short]) => {
      const text = date.toISOString().slice(0, 10)
      return short ? compact(text) : text
    }),
    timestamp: fc.tuple(day, fc.boolean(), fc.constantFrom(16, 19)).map(([date, short, length]) => {
      const text = date.toISOString().slice(0, length)
      return short ? compact(text) : text
    }),
  }

  test.each(SNAPSHOT_KINDS)('is total (%s)', kind => {
    fc.assert(
      fc.property(texts[kind], texts[kind], texts[kind], (first, second, third) => {
        const [a, b, c] = [id(first, kind), id(second, kind), id(third, kind)]
        const ab = Math.sign(compareSnapshots(a, b, kind))
        expect(ab).toBe(-Math.sign(compareSnapshots(b, a, kind)) + 0)
        expect(ab === 0).toBe(a === b)
        const [low, middle, high] = [a, b, c].toSorted((x, y) => compareSnapshots(x, y, kind))
        if (low === undefined || middle === undefined || high === undefined)
          throw new Error('three are three')
        expect(compareSnapshots(low, middle, kind)).toBeLessThanOrEqual(0)
        expect(compareSnapshots(middle, high, kind)).toBeLessThanOrEqual(0)
        expect(compareSnapshots(low, high, kind)).toBeLessThanOrEqual(0)
      }),
    )
  })
})
