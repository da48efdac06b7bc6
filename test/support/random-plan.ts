/** Random feeds and what waits for them, for laws that every plan has to keep. */
import * as fc from 'fast-check'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import type { PendingSnapshot, RunState } from '../../functions/plan/run-plan.ts'
import { readFeedText } from './plan-case.ts'

export interface RandomPlan {
  readonly feed: Feed
  readonly pending: readonly PendingSnapshot[]
  readonly state: RunState
}

const ODD_NAMES = ['group by', 'größe', '日本', "it's", 'select', 'a-b', 'x'.repeat(300)]
const name = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), fc.constantFrom(...ODD_NAMES))
const type = fc.constantFrom(
  'INT64',
  'STRING',
  'NUMERIC(10, 2)',
  'FLOAT64',
  'JSON',
  'BYTES',
  'TIME',
  'STRING(9)',
)
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/)
const feedName = fc.array(word, { minLength: 1, maxLength: 5 }).map(words => words.join('-'))

/** JSON is YAML. */
export const randomFeed: fc.Arbitrary<Feed> = fc
  .record({
    feedName,
    columns: fc.uniqueArray(fc.tuple(name, type), { maxLength: 6, selector: ([text]) => text }),
    keys: fc.integer({ min: 1, max: 2 }),
    ownSequence: fc.boolean(),
    partition: fc.boolean(),
    missing: fc.constantFrom('keep', 'delete'),
    format: fc.constantFrom('csv', 'ndjson', 'parquet', 'avro', 'orc'),
    days: fc.integer({ min: 1, max: 900 }),
  })
  .map(given => {
    const reserved = new Set(['k0', 'k1', 'at', 'seq', 'seen'])
    const values = given.columns.filter(([text]) => !reserved.has(text))
    const columns = { k0: 'INT64', k1: 'STRING', at: 'DATE', seq: 'INT64', ...Object.fromEntries(values) }
    const partition = { by: 'at', every: 'day', keep: `${given.days} days` }
    return readFeedText(
      JSON.stringify({
        name: given.feedName,
        source: { path: 'a/{snapshot}/*', complete: 'single-file', format: given.format },
        table: { name: 'shop.items', columns, ...(given.partition && { partition }) },
        model: {
          kind: 'unique',
          key: ['k0', 'k1'].slice(0, given.keys),
          sequence: given.ownSequence ? 'seq' : { from: 'snapshot', as: 'seen' },
          missing_rows: given.missing,
        },
        refresh: { rollback: `${given.days} days` },
      }),
    )
  })

const file = fc.record({
  name: fc.stringMatching(/^[a-z0-9=_/-]{1,20}\.x$/),
  generation: fc.bigInt(1n, 2n ** 60n).map(String),
  size: fc.integer({ min: 0, max: 9e12 }),
  crc32c: fc.constant('AAAAAA=='),
})
const snapshot = fc
  .record({
    id: fc.bigInt(0n, 2n ** 63n - 1n).map(String),
    files: fc.uniqueArray(file, { maxLength: 5, selector: of => of.name }),
    generation: fc.bigInt(1n, 2n ** 60n).map(String),
    approved: fc.boolean(),
  })
  .map((given): PendingSnapshot => {
    const id = parseSnapshotId(given.id, 'integer')
    if (id === undefined) throw new Error(`${given.id} is no integer`)
    return { ...given, id, bucket: 'inbox', arrivedAt: '2026-11-30T06:00:00.000Z' }
  })

const warehouse = { projectId: 'p', location: 'EU', landing: 'landing', staging: 'staging', inbox: 'inbox' }
const columnsOf = (feed: Feed) =>
  feed.table.columns.map(column => ({ name: column.name, type: column.type.replaceAll(' ', '') }))

export const randomPlan: fc.Arbitrary<RandomPlan> = fc
  .record({
    feed: randomFeed,
    pending: fc.uniqueArray(snapshot, { minLength: 1, maxLength: 4, selector: of => of.id }),
    isFirst: fc.boolean(),
  })
  .map(({ feed, pending, isFirst }) => ({
    feed,
    pending,
    state: { warehouse, ...(!isFirst && { staging: { rows: 7, columns: columnsOf(feed) } }) },
  }))
