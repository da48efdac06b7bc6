/** `freshet try`: sends directories as snapshots into an embedded cloud and says what became of them. */
import { Command } from '@commander-js/extra-typings'
import type { ChangeFeed } from '../../functions/feed/changes/change-feed.ts'
import type { Feed } from '../../functions/feed/feed.ts'
import type { RefreshMessage } from '../../functions/message.ts'
import { readChangeFiles } from '../change-files.ts'
import { EXIT } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { exitOfMessage, printMessage } from '../print-message.ts'
import { startProgress } from '../progress.ts'
import { deliversChanges, readAnyFeed } from '../read-feeds.ts'
import type { SessionOptions } from '../session.ts'
import { readSnapshotDir } from '../snapshot-dir.ts'

const EXAMPLES = `
Examples:
  $ freshet try feeds/cities.yaml data/2026-07-01
  $ freshet try feeds/cities.yaml data/2026-07-01 data/2026-09-26 --dir .freshet
  $ freshet try feeds/cities.yaml data/2026-07-01 --json 2>/dev/null

A directory's name is the snapshot id. Its files go to the inbox under the feed's source.path; when it brings no
manifest or marker and the feed wants one, one is written last. Of a change feed give directories of change files, or
the files themselves. Exit code 3 when a snapshot was held or rejected.`

/** A sitting that is open: what it sends, one after the other. */
interface Sends {
  readonly sends: readonly (() => Promise<RefreshMessage>)[]
  close(): Promise<void>
}
type Open = (options: SessionOptions) => Promise<Sends>

/** Wrong paths are told before anything starts; what starts is loaded then, so that help and wrong use answer at once. */
async function openSnapshots(feed: Feed, dirs: readonly string[]): Promise<Open> {
  const snapshots = await Promise.all(dirs.map(one => readSnapshotDir(feed, one)))
  return async options => {
    const { startSession } = await import('../session.ts')
    const session = await startSession(options)
    return { sends: snapshots.map(one => () => session.send(one)), close: session.close }
  }
}

async function openChanges(feed: ChangeFeed, paths: readonly string[]): Promise<Open> {
  const files = (await Promise.all(paths.map(one => readChangeFiles(feed, one)))).flat()
  return async options => {
    const { startChangeSession } = await import('../change-session.ts')
    const session = await startChangeSession(feed, options)
    return { sends: files.map(one => () => session.send(one)), close: session.close }
  }
}

export function tryCommand(io: Io, setExit: (code: number) => void) {
  return new Command('try')
    .description('send snapshots into an embedded cloud and wait for the refreshed table')
    .argument('<FEED.yaml>', 'the feed file')
    .argument('<SNAPSHOT_DIR...>', 'directories named as snapshot ids, sent in this order')
    .option(
      '--dir <DIR>',
      'keep the cloud here, for `freshet query` and later snapshots (default: a temporary one)',
    )
    .option('--json', 'print the message as one JSON object a line')
    .addHelpText('after', EXAMPLES)
    .action(async (feedFile, dirs, { dir, json }) => {
      const feed = await readAnyFeed(feedFile)
      const open = deliversChanges(feed) ? await openChanges(feed, dirs) : await openSnapshots(feed, dirs)
      const progress = await startProgress(io)
      const { sends, close } = await open({ feedFile, dir, progress, signal: io.signal })
      try {
        for (const send of sends) {
          const message = await send()
          if (json) printLine(io.stdout, JSON.stringify(message))
          else printMessage(io.stdout, message)
          const exit = exitOfMessage(message)
          // A later snapshot is not sent after one that was stopped: its counts would mislead.
          if (exit !== EXIT.done) return setExit(exit)
        }
      } finally {
        await close()
      }
    })
}
