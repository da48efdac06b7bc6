/** docs/estimate.md shows a real run: its example is what the command prints today. */
import { expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { readRepoFile } from '../house/source-files.ts'

test('the example of docs/estimate.md is what is printed', async () => {
  const [, line = '', shown = ''] =
    /```\n\$ freshet (estimate .*)\n([\s\S]*?)\n```/.exec(readRepoFile('docs/estimate.md')) ?? []
  const { exit, stdout } = await runCli(...line.split(' '))
  expect(exit).toBe(0)
  expect(stdout.trimEnd()).toBe(shown)
})
