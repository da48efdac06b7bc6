/**
 * `_CHANGE_SEQUENCE_NUMBER`: one to four sections of hexadecimal digits, compared from the left as unsigned numbers.
 * docs.cloud.google.com/bigquery/docs/change-data-capture#manage_custom_ordering
 */
import type { SequencePart } from '../feed/changes/change-feed.ts'
import { parseMicros } from './moment.ts'
import { NumberText, type RawValue, showValue, ValueProblem } from './raw-value.ts'

const MAX = 2n ** 64n - 1n

function toHex(value: number | bigint, shown: RawValue): string {
  if (value < 0)
    throw new ValueProblem(`${showValue(shown)} is negative, and a section is an unsigned number`)
  if (value > MAX) throw new ValueProblem(`${showValue(shown)} is more than 16 hexadecimal digits`)
  return value.toString(16).toUpperCase()
}

function encodeInteger(value: RawValue): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return toHex(value, value)
  const text = value instanceof NumberText ? value.text : value
  if (typeof text !== 'string' || !/^[+-]?\d{1,30}$/.test(text))
    throw new ValueProblem(`${showValue(value)} is no integer`)
  return toHex(BigInt(text.replace(/^\+/, '')), value)
}

function encodeTimestamp(value: RawValue, unit: number): string {
  const micros = typeof value === 'string' ? parseMicros(value) : undefined
  if (micros === undefined)
    throw new ValueProblem(`${showValue(value)} is no timestamp with a zone and at most microseconds`)
  const whole = typeof micros === 'number' ? micros % unit === 0 : micros % BigInt(unit) === 0n
  if (!whole) throw new ValueProblem(`${showValue(value)} is finer than milliseconds`)
  return toHex(typeof micros === 'number' ? micros / unit : micros / BigInt(unit), value)
}

const HEX = /^(?:0x)?([\dA-Fa-f]{1,16})$/
/** A log position in two halves of 32 bits, as PostgreSQL writes it: `16/B374D848`. */
const HALVES = /^([\dA-Fa-f]{1,8})\/([\dA-Fa-f]{1,8})$/

function encodePosition(value: RawValue): string {
  const text = typeof value === 'string' ? value : showValue(value)
  const [, plain] = HEX.exec(text) ?? []
  const [, high, low] = HALVES.exec(text) ?? []
  const digits = plain ?? (high !== undefined && low !== undefined ? high + low.padStart(8, '0') : undefined)
  if (digits === undefined)
    throw new ValueProblem(`${showValue(value)} is no log position of at most 16 hexadecimal digits`)
  return digits.replace(/^0+(?=.)/, '').toUpperCase()
}

type Section = (value: RawValue) => string

function makeSection(part: SequencePart): Section {
  switch (part.as) {
    case 'integer':
      return encodeInteger
    case 'timestamp':
      return value => encodeTimestamp(value, 1)
    case 'timestamp-milliseconds':
      return value => encodeTimestamp(value, 1_000)
    case 'hexadecimal':
      return encodePosition
    case 'state': {
      const ranks = new Map(part.states.map((state, at) => [state, at.toString(16).toUpperCase()]))
      return value => {
        const rank = ranks.get(typeof value === 'string' ? value : showValue(value))
        if (rank === undefined)
          throw new ValueProblem(`${showValue(value)} is none of the states of the feed`)
        return rank
      }
    }
  }
}

/** Takes the values of the parts, in their order. Throws `ValueProblem` with the field. */
export function makeSequence(parts: readonly SequencePart[]): (values: readonly RawValue[]) => string {
  const sections = parts.map(part => ({ field: part.field, encode: makeSection(part) }))
  return values => {
    let text = ''
    for (const [at, { field, encode }] of sections.entries()) {
      const value = values[at]
      if (value === null || value === undefined)
        throw new ValueProblem('is NULL, and every change needs its place in the sequence', field)
      try {
        text += (at === 0 ? '' : '/') + encode(value)
      } catch (error) {
        throw error instanceof ValueProblem ? new ValueProblem(error.message, field) : error
      }
    }
    return text
  }
}

/** Negative when `a` is the older. Both have as many sections, none with leading zeros. */
export function compareSequences(a: string, b: string): number {
  if (a === b) return 0
  const [left, right] = [a.split('/'), b.split('/')]
  for (const [at, section] of left.entries()) {
    const other = right[at] ?? ''
    if (section === other) continue
    if (section.length !== other.length) return section.length - other.length
    return section < other ? -1 : 1
  }
  return left.length - right.length
}
