/** The command-line tools that people know, against the embedded cloud: gcloud brings the files, bq reads the table. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMessages } from '../../cli/messages.ts'
import { type Stack, startStack } from '../../cli/stack.ts'
import { makeShop, ndjson } from './shop.ts'

const run = promisify(execFile)
const isInstalled = (tool: string) => spawnSync(tool, ['version'], { stdio: 'ignore' }).status === 0
const hasTools = isInstalled('gcloud') && isInstalled('bq')
const shop = makeShop()
let stack: Stack

const environment = () => ({
  ...process.env,
  ...stack.cloud.env,
  ...stack.cloud.toolEnv,
  CLOUDSDK_CONFIG: join(shop.root, 'gcloud'),
})
const gcloud = (...args: string[]) => run('gcloud', args, { env: environment() })
async function bq(...args: string[]): Promise<string> {
  const { urls, project } = stack.cloud
  const place = ['--api', urls.bigquery, '--oauth_access_token=local', `--project_id=${project}`]
  return (await run('bq', [...place, ...args], { env: environment() })).stdout
}

const TITLE = hasTools ? 'gcloud and bq' : 'gcloud and bq (skipped: the Google Cloud SDK is not installed)'
describe.skipIf(!hasTools)(TITLE, { timeout: 180_000 }, () => {
  beforeAll(async () => {
    const feeds = join(shop.root, 'feeds')
    mkdirSync(feeds)
    writeFileSync(join(feeds, 'shop.yaml'), shop.feedText)
    stack = await startStack({ dir: join(shop.root, 'cloud'), feedsDir: feeds })
  })
  afterAll(async () => {
    await stack?.close()
    shop.remove()
  })

  test('gcloud storage cp into the inbox refreshes the table', async () => {
    const messages = startMessages(stack.cloud)
    const row = { shop: 1, item: 'tea', price: '1.10', since: '2026-01-01' }
    const dir = shop.snapshot(7, {
      'a.ndjson': ndjson(row, { ...row, item: 'salt' }),
      'manifest.json': JSON.stringify({ snapshot: '7', files: [{ name: 'a.ndjson' }] }),
    })
    await gcloud('storage', 'cp', `${dir}/a.ndjson`, 'gs://freshet-inbox/shop/7/')
    await gcloud('storage', 'cp', `${dir}/manifest.json`, 'gs://freshet-inbox/shop/7/')
    const message = await messages.next(({ feed }) => feed === 'shop', AbortSignal.timeout(60_000))
    await messages.close()
    expect(message).toMatchObject({ status: 'refreshed', snapshots: ['7'], rows: { after: 2 } })
  })

  test('bq query', async () => {
    const answer = await bq(
      '--format=json',
      'query',
      '--use_legacy_sql=false',
      'SELECT item FROM trade.prices ORDER BY 1',
    )
    expect(JSON.parse(answer)).toEqual([{ item: 'salt' }, { item: 'tea' }])
  })

  test('bq show', async () => {
    const table = JSON.parse(await bq('--format=json', 'show', 'trade.prices'))
    expect(table).toMatchObject({ numRows: '2', tableReference: { datasetId: 'trade', tableId: 'prices' } })
  })

  test('bq ls', async () => {
    expect(await bq('ls', 'trade')).toContain('prices')
  })

  test('bq head', async () => {
    const rows = JSON.parse(await bq('--format=json', 'head', '-n', '10', 'trade.prices'))
    expect(rows.map((row: { item: string }) => row.item).toSorted()).toEqual(['salt', 'tea'])
  })
})
