/** The files of prices and assumptions: dated, overridable in part, and checked. */
import { describe, expect, test } from 'vitest'
import { parseRates, pricesSchema } from '../../functions/estimate/rates.ts'
import { measureRow } from '../../functions/estimate/row-width.ts'
import { ASSUMED, PRICES, retail } from './given.ts'

const BASE = JSON.stringify(PRICES)

test('both files are dated', () => {
  expect(PRICES.asOf).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(ASSUMED.asOf).toMatch(/^\d{4}-\d\d-\d\d$/)
})

test('a file of one’s own needs only what differs', () => {
  const laid = parseRates(pricesSchema, [BASE, 'onDemandPerTiB: 7.5\nslotHour: { ENTERPRISE: 0.066 }'])
  expect(laid).toEqual({
    ...PRICES,
    onDemandPerTiB: 7.5,
    slotHour: { ...PRICES.slotHour, ENTERPRISE: 0.066 },
  })
  expect(parseRates(pricesSchema, [BASE, ''])).toEqual(PRICES)
})

describe('what is wrong is named', () => {
  test.each([
    { text: 'onDemandPerTib: 7', says: 'onDemandPerTib' },
    { text: 'onDemandPerTiB: -1', says: 'onDemandPerTiB' },
    { text: 'onDemandPerTiB: free', says: 'onDemandPerTiB' },
    { text: 'slotHour: 0.05', says: 'slotHour' },
    { text: 'slotHour: { PREMIUM: 1 }', says: 'PREMIUM' },
    { text: 'commitment: { ANNUAL: 20 }', says: 'commitment.ANNUAL' },
    { text: 'asOf: soon', says: 'asOf' },
    { text: 'currency: EUR', says: 'currency' },
    { text: '- 1', says: 'no list of names and figures' },
    { text: 'cheap', says: 'no list of names and figures' },
  ])('$text', ({ text, says }) => {
    expect(() => parseRates(pricesSchema, [BASE, text])).toThrow(says)
  })
})

describe('bytes of a row', () => {
  test('retail: a date and five integers, four of them key', () => {
    expect(measureRow(retail(), 16)).toEqual({ row: 48, keys: 32, values: 16, fingerprinted: 40 })
  })
  test.each([
    { type: 'BOOL', bytes: 1 },
    { type: 'NUMERIC(10, 2)', bytes: 16 },
    { type: 'BIGNUMERIC', bytes: 32 },
    { type: 'FLOAT64', bytes: 8 },
    { type: 'STRING', bytes: 18 },
    { type: 'STRING(40)', bytes: 18 },
    { type: 'JSON', bytes: 18 },
    { type: 'TIME', bytes: 8 },
  ])('$type takes $bytes', ({ type, bytes }) => {
    const feed = retail('attr_value: INT64', `attr_value: ${type}`)
    expect(measureRow(feed, 16).row).toBe(40 + bytes)
  })
})
