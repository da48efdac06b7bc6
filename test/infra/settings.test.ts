/** Settings: sound defaults, every problem at once, each with what to do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import { planRun } from '../../functions/plan/plan-run.ts'
import { parseSettings, SETTINGS } from '../../infra/settings.ts'
import { stagingTableOf } from '../../infra/staging-table.ts'
import { ROOT } from './run-program.ts'

const parse = (raw: object, stack = 'prod') =>
  parseSettings({ location: 'EU', ...raw }, { project: 'shop-prod', stack })

describe('settings', () => {
  test('a location is enough', () => {
    expect(parse({})).toMatchObject({
      region: 'europe-west1',
      prefix: 'freshet-prod',
      destroyData: false,
      keepLandedDays: 30,
      goal: 0.99,
    })
    expect(parse({ location: 'asia-south1' })).toMatchObject({ region: 'asia-south1' })
  })

  test('texts are taken for what `pulumi config set` meant by them', () => {
    expect(parse({ destroyData: 'true', goal: '0.9', keepLandedDays: '7' })).toMatchObject({
      destroyData: true,
      goal: 0.9,
      keepLandedDays: 7,
    })
  })

  test.each<[string, object, RegExp]>([
    [
      'a location that is none',
      { location: 'eu' },
      /freshet:location is no location; write EU, US, or a region/,
    ],
    ['a setting that is none', { reader: [] }, /freshet:reader is no setting/],
    ['a public reader', { readers: ['allUsers'] }, /freshet:readers\.0 is no member.*makes nothing public/],
    ['everybody with an account', { senders: ['allAuthenticatedUsers'] }, /makes nothing public/],
    [
      'a prefix that is too long',
      { prefix: 'freshet-for-the-whole-of-the-shop' },
      /freshet:prefix is no prefix: 4 to 20/,
    ],
    [
      'a key elsewhere than the data',
      { kmsKey: 'projects/p/locations/us/keyRings/r/cryptoKeys/k' },
      /choose a key in europe/,
    ],
    ['a mail address that is none', { alertEmails: ['on call'] }, /freshet:alertEmails\.0/],
  ])('refuses %s', (_, raw, sentence) => expect(() => parse(raw)).toThrow(sentence))

  test('a stack of a long name says which setting helps', () => {
    expect(() => parse({}, 'the-stack-of-the-finance-people')).toThrow(
      /makes the prefix.*`freshet:prefix` sets it/,
    )
    expect(parse({ prefix: 'finance' }, 'the-stack-of-the-finance-people').prefix).toBe('finance')
  })

  test('each is in docs/deploy.md', () => {
    const docs = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
    expect(SETTINGS.filter(name => !docs.includes(`\`${name}\``))).toEqual([])
  })
})

describe('a feed that names a reservation', () => {
  const text = readFileSync(
    join(ROOT, 'test/cases/infra/retail-with-capacity/feeds/store-attributes.yaml'),
    'utf8',
  )
  const read = (reservation: string, feedText = text) => {
    const parsed = parseFeed(
      feedText.replace('reservation: attributes', `reservation: ${reservation}`),
      'feed.yaml',
    )
    if (parsed.kind !== 'feed') throw new Error(parsed.problems.map(({ message }) => message).join())
    return parsed.feed
  }
  const jobsOf = (reservation: string, feedText: string) => {
    const snapshot = {
      id: '1',
      bucket: 'inbox',
      files: [{ name: 'a', generation: '1', size: 1, crc32c: '' }],
      arrivedAt: '',
      generation: '1',
    }
    const warehouse = { projectId: 'p', location: 'EU', landing: 'l', staging: 's', inbox: 'inbox' }
    const pending = [snapshot] as unknown as Parameters<typeof planRun>[1]
    return planRun(read(reservation, feedText), pending, { warehouse }).stages.flatMap(({ jobs }) => jobs)
  }

  test.each([
    ['attributes', 'projects/p/locations/EU/reservations/attributes'],
    ['projects/admin/locations/EU/reservations/shared', 'projects/admin/locations/EU/reservations/shared'],
  ])('%s: its jobs carry it, copies aside', (named, carried) => {
    const appended = text.replace(/model: \{.*\}|model:\n( .*\n)+/, 'model: { kind: duplicate }\n')
    const jobs = jobsOf(named, appended)
    const copies = jobs.filter(({ configuration }) => configuration.copy)
    const others = jobs.filter(({ configuration }) => !configuration.copy)
    expect(new Set(others.map(({ configuration }) => configuration.reservation))).toEqual(new Set([carried]))
    expect(copies.map(({ configuration }) => configuration.reservation)).toEqual([undefined])
  })

  test('refuses what is no reservation', () => expect(() => read('Slots!')).toThrow(/is no reservation/))

  test('staging is laid out as the planner lays out landing, and names no key that is untrue for a while', () => {
    expect(stagingTableOf(read('attributes'))).not.toHaveProperty('tableConstraints')
    expect(stagingTableOf(read('attributes'))).toMatchObject({
      tableId: 'store_attributes',
      timePartitioning: { type: 'DAY', field: 'date', expirationMs: 730 * 86_400_000 },
      clusterings: ['product_id', 'store_id'],
    })
  })
})
