/** `freshet rollback`: puts the target back to what an earlier refresh published. */
import { Command } from '@commander-js/extra-typings'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { exitOfMessage, printMessage } from '../print-message.ts'

const EXAMPLES = `
Examples:
  $ freshet rollback cities --dir .freshet              # to the refresh before the one that shows now
  $ freshet rollback cities 2026-07-01 --dir .freshet   # to the last time that this was the newest snapshot

The next snapshot goes on from there. Without --dir the FRESHET_ variables of the environment say which deployment on
Google Cloud is meant.`

export function rollbackCommand(io: Io, setExit: (code: number) => void) {
  return new Command('rollback')
    .description('put the target back to what an earlier refresh published')
    .argument('<FEED>', 'name of the feed')
    .argument('[SNAPSHOT]', 'the snapshot that was the newest then')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print the message as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (feed, snapshot, { dir, json }) => {
      await withDeployment(dir, async ({ operations, nextMessage }) => {
        const request = await operations.rollback(feed, snapshot)
        const message = await nextMessage?.(feed, io.signal)
        if (json) printLine(io.stdout, JSON.stringify(message ?? request))
        else if (message) printMessage(io.stdout, message)
        else printLine(io.stdout, `${feed} goes back to snapshot ${request.newest} (run ${request.to})`)
        if (message) setExit(exitOfMessage(message))
      })
    })
}
