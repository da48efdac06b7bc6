/** A stack on Google Cloud that lives for one test: the real CLI, state in a temporary folder, data that may go. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '../..')
const CLI = 'pulumi@3.265.0'
/** A metric that was just made is not known to alerts for a while, and new agents not to their services. */
const TRIES = 3

const outputs = z.object({
  inbox: z.string(),
  messages: z.string(),
  targets: z.record(z.string(), z.string()),
  environment: z.record(z.string(), z.string()),
})
export type Outputs = z.infer<typeof outputs>

export interface ThrowawayStack {
  up(): Promise<Outputs>
  /** Removes everything, data too. */
  destroy(): Promise<void>
}

/** The demo's feed, serving from a dataset that is nobody else's. */
function writeFeeds(folder: string, dataset: string): string {
  const feeds = join(folder, 'feeds')
  mkdirSync(feeds)
  const cities = readFileSync(join(ROOT, 'feeds/cities.yaml'), 'utf8')
  writeFileSync(join(feeds, 'cities.yaml'), cities.replace('name: geo.cities', `name: ${dataset}.cities`))
  return feeds
}

export async function makeThrowawayStack(project: string, location: string): Promise<ThrowawayStack> {
  const folder = mkdtempSync(join(tmpdir(), 'freshet-gcp-'))
  const prefix = `frt-${randomBytes(4).toString('hex')}`
  const file = join(folder, 'stack.yaml')
  const env = { ...process.env, PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: '' }
  const pulumi = async (...args: string[]) => {
    const all = ['--yes', CLI, '--non-interactive', ...args]
    return (await promisify(execFile)('npx', all, { cwd: ROOT, env, maxBuffer: 64 << 20 })).stdout
  }
  const onStack = (...args: string[]) => pulumi(...args, '--stack', prefix, '--config-file', file)
  const settings = {
    'gcp:project': project,
    'freshet:location': location,
    'freshet:prefix': prefix,
    'freshet:feeds': writeFeeds(folder, prefix.replaceAll('-', '_')),
    'freshet:destroyData': 'true',
  }
  await pulumi('stack', 'init', prefix)
  for (const [name, value] of Object.entries(settings)) await onStack('config', 'set', name, value)
  return {
    async up() {
      for (let tries = 1; ; tries += 1) {
        try {
          await onStack('up', '--yes', '--skip-preview')
          break
        } catch (error) {
          if (tries === TRIES) throw error
        }
      }
      return outputs.parse(JSON.parse(await pulumi('stack', 'output', '--json', '--stack', prefix)))
    },
    async destroy() {
      await onStack('destroy', '--yes', '--skip-preview')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
