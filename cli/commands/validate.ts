/** `freshet validate`: every problem of every feed file, with path and line. */
import { Command } from '@commander-js/extra-typings'
import type { ChangeFeed } from '../../functions/feed/changes/change-feed.ts'
import { findClashes } from '../../functions/feed/clashes.ts'
import type { Feed } from '../../functions/feed/feed.ts'
import type { FeedProblem } from '../../functions/feed/parse-feed.ts'
import { EXIT } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { formatNumberOf } from '../quantity.ts'
import { formatProblem, readFeedFile } from '../read-feeds.ts'

const EXAMPLES = `
Examples:
  $ freshet validate feeds/*.yaml
  $ freshet validate feeds/cities.yaml --json

One problem a line on stdout, as FILE:LINE: PATH: what is wrong. what to do. Exit code 1 when there is one.`

export function validateCommand(io: Io, setExit: (code: number) => void) {
  return new Command('validate')
    .description('check feed files, and say everything that is wrong with them')
    .argument('<FEED.yaml...>', 'feed files')
    .option('--json', 'one JSON object a problem')
    .addHelpText('after', EXAMPLES)
    .action(async (files, { json }) => {
      const problems: FeedProblem[] = []
      const feeds: { readonly file: string; readonly feed: Feed | ChangeFeed }[] = []
      for (const file of new Set(files)) {
        const parsed = await readFeedFile(file)
        if (parsed.kind === 'problems') problems.push(...parsed.problems)
        else feeds.push({ file, feed: parsed.feed })
      }
      // The whole file is what clashes, wherever in it the name stands.
      problems.push(...findClashes(feeds).map(clash => ({ ...clash, line: 1 })))
      for (const problem of problems)
        printLine(io.stdout, json ? JSON.stringify(problem) : formatProblem(problem))
      const count = files.length === 1 ? '1 file' : `${files.length} files`
      printLine(
        io.stderr,
        problems.length === 0
          ? `${count}, no problem`
          : `${count}, ${formatNumberOf(problems.length, 'problem')}`,
      )
      if (problems.length > 0) setExit(EXIT.failed)
    })
}
