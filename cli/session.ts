/** One sitting of `freshet try`: a stack with one feed, snapshots sent into it, a message back for each. */
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import type { Feed } from '../functions/feed/feed.ts'
import type { RefreshMessage } from '../functions/message.ts'
import { makeStorage } from './clients.ts'
import { readRunningCloud, removeCloudFile, writeCloudFile } from './cloud-file.ts'
import { waitForRest } from './executions.ts'
import { failure } from './exit.ts'
import { NAMES } from './laptop-names.ts'
import { type Messages, startMessages } from './messages.ts'
import type { Progress } from './progress.ts'
import { formatBytes, formatNumberOf } from './quantity.ts'
import { checkClashes, readFeed } from './read-feeds.ts'
import type { SnapshotDir } from './snapshot-dir.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'
import { uploadSnapshot } from './upload-snapshot.ts'
import { type SilenceWatch, watchSilence } from './watch-silence.ts'
import { watchStages } from './watch-stages.ts'

/** No event takes as long, unless it fails and comes again. */
const DELIVERED_MS = 10_000

export interface SessionOptions {
  readonly feedFile: string
  /** Kept; a temporary one is made, and removed at the end, when absent. */
  readonly dir?: string | undefined
  readonly bigquery?: NonNullable<StackOptions['bigquery']>
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Called when the last object is there, and when the message is. */
export interface SendHooks {
  readonly onUploaded?: () => void
  readonly onMessage?: () => void
}

export interface Session {
  readonly feed: Feed
  readonly stack: Stack
  /** Uploads a snapshot and waits for what became of it, and for the workflow to come to rest. */
  send(snapshot: SnapshotDir, hooks?: SendHooks): Promise<RefreshMessage>
  close(): Promise<void>
}

/** The feed file is copied into the directory: it is what is deployed there, as the functions' source is. */
async function deployFeed(dir: string, feedFile: string, feed: Feed | ChangeFeed): Promise<string> {
  const feedsDir = join(dir, 'feeds')
  await mkdir(feedsDir, { recursive: true })
  const own = `${feed.name}.yaml`
  const others = (await readdir(feedsDir)).filter(name => /\.ya?ml$/.test(name) && name !== own)
  // Looked at before it lies there: a directory with two feeds of one target serves neither.
  await checkClashes(
    others.map(name => join(feedsDir, name)),
    { file: feedFile, feed },
  )
  await copyFile(feedFile, join(feedsDir, own))
  return feedsDir
}

/** Uploads, shows the stages, and waits for the message or for the certainty that none will come. */
function makeSend(
  feed: Feed,
  stack: Stack,
  messages: Messages,
  { progress, signal }: SessionOptions,
): Session['send'] {
  const bucket = makeStorage(stack.cloud).bucket(NAMES.inbox)
  const deliver = async (snapshot: SnapshotDir, silence: SilenceWatch, { onUploaded }: SendHooks) => {
    const bytes = await uploadSnapshot(bucket, feed, snapshot, signal)
    onUploaded?.()
    progress.note(`uploaded ${formatNumberOf(snapshot.files.length, 'file')}, ${formatBytes(bytes)}`)
    const fits = (message: RefreshMessage) =>
      message.feed === feed.name && message.status !== 'late' && message.snapshots.includes(snapshot.id)
    return Promise.race([messages.next(fits, signal), silence.broken(snapshot.id)])
  }
  return async (snapshot, hooks = {}) => {
    if (snapshot.ignored.length > 0)
      progress.note(`left out, no match for ${feed.source.path.text}: ${snapshot.ignored.join(', ')}`)
    const stages = watchStages(stack.cloud, progress)
    const silence = watchSilence(stack)
    let outcome = 'no message'
    try {
      progress.begin(snapshot.id)
      const message = await deliver(snapshot, silence, hooks)
      hooks.onMessage?.()
      await waitForRest(stack.cloud, signal)
      // `on-object` goes on for a moment after it has told that it refuses a snapshot.
      await Promise.race([stack.delivered(), sleep(DELIVERED_MS, undefined, { ref: false })])
      await stages.settle()
      outcome = message.status
      return message
    } finally {
      stages.stop()
      silence.stop()
      await progress.end(signal.aborted ? 'interrupted' : outcome)
    }
  }
}

/** What every sitting has: the stack with the feed in it, and its messages. */
export interface Sitting {
  readonly stack: Stack
  readonly messages: Messages
  close(): Promise<void>
}

export async function startSitting(feed: Feed | ChangeFeed, options: SessionOptions): Promise<Sitting> {
  const { feedFile, dir, bigquery, progress } = options
  if (dir !== undefined && (await readRunningCloud(dir)))
    throw failure(`another process serves ${dir} at the moment`, 'End it first, or use another --dir.')
  const home = dir ?? (await mkdtemp(join(tmpdir(), 'freshet-')))
  const feedsDir = await deployFeed(home, feedFile, feed)
  const stack = await startStack({ dir: home, feedsDir, log: progress.note, ...(bigquery && { bigquery }) })
  const messages = startMessages(stack.cloud)
  await writeCloudFile(home, stack.cloud, stack.env)
  const close = async () => {
    await messages.close()
    await stack.close()
    await removeCloudFile(home)
    if (dir === undefined) await rm(home, { recursive: true, force: true })
  }
  return { stack, messages, close }
}

/** Refuses a feed file with problems before anything is started. */
export async function startSession(options: SessionOptions): Promise<Session> {
  const feed = await readFeed(options.feedFile)
  const { stack, messages, close } = await startSitting(feed, options)
  return { feed, stack, send: makeSend(feed, stack, messages, options), close }
}
