/** Bad input: each kind gets one clear message with a hint, and the target stays untouched. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Progress } from '../../cli/progress.ts'
import { runQuery } from '../../cli/run-query.ts'
import { type Session, startSession } from '../../cli/session.ts'
import { readSnapshotDir } from '../../cli/snapshot-dir.ts'
import { makeShop, ndjson } from './shop.ts'

const shop = makeShop()
const quiet: Progress = { note() {}, begin() {}, started() {}, done() {}, end: async () => {} }
const good = { shop: 1, item: 'tea', price: '1.10', since: '2026-01-01' }
let session: Session

async function send(id: number, files: Record<string, string | Uint8Array>) {
  return session.send(await readSnapshotDir(session.feed, shop.snapshot(id, files)))
}
async function readTable() {
  return (await runQuery(session.stack.cloud, 'SELECT * FROM trade.prices ORDER BY shop, item')).rows
}

beforeAll(async () => {
  const signal = new AbortController().signal
  session = await startSession({
    feedFile: shop.feedFile,
    dir: join(shop.root, 'cloud'),
    progress: quiet,
    signal,
  })
  expect(
    await send(1, {
      'a.ndjson': ndjson(...['tea', 'salt', 'flour', 'oats'].map(item => ({ ...good, item }))),
    }),
  ).toMatchObject({
    status: 'refreshed',
  })
})
afterAll(async () => {
  await session?.close()
  shop.remove()
})

const manifest = (files: readonly object[]) => JSON.stringify({ files })

test.each([
  {
    name: 'a value that does not parse',
    files: { 'a.ndjson': ndjson(good), 'b.ndjson': ndjson(good, { ...good, price: 'cheap' }) },
    status: 'rejected',
    says: [/b\.ndjson/, /price/],
  },
  {
    name: 'a column that is missing',
    files: { 'a.ndjson': ndjson({ shop: 1, item: 'tea', price: '1.10' }) },
    status: 'rejected',
    says: [/since/],
  },
  {
    name: 'a column that the feed does not have',
    files: { 'a.ndjson': ndjson({ ...good, colour: 'red' } as object) },
    status: 'rejected',
    says: [/colour/],
  },
  {
    name: 'a key without a value',
    files: { 'a.ndjson': ndjson(good, { ...good, item: null }) },
    status: 'rejected',
    says: [/key/i],
  },
  {
    name: 'the same key twice',
    files: { 'a.ndjson': ndjson(good, { ...good, price: '9' }, { ...good, item: 'salt' }) },
    status: 'held',
    says: [/1\b/],
  },
  {
    name: 'a file of another format',
    files: { 'a.ndjson': 'shop,item,price,since\n1,tea,1.10,2026-01-01\n' },
    status: 'rejected',
    says: [/a\.ndjson/],
  },
  {
    name: 'Parquet under a false name',
    files: { 'a.ndjson': Buffer.from('PAR1\0\0\0\0PAR1', 'latin1') },
    status: 'rejected',
    says: [/parquet/i],
  },
  {
    name: 'a gzip file that was cut',
    files: {
      'a.ndjson': gzipSync(
        ndjson(...Array.from({ length: 5000 }, (_, at) => ({ ...good, shop: at }))),
      ).subarray(0, 2000),
    },
    status: 'rejected',
    says: [/a\.ndjson/],
  },
  { name: 'no row at all', files: { 'a.ndjson': '' }, status: 'held', says: [/row/i] },
  {
    name: 'far fewer rows than before',
    files: { 'a.ndjson': ndjson(good) },
    status: 'held',
    says: [/row/i],
  },
  {
    name: 'a manifest that speaks of another content',
    files: { 'a.ndjson': ndjson(good), 'manifest.json': manifest([{ name: 'a.ndjson', size: 3 }]) },
    status: 'rejected',
    says: [/a\.ndjson/, /manifest/],
  },
  {
    name: 'a manifest that is no JSON',
    files: { 'a.ndjson': ndjson(good), 'manifest.json': 'a.ndjson\n' },
    status: 'rejected',
    says: [/manifest\.json/],
  },
])('$name', async ({ files, status, says }) => {
  const before = await readTable()
  const message = await send(nextId(), files)
  expect(message.status).toBe(status)
  for (const pattern of says) expect(message.reason).toMatch(pattern)
  expect(await readTable()).toEqual(before)
})

let id = 1
function nextId(): number {
  id += 1
  return id
}
