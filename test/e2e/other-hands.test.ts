/** Other hands at Freshet's tables, end to end: nothing is lost, and what is refused says how it is mended. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeCloudFile, writeCloudFile } from '../../cli/cloud-file.ts'
import { waitForRest } from '../../cli/executions.ts'
import { runCli } from '../cli/run-cli.ts'
import { type Bed, startBed } from './bad-inputs/bed.ts'
import { lines, writeFeed } from './bad-inputs/feed-text.ts'

const NAMES = ['taken', 'viewed', 'emptied', 'dropped', 'unserved', 'replaced', 'grown'] as const
type Name = (typeof NAMES)[number]
const columns = { id: 'INT64', v: 'STRING' }
const gates = 'min_rows_vs_last: 0%'
const complete = '{ marker: "grown/{snapshot}/_DONE" }'
const feedText = (name: Name) =>
  writeFeed({ name, format: 'ndjson', columns, gates, ...(name === 'grown' && { complete }) })
let bed: Bed

async function send(feed: Name, id: string, v: string, ...ids: readonly number[]) {
  await bed.put(`${feed}/${id}/a.ndjson`, lines(...ids.map(id => ({ id, v }))))
  await bed.put(`${feed}/${id}/manifest.json`, JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
  return rest(feed, id, 1)
}
async function rest(feed: Name, id: string, count: number) {
  const message = await bed.message(feed, id, count)
  await waitForRest(bed.cloud, AbortSignal.timeout(30_000))
  return message
}
const rowsOf = async (feed: Name) =>
  (await bed.query(`SELECT id, v FROM shop.${feed} ORDER BY id`)).map(row =>
    Object.values(row as object).join(' '),
  )
const run = async (...args: string[]) => {
  const { exit, stdout, stderr } = await runCli(...args, '--dir', bed.cloud.dir, '--json')
  if (exit !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

beforeAll(async () => {
  bed = await startBed(NAMES.map(name => `${feedText(name)}refresh: { within: 1 seconds }\n`))
  await writeCloudFile(bed.cloud.dir, bed.cloud, bed.env)
})
afterAll(async () => {
  if (bed) await removeCloudFile(bed.cloud.dir)
  await bed?.close()
})

test('a table that was there before is not replaced, until it is given away', async () => {
  await bed.query("CREATE TABLE shop.taken AS SELECT 7 AS id, 'mine' AS v")
  await bed.put('taken/1/a.ndjson', lines({ id: 1, v: 'a' }))
  await bed.put('taken/1/manifest.json', JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
  const failed = await bed.message('taken', '1')
  expect(failed.reason).toContain('shop.taken was there before, and Freshet did not make it')
  expect(await rowsOf('taken')).toEqual(['7 mine'])
  const [, give] = /with (ALTER TABLE .*?\)\]\))/.exec(failed.reason) ?? []
  await bed.query(give ?? 'SELECT')
  expect(await send('taken', '2', 'b', 1, 2)).toMatchObject({ status: 'refreshed', snapshots: ['1', '2'] })
  expect(await rowsOf('taken')).toEqual(['1 b', '2 b'])
})

test('a view is not replaced', async () => {
  await bed.query("CREATE VIEW shop.viewed AS SELECT 7 AS id, 'mine' AS v")
  await bed.put('viewed/1/a.ndjson', lines({ id: 1, v: 'a' }))
  await bed.put('viewed/1/manifest.json', JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
  const failed = await bed.message('viewed', '1')
  expect(failed).toMatchObject({ status: 'failed', snapshots: ['1'] })
  expect(failed.reason).toContain('shop.viewed is a view')
  expect(await rowsOf('viewed')).toEqual(['7 mine'])
})

test('rows that went out of staging are not missed silently; a rollback puts them back', async () => {
  expect(await send('emptied', '1', 'a', 1, 2, 3)).toMatchObject({ status: 'refreshed' })
  await bed.query('TRUNCATE TABLE freshet_staging.emptied')
  const held = await send('emptied', '2', 'b', 3, 4)
  expect(held).toMatchObject({ status: 'held' })
  expect(held.reason).toContain('staging has 0 rows, and the last refresh left 3 rows there')
  expect(held.reason).toContain('`freshet rollback emptied 1`')
  expect(await rowsOf('emptied')).toEqual(['1 a', '2 a', '3 a'])
  expect(await run('rollback', 'emptied', '1')).toMatchObject({ strategy: 'rollback', rows: { after: 3 } })
  expect(await run('approve', 'emptied', '2')).toMatchObject({ status: 'refreshed', rows: { after: 4 } })
  expect(await rowsOf('emptied')).toEqual(['1 a', '2 a', '3 b', '4 b'])
})

test('staging that was dropped comes back with a rollback', async () => {
  expect(await send('dropped', '1', 'a', 1, 2)).toMatchObject({ status: 'refreshed' })
  await bed.query('DROP TABLE freshet_staging.dropped')
  expect(await send('dropped', '2', 'b', 2, 3)).toMatchObject({ status: 'held' })
  expect(await run('rollback', 'dropped', '1')).toMatchObject({ strategy: 'rollback', rows: { after: 2 } })
  expect(await run('approve', 'dropped', '2')).toMatchObject({ status: 'refreshed' })
  expect(await rowsOf('dropped')).toEqual(['1 a', '2 b', '3 b'])
})

test('a target that was dropped or edited is what staging says after the next refresh', async () => {
  expect(await send('unserved', '1', 'a', 1, 2)).toMatchObject({ status: 'refreshed' })
  await bed.query('DROP TABLE shop.unserved')
  expect(await send('unserved', '2', 'b', 2, 3)).toMatchObject({ status: 'refreshed' })
  expect(await rowsOf('unserved')).toEqual(['1 a', '2 b', '3 b'])
  await bed.query('DELETE FROM shop.unserved WHERE id < 3')
  expect(await send('unserved', '3', 'c', 4)).toMatchObject({ status: 'refreshed' })
  expect(await rowsOf('unserved')).toEqual(['1 a', '2 b', '3 b', '4 c'])
})

/** Does something once, when the next run comes to a stage: nothing else runs meanwhile. */
function atStage(stage: string, act: () => Promise<unknown>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const stop = bed.cloud.workflows.onStep(({ step, state }) => {
    if (step !== stage || state !== 'started') return
    stop()
    act().then(resolve, reject)
  })
  return promise
}

test('an object that is replaced while its run goes on: that delivery is rejected, the new one is served', async () => {
  const replaced = atStage('inspect', () =>
    bed.put('replaced/1/a.ndjson', lines({ id: 1, v: 'b' }, { id: 2, v: 'b' })),
  )
  const first = await send('replaced', '1', 'a', 1)
  await replaced
  expect(first).toMatchObject({ status: 'rejected' })
  expect(first.reason).toContain('object replaced/1/a.ndjson was replaced while the snapshot was loaded')
  expect(await rest('replaced', '1', 2)).toMatchObject({ status: 'refreshed', snapshots: ['1'] })
  expect(await rowsOf('replaced')).toEqual(['1 b', '2 b'])
})

test('a part that comes after the marker while its run goes on is a delivery of its own', async () => {
  const grown = atStage('inspect', () => bed.put('grown/1/b.ndjson', lines({ id: 2, v: 'b' })))
  await bed.put('grown/1/a.ndjson', lines({ id: 1, v: 'a' }))
  await bed.put('grown/1/_DONE', '')
  await grown
  expect(await rest('grown', '1', 1)).toMatchObject({ status: 'refreshed', rows: { after: 1 } })
  expect(await rest('grown', '1', 2)).toMatchObject({ status: 'refreshed', rows: { after: 2 } })
  expect(await rowsOf('grown')).toEqual(['1 a', '2 b'])
})

test('status says what waits, by how much it is late, and why', async () => {
  const { exit, stdout } = await runCli('status', '--dir', bed.cloud.dir, '--json')
  expect(exit).toBe(0)
  const feeds = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const of = (name: Name) => feeds.find(({ feed }) => feed === name)
  expect(of('viewed')).toMatchObject({
    pending: ['1'],
    lateSeconds: expect.any(Number),
    failure: { run: '', reason: expect.stringContaining('shop.viewed is a view') },
  })
  // Long ago by now, and the promise is a second.
  expect(of('viewed').lateSeconds).toBeGreaterThan(0)
  expect(of('taken')).toMatchObject({ pending: [], lateSeconds: 0 })
  expect(of('taken')).not.toHaveProperty('failure')
  const told = await runCli('status', '--dir', bed.cloud.dir)
  expect(told.stdout).toMatch(/viewed failed at .*shop\.viewed is a view/)
})
