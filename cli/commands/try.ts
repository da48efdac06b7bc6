/** `freshet try`: sends directories as snapshots into an embedded cloud and says what became of them. */
import { Command } from '@commander-js/extra-typings'
import { EXIT } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { exitOfMessage, printMessage } from '../print-message.ts'
import { startProgress } from '../progress.ts'
import { readFeed } from '../read-feeds.ts'
import { readSnapshotDir } from '../snapshot-dir.ts'

const EXAMPLES = `
Examples:
  $ freshet try feeds/cities.yaml data/2026-07-01
  $ freshet try feeds/cities.yaml data/2026-07-01 data/2026-09-26 --dir .freshet
  $ freshet try feeds/cities.yaml data/2026-07-01 --json 2>/dev/null

A directory's name is the snapshot id. Its files go to the inbox under the feed's source.path; when it brings no
manifest or marker and the feed wants one, one is written last. Exit code 3 when a snapshot was held or rejected.`

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
      const feed = await readFeed(feedFile)
      const snapshots = await Promise.all(dirs.map(one => readSnapshotDir(feed, one)))
      const progress = await startProgress(io)
      // Loaded here, so that help and wrong use answer at once.
      const { startSession } = await import('../session.ts')
      const session = await startSession({ feedFile, dir, progress, signal: io.signal })
      try {
        for (const snapshot of snapshots) {
          const message = await session.send(snapshot)
          if (json) printLine(io.stdout, JSON.stringify(message))
          else printMessage(io.stdout, message)
          const exit = exitOfMessage(message)
          // A later snapshot is not sent after one that was stopped: its counts would mislead.
          if (exit !== EXIT.done) return setExit(exit)
        }
      } finally {
        await session.close()
      }
    })
}
