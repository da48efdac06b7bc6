/** The source of the functions as one archive: what it holds, and the hash by which a redeploy is decided. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'

/** Path in the archive → text. */
export type Bundle = ReadonlyMap<string, string>

/** Where the feed files lie in the archive. */
export const FEEDS_FOLDER = 'feeds'

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  main: z.string(),
  dependencies: z.record(z.string(), z.string()),
})
const lock = z.object({
  name: z.string(),
  version: z.string(),
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })),
})

/**
 * Only what a deployment installs, and no scripts: the Node buildpack would run one that is called `build`. It starts
 * the functions framework in the root, which loads `main`. github.com/GoogleCloudPlatform/buildpacks cmd/nodejs
 */
function encodeManifest(text: string): string {
  const { name, version, main, dependencies } = manifest.parse(JSON.parse(text))
  const deployed = {
    name,
    version,
    private: true,
    type: 'module',
    main,
    engines: { node: '24.x' },
    dependencies,
  }
  return `${JSON.stringify(deployed, null, 2)}\n`
}

/** The lock file without what only development needs, so that `npm ci` finds the two in step. */
function encodeLock(lockText: string, manifestText: string): string {
  const { name, version, lockfileVersion, packages } = lock.parse(JSON.parse(lockText))
  const { dependencies, engines } = z
    .object({ dependencies: z.unknown(), engines: z.unknown() })
    .parse(JSON.parse(manifestText))
  const kept = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const root = { name, version, dependencies, engines }
  const pruned = {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: { '': root, ...Object.fromEntries(kept) },
  }
  return `${JSON.stringify(pruned, null, 2)}\n`
}

/** Reads what is deployed from the repository at `root`; `feeds` is the folder of the feed files. */
export function readBundle(root: string, feeds: string): Bundle {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const code = globSync('functions/**/*.{ts,avsc}', { cwd: root }).map(path => path.replaceAll('\\', '/'))
  const deployed = encodeManifest(read('package.json'))
  const files: [string, string][] = [
    ['package.json', deployed],
    ['package-lock.json', encodeLock(read('package-lock.json'), deployed)],
    ...code.map((path): [string, string] => [path, read(path)]),
    ...globSync('*.{yaml,yml}', { cwd: feeds }).map((name): [string, string] => [
      `${FEEDS_FOLDER}/${basename(name)}`,
      readFileSync(join(feeds, name), 'utf8'),
    ]),
  ]
  return new Map(files.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same files give the same 16 hex digits on every machine. */
export function hashBundle(bundle: Bundle): string {
  const hash = createHash('sha256')
  for (const [path, text] of bundle) hash.update(`${path}\0${Buffer.byteLength(text)}\0${text}`)
  return hash.digest('hex').slice(0, 16)
}
