/** What a person does about a running deployment: status, approve, reject, rollback, each through its command. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeCloudFile, writeCloudFile } from '../../cli/cloud-file.ts'
import { waitForRest } from '../../cli/executions.ts'
import { type Bed, startBed } from '../e2e/bad-inputs/bed.ts'
import { lines, writeFeed } from '../e2e/bad-inputs/feed-text.ts'
import { runCli } from './run-cli.ts'

const FEED = writeFeed({ name: 'tea', format: 'ndjson', columns: { id: 'INT64', price: 'NUMERIC' } })
const rowsOf = (price: string, ...ids: readonly number[]) => lines(...ids.map(id => ({ id, price })))
let bed: Bed

async function send(id: string, content: string): Promise<string> {
  await bed.put(`tea/${id}/a.ndjson`, content)
  await bed.put(`tea/${id}/manifest.json`, JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
  const { status } = await bed.message('tea', id)
  // The message is sent before the snapshot is settled.
  await waitForRest(bed.cloud, AbortSignal.timeout(30_000))
  return status
}
const run = (...args: string[]) => runCli(...args, '--dir', bed.cloud.dir)
async function readStatus() {
  const { exit, stdout } = await run('status', '--json')
  expect(exit).toBe(0)
  return JSON.parse(stdout)
}
const readPrices = async () => {
  const { stdout } = await run('query', 'SELECT id, price FROM shop.tea ORDER BY id', '--format', 'csv')
  return stdout.trim().split('\n').slice(1)
}

beforeAll(async () => {
  bed = await startBed([FEED])
  await writeCloudFile(bed.cloud.dir, bed.cloud, bed.env)
  expect(await send('1', rowsOf('1', 1, 2, 3, 4))).toBe('refreshed')
})
afterAll(async () => {
  if (bed) await removeCloudFile(bed.cloud.dir)
  await bed?.close()
})

test('status shows the last refresh, and nothing that waits or is held', async () => {
  expect(await readStatus()).toMatchObject({
    feed: 'tea',
    table: 'shop.tea',
    pending: [],
    held: [],
    last: { status: 'refreshed', snapshots: ['1'], rows: { after: 4 } },
    lateSeconds: 0,
  })
  const { stdout } = await run('status')
  expect(stdout).toMatch(/tea.*shop\.tea.*1, 4 rows/)
})

test('what is held is listed with its reason, and rejected for good', async () => {
  expect(await send('2', rowsOf('2', 1))).toBe('held')
  expect((await readStatus()).held).toMatchObject([
    { snapshot: '2', reason: expect.stringContaining('1 row landed') },
  ])
  const rejected = await run('reject', 'tea', '2')
  expect(rejected).toMatchObject({ exit: 0, stdout: '2 of tea rejected\n' })
  expect((await readStatus()).held).toEqual([])
  const again = await run('approve', 'tea', '2')
  expect(again.exit).toBe(1)
  expect(again.stderr).toContain('Snapshot 2 of tea is not held: it was rejected')
  expect(await readPrices()).toEqual(['1,1', '2,1', '3,1', '4,1'])
})

test('what is approved is published', async () => {
  expect(await send('3', rowsOf('3', 1))).toBe('held')
  const { exit, stdout } = await run('approve', 'tea', '3', '--json')
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'refreshed', snapshots: ['3'], rows: { after: 4 } })
  expect(await readPrices()).toEqual(['1,3', '2,1', '3,1', '4,1'])
})

test('a rollback shows what was there before, and the next snapshot goes on from there', async () => {
  const { exit, stdout } = await run('rollback', 'tea', '--json')
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ strategy: 'rollback', snapshots: ['1'], rows: { after: 4 } })
  expect(await readPrices()).toEqual(['1,1', '2,1', '3,1', '4,1'])
  expect(await send('4', rowsOf('4', 2, 3, 4, 5))).toBe('refreshed')
  expect(await readPrices()).toEqual(['1,1', '2,4', '3,4', '4,4', '5,4'])
})

test.each([
  { args: ['rollback', 'tea', '77'], says: 'tea has no rollback point of snapshot 77' },
  { args: ['approve', 'tea', '4'], says: 'is not held: it was refreshed' },
  { args: ['reject', 'tea', '9'], says: 'is not held: it is not known' },
  { args: ['approve', 'coffee', '1'], says: 'There is no feed coffee' },
])('$args is refused', async ({ args, says }) => {
  const { exit, stdout, stderr } = await run(...args)
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
  expect(stderr).toContain(says)
  expect(stderr).toContain('  hint: ')
})

test('a statement without rows is called by its name', async () => {
  const { exit, stderr } = await run('query', "ALTER TABLE shop.tea SET OPTIONS (description = 'tea')")
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'ALTER_TABLE: done\n' })
})
