/** A feed is late by what waits too long, or by what should have come: each lateness has one key. */
import { describe, expect, test } from 'vitest'
import { findLateness } from '../../functions/plan/lateness.ts'
import { readFeedText } from '../support/plan-case.ts'

const feedOf = (every = '') =>
  readFeedText(`
name: x
source:
  path: x/{snapshot}.csv
  complete: single-file
  format: csv
  ${every}
table: { name: d.x, columns: { id: INT64, seq: INT64 } }
model: { kind: unique, key: [id], sequence: seq }
refresh: { within: 60 minutes }
`)
const at = (time: string) => `2026-11-30T${time}:00.000Z`
const now = (time: string) => Date.parse(at(time))
const one = (id: string, time: string) => ({ id, arrivedAt: at(time) })

describe('findLateness', () => {
  test.each<
    [string, string, { id: string; arrivedAt: string }[], string | undefined, string, string | undefined]
  >([
    ['nothing waits, nothing is expected', '', [], '06:00', '23:00', undefined],
    ['one waits within the promise', '', [one('2', '10:00')], '06:00', '11:00', undefined],
    ['one waits beyond it', '', [one('2', '10:00')], '06:00', '11:01', 'waiting 2'],
    [
      'the one that waits longest counts',
      '',
      [one('3', '10:30'), one('2', '10:00')],
      '06:00',
      '11:01',
      'waiting 2',
    ],
    ['the next is not due yet', 'every: 4 hours', [], '06:00', '11:00', undefined],
    ['the next has not come', 'every: 4 hours', [], '06:00', '11:01', 'missing after 1'],
    ['nothing ever came', 'every: 4 hours', [], undefined, '23:00', undefined],
    [
      'one waits in time, so none is missing',
      'every: 4 hours',
      [one('2', '11:00')],
      '06:00',
      '11:30',
      undefined,
    ],
  ])('%s', (_, every, waiting, last, time, key) => {
    const shown = last === undefined ? undefined : one('1', last)
    expect(findLateness(feedOf(every), waiting, shown, now(time))?.key).toBe(key)
  })
})
