/** The stacks of test/cases/infra: each a stack file as a user writes it, with its feeds. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { ROOT, runProgram, type StackRun } from './run-program.ts'

const CASES = join(ROOT, 'test/cases/infra')
const file = z.object({ config: z.record(z.string(), z.unknown()) })

export const STACK_CASES = readdirSync(CASES).toSorted()

/** Names as long as a feed's may be: 40 characters. */
function writeTenFeeds(): string {
  const folder = mkdtempSync(join(tmpdir(), 'freshet-ten-feeds-'))
  for (let at = 0; at < 10; at += 1) {
    const name = `feed-${at}-${'x'.repeat(33)}`
    const lines = [
      `name: ${name}`,
      `source: { path: '${name}/{snapshot}.csv', complete: single-file, format: csv }`,
      `table: { name: dataset_${at % 3}.table_${at}, columns: { id: INT64, value: STRING } }`,
      `model: { kind: unique, key: [id], sequence: { from: snapshot, as: delivery } }`,
    ]
    writeFileSync(join(folder, `${name}.yaml`), `${lines.join('\n')}\n`)
  }
  return folder
}

/** Settings of a case, and the project they are for. */
export function readStackCase(name: string): { project: string; settings: Record<string, unknown> } {
  const { config } = file.parse(parse(readFileSync(join(CASES, name, 'stack.yaml'), 'utf8')))
  const own = join(CASES, name, 'feeds')
  const settings = Object.entries(config).flatMap(([key, value]) =>
    key.startsWith('freshet:') ? [[key.slice('freshet:'.length), value] as const] : [],
  )
  const feeds = existsSync(own) ? own : writeTenFeeds()
  return { project: String(config['gcp:project']), settings: { feeds, ...Object.fromEntries(settings) } }
}

const ran = new Map<string, Promise<StackRun>>()

/** Each case once: registering a stack takes seconds, and nobody changes what came of it. */
export function runStackCase(name: string, stack = 'prod'): Promise<StackRun> {
  const known = ran.get(`${name} ${stack}`)
  if (known) return known
  const { project, settings } = readStackCase(name)
  const run = runProgram(settings, { project, stack })
  ran.set(`${name} ${stack}`, run)
  return run
}
