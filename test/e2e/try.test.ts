/** `freshet try` and `freshet query` from end to end: what a user sends, what is told, what is in the table then. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { makeShop, ndjson } from './shop.ts'

const shop = makeShop()
const dir = join(shop.root, 'cloud')
afterAll(() => shop.remove())

const first = shop.snapshot(1, {
  'a.ndjson': ndjson(
    { shop: 1, item: 'tea', price: '1.10', since: '2026-01-01' },
    { shop: 1, item: 'salt', price: '0.30', since: null },
  ),
  'b.ndjson': ndjson({ shop: 2, item: 'tea', price: '1.20', since: '2026-01-02' }),
})
const second = shop.snapshot(2, {
  'a.ndjson': ndjson(
    { shop: 1, item: 'tea', price: '1.15', since: '2026-01-01' },
    { shop: 3, item: 'größe 漢字 🍵', price: '99999999999.123456789', since: null },
  ),
})
const ALL = 'SELECT shop, item, price, snapshot_id FROM trade.prices ORDER BY shop, item'

test('two snapshots: a row changed, rows kept, a row new', async () => {
  const { exit, stdout, stderr } = await runCli('try', shop.feedFile, first, second, '--dir', dir, '--json')
  expect(stderr).toContain('deduplicate')
  expect(exit).toBe(0)
  const messages = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(messages).toMatchObject([
    {
      status: 'refreshed',
      snapshots: ['1'],
      rows: { before: 0, loaded: 3, inserted: 3, updated: 0, after: 3 },
    },
    {
      status: 'refreshed',
      snapshots: ['2'],
      rows: { before: 3, loaded: 2, inserted: 1, updated: 1, kept: 2, after: 4 },
    },
  ])
})

test('the directory is asked afterwards, in each format', async () => {
  const json = await runCli('query', ALL, '--dir', dir, '--format', 'json')
  expect(json.exit).toBe(0)
  expect(JSON.parse(json.stdout)).toEqual([
    { shop: 1, item: 'salt', price: '0.3', snapshot_id: 1 },
    { shop: 1, item: 'tea', price: '1.15', snapshot_id: 2 },
    { shop: 2, item: 'tea', price: '1.2', snapshot_id: 1 },
    { shop: 3, item: 'größe 漢字 🍵', price: '99999999999.123456789', snapshot_id: 2 },
  ])
  const csv = await runCli('query', 'SELECT COUNT(*) AS n FROM trade.prices', '--dir', dir, '--format', 'csv')
  expect(csv.stdout).toBe('n\n4\n')
})

test('an unknown table is an error in the words of BigQuery', async () => {
  const { exit, stdout, stderr } = await runCli('query', 'SELECT 1 FROM trade.nothing', '--dir', dir)
  expect(exit).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('Not found: Table freshet-local:trade.nothing')
  expect(stderr).toContain('hint: ')
})

test('a snapshot that is sent again changes nothing', async () => {
  const { exit, stdout } = await runCli('try', shop.feedFile, second, '--dir', dir, '--json')
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'refreshed',
    rows: { before: 4, inserted: 0, updated: 2, after: 4 },
  })
})

test('an empty snapshot is held: exit 3, the table as it was', async () => {
  const { exit, stdout } = await runCli(
    'try',
    shop.feedFile,
    shop.snapshot(3, { 'a.ndjson': '' }),
    '--dir',
    dir,
  )
  expect(stdout).toMatch(/^3: .*held/)
  expect(exit).toBe(3)
  const { stdout: count } = await runCli(
    'query',
    'SELECT COUNT(*) AS n FROM trade.prices',
    '--dir',
    dir,
    '--format',
    'csv',
  )
  expect(count).toBe('n\n4\n')
})

test('another feed of the same target is refused, and the directory serves on', async () => {
  const rival = join(shop.root, 'rival.yaml')
  writeFileSync(
    rival,
    shop.feedText.replace('name: shop', 'name: rival').replaceAll('shop/{snapshot}', 'rival/{snapshot}'),
  )
  const { exit, stderr } = await runCli('try', rival, second, '--dir', dir)
  expect(exit).toBe(1)
  expect(stderr).toContain('is trade.prices, as in ')
  expect(await runCli('status', '--dir', dir, '--json')).toMatchObject({ exit: 0 })
})
