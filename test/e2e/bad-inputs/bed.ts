/** One running stack for all bad inputs: feeds, an inbox to put objects into, and every message that was published. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@google-cloud/pubsub'
import { makeBigQuery, makePubSub, makeStorage } from '../../../cli/clients.ts'
import { NAMES } from '../../../cli/laptop-names.ts'
import { startStack } from '../../../cli/stack.ts'
import type { RefreshMessage } from '../../../functions/message.ts'
import { readFeedText } from '../../support/plan-case.ts'

export type Content = string | Uint8Array
/** Content by the name below the snapshot's folder, put in the order of the keys. */
export type Files = Readonly<Record<string, Content>>

/** How long a message may take before a case counts as one without an answer. */
const PATIENCE_MS = 120_000
const POLL_MS = 20

export type Bed = Awaited<ReturnType<typeof startBed>>

/** What a table is and holds; without a time where there is no table. */
export interface TableState {
  readonly rows: readonly string[]
  readonly modified: string | undefined
  readonly run: string | undefined
}

function startPost(cloud: Parameters<typeof makePubSub>[0]) {
  const pubsub = makePubSub(cloud)
  const subscription = pubsub.subscription('every-message')
  const messages = new Map<string, RefreshMessage>()
  subscription.on('message', (message: Message) => {
    messages.set(message.id, JSON.parse(message.data.toString('utf8')))
    message.ack()
  })
  return {
    open: () => pubsub.topic(NAMES.topic).createSubscription('every-message'),
    /** Delivery is at least once: what has the run and the status of another is that one once more. */
    about: (feed: string, snapshot: string) => {
      const fits = [...messages.values()].filter(
        message => message.feed === feed && message.snapshots.includes(snapshot),
      )
      const first = (of: RefreshMessage) =>
        fits.find(({ run, status }) => run === of.run && status === of.status)
      return fits.filter(message => first(message) === message)
    },
    async close() {
      await subscription.close()
      await pubsub.close()
    },
  }
}

async function waitFor<T>(find: () => T | undefined, otherwise: string): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const found = find()
    if (found !== undefined) return found
    await sleep(POLL_MS)
  }
  throw new Error(otherwise)
}

/** `feeds` are the texts of feed files. */
export async function startBed(feeds: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'freshet-bad-'))
  const feedsDir = join(root, 'feeds')
  mkdirSync(feedsDir)
  const parsed = new Map(feeds.map(text => [readFeedText(text).name as string, readFeedText(text)]))
  feeds.forEach((text, at) => {
    writeFileSync(join(feedsDir, `${at}.yaml`), text)
  })
  const { cloud, env, close, delivered } = await startStack({ dir: join(root, 'cloud'), feedsDir })
  const bucket = makeStorage(cloud).bucket(NAMES.inbox)
  const bigquery = makeBigQuery(cloud)
  const post = startPost(cloud)
  await post.open()

  async function readTable(dataset: string, name: string): Promise<TableState> {
    const table = bigquery.dataset(dataset).table(name)
    const [found, [rows]] = await Promise.all([table.getMetadata(), table.getRows()]).catch(
      (error: { code?: unknown }) => {
        if (error.code === 404) return [[undefined], [[]]] as const
        throw error
      },
    )
    const [metadata] = found
    return {
      rows: rows.map(row => JSON.stringify(row)).toSorted(),
      modified: metadata?.lastModifiedTime,
      run: metadata?.labels?.freshet_run,
    }
  }

  return {
    cloud,
    env,
    parsed,
    delivered,
    messages: post.about,
    /** Puts one object under its full name and answers with its generation. */
    async put(name: string, content: Content): Promise<string> {
      const file = bucket.file(name)
      await file.save(Buffer.from(content), { resumable: false, validation: false })
      return String(file.metadata.generation)
    },
    /** Waits for the message number `count` about a snapshot. */
    async message(feed: string, snapshot: string, count = 1): Promise<RefreshMessage> {
      const find = () => post.about(feed, snapshot)[count - 1]
      return waitFor(find, `no message about snapshot ${snapshot} of ${feed}`)
    },
    /** Rows of a query, as JSON. */
    async query(sql: string): Promise<unknown[]> {
      const [rows] = await bigquery.query(sql)
      return JSON.parse(JSON.stringify(rows))
    },
    /** Target and staging of a feed as they are now. */
    async look(feed: string) {
      const { table } = parsed.get(feed) ?? {}
      const [target, staging] = await Promise.all([
        readTable(table?.datasetId ?? '', table?.tableId ?? ''),
        readTable(NAMES.staging, feed.replaceAll('-', '_')),
      ])
      return { target, staging }
    },
    async close() {
      await post.close()
      await close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
