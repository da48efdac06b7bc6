/** `freshet try` with a change feed, end to end: files stream in, wrong ones are turned away, the table has the newest rows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { ORDERS } from '../support/change-feed.ts'

const root = mkdtempSync(join(tmpdir(), 'freshet-changes-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const cloud = join(root, 'cloud')
const feedFile = join(root, 'orders.yaml')
writeFileSync(
  feedFile,
  ORDERS.replace('*.ndjson"', '*"').replace('announce: pending', 'max_staleness: 2 seconds'),
)

function write(name: string, ...changes: readonly object[]): string {
  const dir = join(root, name)
  mkdirSync(dir)
  const text = changes.map((change, ordinal) => `${JSON.stringify({ ordinal, ...change })}\n`).join('')
  writeFileSync(join(dir, `${name}.ndjson.gz`), gzipSync(text))
  return dir
}
const first = write(
  'first',
  { op: 'I', id: 1, price: 1, lsn: '0/1' },
  { op: 'I', id: 2, price: '2.5', lsn: '0/1', note: 'zwei' },
  { op: 'I', id: '9007199254740993', price: 3, lsn: '0/1' },
)
const second = write(
  'second',
  { op: 'U', id: 1, price: 9, lsn: '0/5' },
  { op: 'U', id: 1, price: 8, lsn: '0/4' },
  { op: 'D', id: 2, lsn: '0/5' },
)
const late = write('late', { op: 'U', id: 2, price: 7, lsn: '0/2' }, { op: 'I', id: 4, price: 4, lsn: '0/2' })
const wrong = write(
  'wrong',
  { op: 'I', id: 5, price: 5, lsn: '0/9' },
  { op: 'I', id: 6, price: 'much', lsn: '0/9' },
)

test('changes of three files make one table, whichever is the last to come; a wrong file leaves it alone', async () => {
  const { exit, stdout } = await runCli('try', feedFile, first, second, late, wrong, '--dir', cloud, '--json')
  const messages = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(messages).toMatchObject([
    {
      status: 'refreshed',
      snapshots: ['orders/first.ndjson.gz'],
      rows: { loaded: 3, updated: 3, deleted: 0 },
    },
    {
      status: 'refreshed',
      snapshots: ['orders/second.ndjson.gz'],
      rows: { loaded: 3, updated: 1, deleted: 1 },
    },
    { status: 'refreshed', rows: { loaded: 2, updated: 2 } },
    { status: 'rejected', strategy: 'changes' },
  ])
  expect(messages.at(-1).reason).toBe(
    'object orders/wrong.ndjson.gz, line 2, column price: "much" is no NUMERIC(10, 2). No change of it was sent. Mend the file and send it anew.',
  )
  expect(exit).toBe(3)
  const sql = 'SELECT CAST(id AS STRING) AS id, price, note FROM shop.orders ORDER BY id'
  const found = await runCli('query', sql, '--dir', cloud, '--format', 'json')
  expect(JSON.parse(found.stdout)).toEqual([
    { id: '1', price: '9', note: null },
    { id: '4', price: '4', note: null },
    { id: '9007199254740993', price: '3', note: null },
  ])
}, 240_000)

test('status tells how the feed stands', async () => {
  const { stdout } = await runCli('status', '--dir', cloud)
  expect(stdout).toMatch(/^orders streams changes into shop\.orders: orders\/wrong\.ndjson\.gz rejected at /m)
}, 120_000)

test('plan and validate know the feed', async () => {
  const plan = await runCli('plan', feedFile, wrong)
  expect(plan.exit).toBe(3)
  expect(plan.stdout).toContain('PRIMARY KEY (`id`) NOT ENFORCED')
  expect(plan.stdout).toContain('max_staleness = INTERVAL 2 SECOND')
  expect(plan.stdout).toContain('rejected: object orders/wrong.ndjson.gz, line 2, column price')
  expect((await runCli('validate', feedFile)).exit).toBe(0)
  const estimate = await runCli('estimate', feedFile, '--rows', '10')
  expect(estimate.exit).toBe(2)
  expect(estimate.stderr).toContain('delivers changes')
})
