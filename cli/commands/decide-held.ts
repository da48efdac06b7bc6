/** `freshet approve` and `freshet reject`: what a person says about a snapshot that stopped at a gate. */
import { Command } from '@commander-js/extra-typings'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { exitOfMessage, printMessage } from '../print-message.ts'

const EXAMPLES = (verb: string) => `
Examples:
  $ freshet status --dir .freshet
  $ freshet ${verb} cities 2026-09-26 --dir .freshet

Without --dir the FRESHET_ variables of the environment say which deployment on Google Cloud is meant.`

export function approveCommand(io: Io, setExit: (code: number) => void) {
  return new Command('approve')
    .description('let a held snapshot pass its gates')
    .argument('<FEED>', 'name of the feed')
    .argument('<SNAPSHOT>', 'id of the held snapshot')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print the message as one JSON object')
    .addHelpText('after', EXAMPLES('approve'))
    .action(async (feed, snapshot, { dir, json }) => {
      await withDeployment(dir, async ({ operations, nextMessage }) => {
        const decision = await operations.approve(feed, snapshot)
        const message = await nextMessage?.(feed, io.signal)
        if (json) printLine(io.stdout, JSON.stringify(message ?? decision))
        else if (message) printMessage(io.stdout, message)
        else printLine(io.stdout, `${snapshot} of ${feed} approved; the refresh is on its way`)
        if (message) setExit(exitOfMessage(message))
      })
    })
}

export function rejectCommand(io: Io) {
  return new Command('reject')
    .description('turn a held snapshot away for good')
    .argument('<FEED>', 'name of the feed')
    .argument('<SNAPSHOT>', 'id of the held snapshot')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print the decision as one JSON object')
    .addHelpText('after', EXAMPLES('reject'))
    .action(async (feed, snapshot, { dir, json }) => {
      await withDeployment(dir, async ({ operations }) => {
        const decision = await operations.reject(feed, snapshot)
        printLine(io.stdout, json ? JSON.stringify(decision) : `${snapshot} of ${feed} rejected`)
      })
    })
}
