/** Sequence numbers: the documentation's own comparisons, what each form takes, and the order that they give. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareSequences, makeSequence } from '../../functions/cdc/sequence.ts'
import type { SequencePart } from '../../functions/feed/changes/change-feed.ts'

const encode = (as: 'integer' | 'timestamp' | 'timestamp-milliseconds' | 'hexadecimal', value: unknown) =>
  makeSequence([{ field: 'f', as }])([value])

/** docs.cloud.google.com/bigquery/docs/change-data-capture#manage_custom_ordering */
test.each([
  ['77', '7B'],
  ['FFF/B', 'FFF/ABC'],
  ['BA/FFFFFFFF', 'ABC'],
  ['ABC', 'FFF/ABC'],
])('%s is older than %s', (older, newer) => {
  expect(compareSequences(older, newer)).toBeLessThan(0)
  expect(compareSequences(newer, older)).toBeGreaterThan(0)
})

test.each([
  ['timestamp-milliseconds', '2024-04-30 11:19:44 UTC', '18F2EBB6480'],
  ['timestamp', '2024-04-30 11:19:44.000001 UTC', '6174E8C009401'],
  ['timestamp', '2024-04-30T13:19:44+02:00', '6174E8C009400'],
  ['integer', 0, '0'],
  ['integer', '123', '7B'],
  ['integer', '18446744073709551615', 'FFFFFFFFFFFFFFFF'],
  ['hexadecimal', '16/B374D848', '16B374D848'],
  ['hexadecimal', '1/2', '100000002'],
  ['hexadecimal', '0x00ff', 'FF'],
] as const)('%s: %s is %s', (as, value, hex) => expect(encode(as, value)).toBe(hex))

test.each([
  ['integer', -1, '-1 is negative, and a section is an unsigned number'],
  ['integer', '18446744073709551616', '"18446744073709551616" is more than 16 hexadecimal digits'],
  ['integer', 1.5, '1.5 is no integer'],
  ['integer', null, 'is NULL, and every change needs its place in the sequence'],
  [
    'timestamp',
    '1969-12-31T23:59:59Z',
    '"1969-12-31T23:59:59Z" is negative, and a section is an unsigned number',
  ],
  [
    'timestamp',
    '2024-04-30T11:19:44',
    '"2024-04-30T11:19:44" is no timestamp with a zone and at most microseconds',
  ],
  [
    'timestamp',
    '2024-04-30T11:19:44.1234567Z',
    '"2024-04-30T11:19:44.1234567Z" is no timestamp with a zone and at most microseconds',
  ],
  [
    'timestamp-milliseconds',
    '2024-04-30T11:19:44.0001Z',
    '"2024-04-30T11:19:44.0001Z" is finer than milliseconds',
  ],
  [
    'hexadecimal',
    '00000027:000000f4:0003',
    '"00000027:000000f4:0003" is no log position of at most 16 hexadecimal digits',
  ],
] as const)('%s takes no %s', (as, value, message) => expect(() => encode(as, value)).toThrow(message))

test('states are ranked by their place', () => {
  const sequence = makeSequence([{ field: 'state', as: 'state', states: ['new', 'paid', 'sent'] }])
  expect(['new', 'paid', 'sent'].map(state => sequence([state]))).toEqual(['0', '1', '2'])
  expect(() => sequence(['lost'])).toThrow('"lost" is none of the states of the feed')
})

describe('laws', () => {
  const parts: readonly SequencePart[] = [
    { field: 'a', as: 'timestamp' },
    { field: 'b', as: 'hexadecimal' },
    { field: 'c', as: 'integer' },
  ]
  const sequence = makeSequence(parts)
  const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  const small = fc.bigInt(0n, 3n)
  const wide = fc.oneof(small, fc.bigInt(0n, 2n ** 64n - 1n))
  const change = fc.record({
    a: fc.oneof(fc.constantFrom(new Date(0), new Date(1)), moment),
    b: wide,
    c: wide,
  })

  test('the order of the numbers is the order of the values', () => {
    fc.assert(
      fc.property(change, change, (left, right) => {
        const of = ({ a, b, c }: typeof left) => sequence([a.toISOString(), b.toString(16), String(c)])
        const sign = (x: bigint, y: bigint) => (x < y ? -1 : x > y ? 1 : 0)
        const wanted =
          sign(BigInt(left.a.getTime()), BigInt(right.a.getTime())) ||
          sign(left.b, right.b) ||
          sign(left.c, right.c)
        expect(Math.sign(compareSequences(of(left), of(right)))).toBe(wanted)
        expect(of(left)).toMatch(/^[0-9A-F]{1,16}(\/[0-9A-F]{1,16}){2}$/)
      }),
    )
  })
})
