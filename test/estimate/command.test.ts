/** `freshet estimate` as a user meets it: what it needs, what it prints, the page it writes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { planCapacity } from '../../infra/capacity/plan-capacity.ts'
import { capacitySchema } from '../../infra/capacity/settings.ts'
import { runCli } from '../cli/run-cli.ts'
import { makeShop, ndjson } from '../e2e/shop.ts'

const RETAIL = 'feeds/store-attributes.yaml'
const CITIES = 'feeds/cities.yaml'
let dir: string
const shop = makeShop()

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'freshet-estimate-'))
  writeFileSync(join(dir, 'dear.yaml'), 'onDemandPerTiB: 12.5\nasOf: 2030-01-01\n')
  writeFileSync(join(dir, 'wrong.yaml'), 'onDemand: 12.5\n')
})
afterAll(() => {
  rmSync(dir, { recursive: true })
  shop.remove()
})

describe('wrong use ends with 2 and a word about it', () => {
  test.each([
    { args: [RETAIL], says: 'how large is the table?' },
    { args: [RETAIL, '--bytes', 'large'], says: 'large is no size' },
    { args: [RETAIL, '--bytes', '0'], says: '0 is no size' },
    { args: [RETAIL, '--bytes', '-1TB'], says: '-1TB is no size' },
    { args: [RETAIL, '--bytes', '15', '--changed', '101%'], says: '101% is no share' },
    { args: [RETAIL, '--bytes', '15', '--changed', '2'], says: '2 is no share' },
    { args: [RETAIL, '--rows', 'many'], says: 'many is no number' },
    { args: [RETAIL, '--rows', '5', '--partitions', '1.5'], says: '1.5 is no whole number' },
    { args: [RETAIL, '--rows', '5', '--changed-partitions', '732'], says: '732 partitions change' },
    { args: [CITIES, '--rows', '5', '--partitions', '7'], says: 'has no partitions' },
    { args: ['/no/such.yaml', '--rows', '5'], says: 'it is not there' },
    { args: [RETAIL, '--rows', '5', '--prices', '/no/such.yaml'], says: 'cannot read /no/such.yaml' },
    { args: [RETAIL, '--rows', '5', '--html', '/no/such/page.html'], says: 'cannot write' },
  ])('$args: $says', async ({ args, says }) => {
    const { exit, stdout, stderr } = await runCli('estimate', ...args)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(says)
  })
})

test('a wrong file of prices is named with what is wrong in it', async () => {
  const { exit, stderr } = await runCli(
    'estimate',
    RETAIL,
    '--rows',
    '5',
    '--prices',
    join(dir, 'wrong.yaml'),
  )
  expect(exit).toBe(1)
  expect(stderr).toContain('onDemand')
})

test('the figures, what they rest on, and a capacity to paste into the stack', async () => {
  const { exit, stdout, stderr } = await runCli('estimate', RETAIL, '--bytes', '15TB', '--changed', '0.1%')
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout).toContain('13.6 TiB of table (given)')
  expect(stdout).toContain('731 partitions (from the feed)')
  expect(stdout).toContain('changes in 37 of them (assumed)')
  expect(stdout).toContain('4,386 of 30,000 (15 %)')
  expect(stdout).toMatch(/on demand, a run +│ +\$171 │ +\$228 │/)
  expect(stdout).toContain(
    'warning: rewrite: 219 TiB read on demand by the project a day, over the limit of 200.',
  )
  const { config } = parse(stdout.slice(stdout.indexOf('config:')))
  const capacity = capacitySchema.parse(config['freshet:capacity'])
  expect(planCapacity(capacity, 'EU', new Map()).reservations).toHaveLength(1)
})

test('one JSON object, and prices of one’s own', async () => {
  const args = ['estimate', RETAIL, '--rows', '39M', '--partitions', '13', '--per-day', '6', '--json']
  const { stdout } = await runCli(...args)
  const dear = await runCli(...args, '--prices', join(dir, 'dear.yaml'))
  const plain = JSON.parse(stdout)
  const costly = JSON.parse(dear.stdout)
  expect(plain).toMatchObject({
    feed: 'store-attributes',
    workload: { rows: 39e6, bytes: 39e6 * 48, partitions: 13, runsADay: 6 },
    sources: { rows: 'given', bytes: 'column types', runsADay: 'given', changed: 'assumed' },
  })
  expect(costly.pricesAsOf).toBe('2030-01-01')
  expect(costly.ways[0].offers[0].money.run).toBeCloseTo(2 * plain.ways[0].offers[0].money.run, 9)
})

test('the page loads nothing, runs nothing, and holds a bar for every way', async () => {
  const file = join(dir, 'page.html')
  const { exit, stderr } = await runCli('estimate', RETAIL, '--bytes', '15TB', '--html', file)
  expect(exit).toBe(0)
  expect(stderr).toContain(file)
  const page = readFileSync(file, 'utf8')
  expect(page).not.toMatch(/<script|<link|<img|url\(|https?:\/\/|@import/i)
  expect(page.match(/class="refresh/g)).toHaveLength(4 * 6)
  for (const way of ['merge', 'rewrite', 'changed-partitions', 'cdc'])
    expect(page).toContain(`<span>${way}</span>`)
})

test('receipts of an embedded cloud give the size, and no slots', async () => {
  const cloud = join(shop.root, 'cloud')
  const rows = ['tea', 'salt', 'rice'].map(item => ({ shop: 1, item, price: '1.10', since: '2026-01-01' }))
  const tried = await runCli(
    'try',
    shop.feedFile,
    shop.snapshot(1, { 'a.ndjson': ndjson(...rows) }),
    '--dir',
    cloud,
  )
  expect(tried.exit).toBe(0)
  const { exit, stdout } = await runCli('estimate', shop.feedFile, '--dir', cloud, '--json')
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    workload: { rows: 3 },
    sources: { rows: 'receipts' },
    measured: { runs: 1, slotMsPerGiB: {} },
  })
  const other = await runCli('estimate', RETAIL, '--dir', cloud)
  expect(other.exit).toBe(1)
  expect(other.stderr).toContain('There is no feed store-attributes')
})
