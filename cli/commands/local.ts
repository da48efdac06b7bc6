/** `freshet local`: the embedded cloud with the deployed functions, until Ctrl-C. */
import { once } from 'node:events'
import { Command } from '@commander-js/extra-typings'
import { removeCloudFile, writeCloudFile } from '../cloud-file.ts'
import { type Io, type Output, printLine } from '../io.ts'
import { NAMES } from '../laptop-names.ts'
import type { Stack } from '../stack.ts'

const EXAMPLES = `
Examples:
  $ freshet local
  $ freshet local --dir .freshet --feeds feeds --json
  $ freshet local > .env

The lines on stdout point clients and command-line tools at this cloud, for example:
  $ eval "$(sed 's/^/export /' .env)" && gcloud storage cp data/2026-07-01/* gs://${NAMES.inbox}/cities/2026-07-01/
Feed files are read at the start: start anew after changing one.`

function printStack(io: Io, { cloud, feedsDir }: Stack, dir: string): void {
  const say = (text: string) => printLine(io.stderr, text)
  say(`The embedded cloud runs in ${dir}, project ${cloud.project}, with the feeds of ${feedsDir}.`)
  for (const [name, url] of Object.entries(cloud.urls)) say(`  ${name.padEnd(10)} ${url}`)
  say(`  inbox      gs://${NAMES.inbox}`)
  say('Ctrl-C ends it.')
}

function printEnv(output: Output, stack: Stack): void {
  for (const [name, value] of Object.entries({ ...stack.env, ...stack.cloud.toolEnv })) {
    printLine(output, `${name}=${value}`)
  }
}

async function serve(io: Io, stack: Stack, dir: string, json: boolean): Promise<void> {
  await writeCloudFile(dir, stack.cloud, stack.env)
  const { project, urls, env, toolEnv } = stack.cloud
  if (json)
    printLine(
      io.stdout,
      JSON.stringify({ project, urls, inbox: NAMES.inbox, functions: stack.functions, env, toolEnv }),
    )
  else printEnv(io.stdout, stack)
  printStack(io, stack, dir)
  if (!io.signal.aborted) await once(io.signal, 'abort')
  printLine(io.stderr, 'Closing …')
}

export function localCommand(io: Io) {
  return new Command('local')
    .description('run the embedded cloud and the deployed functions until Ctrl-C')
    .option('--dir <DIR>', 'where the data lives', '.freshet')
    .option('--feeds <DIR>', 'folder of feed files', 'feeds')
    .option('--json', 'print addresses and environment as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async ({ dir, feeds, json = false }) => {
      // Loaded here, so that help and wrong use answer at once.
      const { startStack } = await import('../stack.ts')
      const stack = await startStack({ dir, feedsDir: feeds })
      try {
        await serve(io, stack, dir, json)
      } finally {
        await stack.close()
        await removeCloudFile(dir)
      }
    })
}
