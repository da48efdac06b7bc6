/** Deploys a throwaway stack, sends the demo's two snapshots, checks the counts, rolls back, and destroys it all. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BigQuery } from '@google-cloud/bigquery'
import { Storage } from '@google-cloud/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_SNAPSHOTS, writeDemoSnapshot } from '../../cli/demo-data.ts'
import { readFeed } from '../../cli/read-feeds.ts'
import { readSnapshotDir } from '../../cli/snapshot-dir.ts'
import { uploadSnapshot } from '../../cli/upload-snapshot.ts'
import { makeOperations } from '../../functions/main.ts'
import { makeThrowawayStack, type Outputs, type ThrowawayStack } from './throwaway-stack.ts'

const { GOOGLE_CLOUD_PROJECT: project, FRESHET_LOCATION: location = 'US' } = process.env
const why = project
  ? ''
  : ' (skipped: set GOOGLE_CLOUD_PROJECT to a project in which a stack may be deployed)'
const FEED = join(import.meta.dirname, '../../feeds/cities.yaml')
const PATIENCE_MS = 20 * 60_000

describe.skipIf(!project)(`a stack on Google Cloud${why}`, () => {
  const bigquery = new BigQuery({ projectId: project ?? '', location })
  let stack: ThrowawayStack
  let made: Outputs

  beforeAll(async () => {
    stack = await makeThrowawayStack(project ?? '', location)
    made = await stack.up()
  })
  afterAll(() => stack?.destroy())

  const count = async (sql: string) => {
    const [rows] = await bigquery.query(sql)
    return Number(Object.values(rows[0] ?? {})[0] ?? 0)
  }
  const countTarget = () => count(`SELECT COUNT(*) FROM \`${made.targets.cities}\``)
  const until = async (what: string, look: () => Promise<boolean>) => {
    const deadline = Date.now() + PATIENCE_MS
    while (!(await look())) {
      if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
      await sleep(5_000)
    }
  }

  test.each([
    [0, 170_114],
    [1, 172_315],
  ])('snapshot %d is served', async (at, rows) => {
    const source = DEMO_SNAPSHOTS[at]
    if (!source) throw new Error(`the demo has no snapshot ${at}`)
    const dir = await writeDemoSnapshot(mkdtempSync(join(tmpdir(), 'freshet-gcp-data-')), source)
    const feed = await readFeed(FEED)
    const inbox = new Storage({ projectId: project ?? '' }).bucket(basename(made.inbox))
    await uploadSnapshot(inbox, feed, await readSnapshotDir(feed, dir), AbortSignal.timeout(PATIENCE_MS))
    const told = `SELECT COUNT(*) FROM \`${made.messages}\` WHERE status = 'refreshed' AND '${source.id}' IN UNNEST(snapshots)`
    await until('the message as a row', async () => (await count(told)) > 0)
    expect(await countTarget()).toBe(rows)
  })

  test('a rollback shows the first snapshot again', async () => {
    const operations = makeOperations({ ...made.environment, FRESHET_FEEDS: join(FEED, '..') })
    await operations.rollback('cities', DEMO_SNAPSHOTS[0].id)
    await until('the rows of the first snapshot', async () => (await countTarget()) === 170_114)
  })
})
