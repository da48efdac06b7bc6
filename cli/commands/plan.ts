/** `freshet plan`: the stages of a run and their SQL, nothing run. */
import { Command } from '@commander-js/extra-typings'
import { type Io, printLine } from '../io.ts'
import { planChanges } from '../plan-changes.ts'
import { planSnapshotDir } from '../plan-snapshot-dir.ts'
import { printPlan } from '../print-plan.ts'
import { deliversChanges, readAnyFeed } from '../read-feeds.ts'

const EXAMPLES = `
Examples:
  $ freshet plan feeds/cities.yaml data/2026-07-01
  $ freshet plan feeds/cities.yaml data/2026-07-01 --json | jq '.stages[].jobs[].configuration'

It is the plan for a first snapshot: an empty table, every object in its first generation. Of a change feed: the table's
DDL, and what each change file would send, read to its end.`

export function planCommand(io: Io, setExit: (code: number) => void) {
  return new Command('plan')
    .description('show what a run would do for a snapshot: its stages and their SQL')
    .argument('<FEED.yaml>', 'the feed file')
    .argument('<SNAPSHOT_DIR>', 'a directory named as the snapshot id, with its files; or change files')
    .option('--json', 'the plan itself, as the workflow gets it')
    .addHelpText('after', EXAMPLES)
    .action(async (feedFile, dir, { json }) => {
      const feed = await readAnyFeed(feedFile)
      if (deliversChanges(feed)) return setExit(await planChanges(io, feed, dir, json === true))
      const plan = await planSnapshotDir(feed, dir)
      if (json) printLine(io.stdout, JSON.stringify(plan, null, 2))
      else printPlan(io.stdout, plan)
    })
}
