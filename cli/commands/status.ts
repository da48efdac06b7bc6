/** `freshet status`: how each feed stands. */

import { Command } from '@commander-js/extra-typings'
import Table from 'cli-table3'
import type { ChangeFeedStatus } from '../../functions/operations/change-status.ts'
import type { FeedStatus } from '../../functions/operations/status.ts'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { formatCount } from '../quantity.ts'
import { showControls } from '../visible.ts'

const EXAMPLES = `
Examples:
  $ freshet status --dir .freshet
  $ freshet status --dir .freshet --json

Without --dir the FRESHET_ variables of the environment say which deployment on Google Cloud is meant.`

function describe({ feed, table, run, pending, held, last, lateSeconds }: FeedStatus): string[] {
  const refreshed = last
    ? `${last.snapshots.join(', ')}, ${formatCount(last.rows.after)} rows, ${last.finishedAt}`
    : 'never'
  const late = lateSeconds > 0 ? `${formatCount(Math.ceil(lateSeconds / 60))} min` : ''
  return [
    feed,
    table,
    refreshed,
    run,
    pending.join('\n'),
    held.map(({ snapshot }) => snapshot).join('\n'),
    late,
  ]
}

function printStatus(io: Io, feeds: readonly FeedStatus[]): void {
  const head = ['feed', 'target', 'last refreshed', 'open run', 'pending', 'held', 'late by']
  const table = new Table({
    head,
    style: { head: io.stdout.isTTY ? ['bold'] : [], border: [], compact: true },
  })
  for (const feed of feeds) table.push(describe(feed))
  printLine(io.stdout, table.toString())
  for (const { feed, held, failure } of feeds) {
    if (failure) printLine(io.stdout, `${feed} failed at ${failure.at}: ${showControls(failure.reason)}`)
    for (const { snapshot, reason } of held)
      printLine(io.stdout, `${feed} ${snapshot} is held: ${showControls(reason)}`)
  }
}

function printChanges(io: Io, { feed, table, open, last }: ChangeFeedStatus): void {
  const ended = last ? `${last.snapshots.join(', ')} ${last.status} at ${last.finishedAt}` : 'no file yet'
  printLine(io.stdout, `${feed} streams changes into ${table}: ${ended}`)
  for (const { object, phase, arrivedAt } of open)
    printLine(io.stdout, `  ${object}, arrived ${arrivedAt}, is at ${phase}`)
}

export function statusCommand(io: Io) {
  return new Command('status')
    .description('list the feeds: last refresh, what waits, what is held, what is late')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', EXAMPLES)
    .action(async ({ dir, json }) => {
      await withDeployment(dir, async ({ operations }) => {
        const [feeds, changes] = [await operations.status(), await operations.changeStatus()]
        if (json) for (const feed of [...feeds, ...changes]) printLine(io.stdout, JSON.stringify(feed))
        else {
          printStatus(io, feeds)
          for (const feed of changes) printChanges(io, feed)
        }
      })
    })
}
