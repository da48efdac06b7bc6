/** `freshet correct`: changes or deletes rows of a table by a correction file. */
import { readFile } from 'node:fs/promises'
import { Command } from '@commander-js/extra-typings'
import { misuse, reasonOf } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { exitOfMessage, printMessage } from '../print-message.ts'
import { formatCount } from '../quantity.ts'

const EXAMPLES = `
Examples:
  $ freshet correct cities wrong-names.yaml --dry-run --dir .freshet   # how many rows, and the statement
  $ freshet correct cities wrong-names.yaml --dir .freshet

The file:
  why: the list of 2026-07-01 had two towns twice
  update:
    set: { name: Sankt Gallen }
    where: { country: CH, name: [St Gallen, "St. Gallen"] }

Rows are counted first; if they are others by the time the correction runs, it changes nothing. freshet rollback undoes
it. Without --dir the FRESHET_ variables of the environment say which deployment on Google Cloud is meant.`

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw misuse(`can't read ${file}: ${reasonOf(error)}`)
  }
}

export function correctCommand(io: Io, setExit: (code: number) => void) {
  return new Command('correct')
    .description('change or delete rows of a table by condition')
    .argument('<FEED>', 'name of the feed')
    .argument('<CORRECTION.yaml>', 'what to change, and where')
    .option('--dry-run', 'only count the rows, and print the statement')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print the message as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (feed, file, { dryRun, dir, json }) => {
      const text = await readText(file)
      await withDeployment(dir, async ({ operations, nextMessage }) => {
        const counted = await operations.correct.count(feed, text)
        const { rows, tableRows, sql } = counted
        const said = `${formatCount(rows)} of ${formatCount(tableRows)} rows`
        if (dryRun)
          return printLine(io.stdout, json ? JSON.stringify({ rows, tableRows, sql }) : `${said}\n${sql}`)
        printLine(io.stderr, `${said} are to change`)
        const request = await operations.correct.ask(feed, counted)
        const message = await nextMessage?.(feed, io.signal)
        if (json) printLine(io.stdout, JSON.stringify(message ?? request))
        else if (message) printMessage(io.stdout, message)
        else printLine(io.stdout, `${feed}: ${said} are to change`)
        if (message) setExit(exitOfMessage(message))
      })
    })
}
