/** `freshet plan`: the stages of a run and their SQL, nothing run. */
import { Command } from '@commander-js/extra-typings'
import { type Io, printLine } from '../io.ts'
import { planSnapshotDir } from '../plan-snapshot-dir.ts'
import { printPlan } from '../print-plan.ts'
import { readFeed } from '../read-feeds.ts'

const EXAMPLES = `
Examples:
  $ freshet plan feeds/cities.yaml data/2026-07-01
  $ freshet plan feeds/cities.yaml data/2026-07-01 --json | jq '.stages[].jobs[].configuration'

It is the plan for a first snapshot: an empty table, every object in its first generation.`

export function planCommand(io: Io) {
  return new Command('plan')
    .description('show what a run would do for a snapshot: its stages and their SQL')
    .argument('<FEED.yaml>', 'the feed file')
    .argument('<SNAPSHOT_DIR>', 'a directory named as the snapshot id, with its files')
    .option('--json', 'the plan itself, as the workflow gets it')
    .addHelpText('after', EXAMPLES)
    .action(async (feedFile, dir, { json }) => {
      const plan = await planSnapshotDir(await readFeed(feedFile), dir)
      if (json) printLine(io.stdout, JSON.stringify(plan, null, 2))
      else printPlan(io.stdout, plan)
    })
}
