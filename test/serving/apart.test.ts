/** Way apart: built in a second Postgres, and readers of the first are led there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed } from '../../functions/feed/feed.ts'
import { breakAt } from './break-database.ts'
import { apartFeed, numbered, type OpenBuilder, openBuilder } from './open-builder.ts'

let at: OpenBuilder
beforeAll(async () => {
  at = await openBuilder()
  await at.addPoint('one', numbered(300, 'a'))
  await at.addPoint('two', numbered(400, 'b'))
  await at.addPoint('three', numbered(5, 'c'))
})
afterAll(() => at.close())

const SUM = `SELECT count(*)::int AS rows, count(DISTINCT id)::int AS keys, min(left(v, 1)) AS low, max(left(v, 1)) AS high FROM app.items`
const state = (rows: number, letter: string) => ({ rows, keys: rows, low: letter, high: letter })
const read = async () => (await at.live.query(SUM)).rows[0]
const builds = async () =>
  (await at.builder.query(`SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'freshet_crm'`))
    .rows[0].n

test('a table is built apart, the next one takes its place, and what hangs on it stays', async () => {
  at.show('one')
  expect(await at.serve()).toMatchObject({ way: 'apart', rows: 300, written: 300 })
  expect(await read()).toEqual(state(300, 'a'))
  await at.live.query(
    'GRANT SELECT ON app.items TO app_reader; CREATE VIEW app.high AS SELECT * FROM app.items WHERE id > 290',
  )
  await at.builder.query(
    `DO $$ BEGIN EXECUTE (SELECT format('CREATE INDEX by_v ON freshet_crm.%I (v)', tablename) FROM pg_tables WHERE schemaname = 'freshet_crm'); END $$`,
  )

  at.show('two')
  expect(await at.serve()).toMatchObject({ way: 'apart', rows: 400, written: 400 })
  expect(await read()).toEqual(state(400, 'b'))
  expect((await at.live.query('SELECT count(*)::int AS n FROM app.high')).rows).toEqual([{ n: 110 }])
  expect(
    (await at.live.query(`SELECT has_table_privilege('app_reader', 'app.items', 'SELECT') AS may`)).rows,
  ).toEqual([{ may: true }])
  const indexes = await at.builder.query(
    `SELECT count(*)::int AS n, count(*) FILTER (WHERE indexdef LIKE 'CREATE UNIQUE%(id)')::int AS keys FROM pg_indexes WHERE schemaname = 'freshet_crm'`,
  )
  expect(indexes.rows).toEqual([{ n: 4, keys: 2 }])
  expect(await at.serve()).toMatchObject({ way: 'none' })
})

test('the build before is there to go back to, and the one before that is dropped', async () => {
  at.show('one')
  expect(await at.serve()).toMatchObject({ way: 'apart', rows: 300, written: 0 })
  expect(await read()).toEqual(state(300, 'a'))
  at.show('three')
  expect(await at.serve()).toMatchObject({ rows: 5, written: 5 })
  expect(await builds()).toBe(2)
  expect(await read()).toEqual(state(5, 'c'))
})

/** Dies at each step in turn, each try going on from the last; answers how many tries there were. */
async function serveWithCrashes(feed: Feed, check: () => Promise<void>): Promise<number> {
  for (let step = 1; ; step += 1) {
    const broken = breakAt(step, at.open)
    const crash = await at.serve(feed, broken.open).catch((error: unknown) => error)
    await check()
    if (!(crash instanceof Error)) return step
    expect(crash.message).toContain(`step ${step}`)
  }
}

test('a crash at any step leaves the old table or the new one, and the next try ends it', async () => {
  at.show('three')
  await at.serve()
  at.show('two')
  const either = [state(5, 'c'), state(400, 'b')]
  const tries = await serveWithCrashes(apartFeed(), async () => expect(either).toContainEqual(await read()))
  expect(tries).toBeGreaterThan(20)
  expect(await read()).toEqual(state(400, 'b'))
})

test('so does a crash at any step of the first load of all', async () => {
  at.show('three')
  await serveWithCrashes(apartFeed('app.first'), async () => {})
  expect((await at.live.query('SELECT count(*)::int AS n FROM app.first')).rows).toEqual([{ n: 5 }])
})

test('readers that never stop see one state or the other, prepared statements too', async () => {
  at.show('one')
  await at.serve()
  at.show('two')
  await at.serve()
  const states = [state(300, 'a'), state(400, 'b')]
  let running = true
  const seen = new Set<string>()
  const poll = async () => {
    const client = await at.connectLive()
    while (running) {
      const { rows } = await client.query({ name: 'sum', text: SUM })
      expect(states).toContainEqual(rows[0])
      seen.add(rows[0].low)
    }
    await client.end()
  }
  const readers = [poll(), poll()]
  for (let flip = 0; flip < 20; flip += 1) {
    at.show(flip % 2 === 0 ? 'one' : 'two')
    await at.serve()
  }
  running = false
  await Promise.all(readers)
  expect([...seen].toSorted()).toEqual(['a', 'b'])
})

test('neither row nor index passes the live database', async () => {
  await at.addPoint('large', numbered(8_000, 'large value of a row, which makes many bytes of each '))
  at.show('large')
  const before = (await at.live.query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0].lsn
  await at.serve()
  const { rows } = await at.live.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${before}')::int AS bytes`,
  )
  // The rows alone are more than 600 kB; catalogue and stamp are left.
  expect(rows[0].bytes).toBeLessThan(200_000)
  expect(await read()).toEqual(state(8_000, 'l'))
})

test('loads of two tables go side by side, and two of one table queue', async () => {
  at.show('three')
  const feeds = [apartFeed(), apartFeed('app.twin'), apartFeed(), apartFeed('app.twin')]
  const served = await Promise.all(feeds.map(feed => at.serve(feed)))
  expect(served.map(one => one?.way).toSorted()).toEqual(['apart', 'apart', 'none', 'none'])
})

test('a build that readers could not read is never shown to them', async () => {
  at.show('three')
  await at.serve()
  at.show('one')
  await at.builder.query('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC')
  try {
    await expect(at.serve()).rejects.toThrow(/can't be read through server builder/)
  } finally {
    await at.builder.query('GRANT CONNECT ON DATABASE postgres TO PUBLIC')
  }
  await at.live.query('DISCARD ALL')
  expect(await read()).toEqual(state(5, 'c'))
})

test.each([
  ['no server', 'nowhere', /no server nowhere of postgres_fdw/],
  ['an ordinary table', 'builder', /app.plain is no foreign table/],
])('refused: %s', async (_, server, message) => {
  at.show('one')
  await at.live.query('CREATE TABLE IF NOT EXISTS app.plain (id bigint PRIMARY KEY)')
  const feed = apartFeed('app.plain')
  const serve = (feed.serve ?? []).map(to => ({ ...to, ...(to.apart && { apart: { ...to.apart, server } }) }))
  await expect(at.serve({ ...feed, serve })).rejects.toThrow(message)
})
