/** Messages: what the handlers make is what message.avsc takes, and what docs/messages.md says. */
import avsc from 'avsc'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeMessage } from '../../functions/handlers/messages.ts'
import {
  encodeAttributes,
  encodeEnvelope,
  NO_ROWS,
  type RefreshMessage,
  STATUSES,
} from '../../functions/message.ts'
import { readRepoFile } from '../house/source-files.ts'
import { smallFeed } from '../support/small-feed.ts'

const type = avsc.Type.forSchema(JSON.parse(readRepoFile('functions/message.avsc')))
const DOCUMENT = readRepoFile('docs/messages.md')
const NAMES = { projectId: 'p', location: 'EU', landing: 'landing', staging: 'staging', inbox: 'inbox' }
const NOW = Date.parse('2026-11-30T06:00:00Z')

/** As it goes over the wire: JSON. */
const sent = (message: RefreshMessage): unknown => JSON.parse(JSON.stringify(message))

function pathsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? pathsOf(inner, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  )
}

test('a message that says nothing is whole', () => {
  const message = makeMessage(smallFeed({}), NAMES, NOW, {})
  expect(type.isValid(sent(message), { noUndeclaredFields: true })).toBe(true)
  expect(message).toMatchObject({ status: 'failed', table: 'p.shop.items', rows: NO_ROWS, withinSeconds: 0 })
})

test('whatever is given, the schema takes it, there and back', () => {
  const count = fc.nat({ max: 2 ** 52 })
  const time = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map(date => date.toISOString())
  const given = fc.record(
    {
      status: fc.constantFrom(...STATUSES),
      snapshots: fc.array(fc.string()),
      run: fc.string(),
      rows: fc.record({
        before: count,
        loaded: count,
        quarantined: count,
        inserted: count,
        updated: count,
        kept: count,
        deleted: count,
        after: count,
      }),
      arrivedAt: time,
      bytesProcessed: count,
      slotMs: count,
      reason: fc.string({ unit: 'binary' }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(given, fields => {
      const message = sent(makeMessage(smallFeed({}), NAMES, NOW, fields))
      expect(type.isValid(message, { noUndeclaredFields: true })).toBe(true)
      expect(JSON.parse(JSON.stringify(type.fromString(JSON.stringify(message))))).toEqual(message)
    }),
  )
})

describe('docs/messages.md', () => {
  const rows = [...DOCUMENT.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)

  test('names every field and every status', () => {
    const message = makeMessage(smallFeed({}), NAMES, NOW, {})
    expect([...new Set(rows)].toSorted()).toEqual([...STATUSES, ...pathsOf(message)].toSorted())
  })

  test('has an example that the schema takes', () => {
    const example: RefreshMessage = JSON.parse(/```json\n(.*?)```/s.exec(DOCUMENT)?.[1] ?? '')
    expect(type.isValid(example, { noUndeclaredFields: true })).toBe(true)
    expect(pathsOf(example)).toEqual(pathsOf(makeMessage(smallFeed({}), NAMES, NOW, {})))
    const { arrivedAt, finishedAt, withinSeconds } = example
    expect(Date.parse(finishedAt) - Date.parse(arrivedAt)).toBe(withinSeconds * 1_000)
  })

  test('names every attribute', () => {
    const message = makeMessage(smallFeed({}), NAMES, NOW, { snapshots: ['1', '2'] })
    const attributes = encodeAttributes(message)
    expect(attributes).toEqual({ feed: 'items', table: 'p.shop.items', status: 'failed', snapshot: '2' })
    for (const name of Object.keys(attributes))
      expect(DOCUMENT).toMatch(new RegExp(`^Attributes[^.]*\`${name}\``, 'ms'))
    expect(encodeEnvelope(message)).toEqual({ message, attributes, orderingKey: 'items' })
  })
})

test('docs/manifest.md has an example that is one', async () => {
  const { parseManifest } = await import('../../functions/feed/manifest.ts')
  const example = /```json\n(.*?)```/s.exec(readRepoFile('docs/manifest.md'))?.[1] ?? ''
  expect(parseManifest(example).kind).toBe('manifest')
})
