/** A directory as one snapshot: which of its files are data, and what each is called in the inbox. */
import { readdir, stat } from 'node:fs/promises'
import { basename, join, posix, relative, resolve, sep } from 'node:path'
import type { Feed } from '../functions/feed/feed.ts'
import { parseSnapshotId, type SnapshotId } from '../functions/feed/snapshot-id.ts'
import { misuse, reasonOf } from './exit.ts'

export interface LocalFile {
  readonly path: string
  /** The object's full name in the inbox. */
  readonly object: string
  readonly size: number
  readonly modified: Date
}

export interface SnapshotDir {
  readonly id: SnapshotId
  readonly dir: string
  /** In the order of their names. */
  readonly files: readonly LocalFile[]
  /** The manifest or marker that the directory brings, if it does. */
  readonly last: LocalFile | undefined
  /** Relative paths of files that the feed's pattern does not match. */
  readonly ignored: readonly string[]
}

export async function listFiles(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw misuse(
      `cannot read the snapshot directory ${dir}: ${reasonOf(error)}`,
      'Give the directory that holds the files of one snapshot.',
    )
  })
  const paths = entries
    .filter(entry => entry.isFile() || entry.isSymbolicLink())
    .map(entry => join(entry.parentPath, entry.name))
  // A link to a file is that file; one to a directory, or to nothing, is left out.
  const isFile = (path: string) =>
    stat(path).then(
      found => found.isFile(),
      () => false,
    )
  const are = await Promise.all(paths.map(isFile))
  return paths
    .filter((_, at) => are[at])
    .map(path => relative(dir, path))
    .map(path => path.split(sep).join('/'))
    .filter(path => !/(^|\/)\./.test(path))
    .toSorted()
}

function parseId(feed: Feed, dir: string): SnapshotId {
  const text = basename(resolve(dir))
  const id = parseSnapshotId(text, feed.source.snapshot)
  if (id !== undefined) return id
  throw misuse(
    `the directory's name ${text} is no snapshot id: ${feed.name} orders its snapshots by ${feed.source.snapshot}`,
    'Name the directory as the snapshot, such as 42, 2026-07-01 or 20260701T060000Z.',
  )
}

/** Where a file goes: under the literal start of the pattern, or to the pattern's one name. */
function makeNaming(feed: Feed, id: SnapshotId): (path: string) => string {
  const { path: pattern } = feed.source
  if (!pattern.varies()) return () => pattern.name(id)
  const start = pattern.prefix(id)
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  return path => folder + path
}

/** Refuses a directory that is missing, empty, named otherwise than a snapshot id, or without a file for the feed. */
export async function readSnapshotDir(feed: Feed, dir: string): Promise<SnapshotDir> {
  const paths = await listFiles(dir)
  const id = parseId(feed, dir)
  if (paths.length === 0)
    throw misuse(`there is no file in ${dir}`, 'A snapshot is a directory with at least one file.')
  const { complete, path: pattern } = feed.source
  const lastObject = complete.kind === 'single-file' ? undefined : complete.object.name(id)
  const nameOf = makeNaming(feed, id)
  const read = async (path: string, object: string): Promise<LocalFile> => {
    const { size, mtime } = await stat(join(dir, path))
    return { path: join(dir, path), object, size, modified: mtime }
  }
  const isLast = (path: string) =>
    lastObject !== undefined && (nameOf(path) === lastObject || path === posix.basename(lastObject))
  const data = paths.filter(path => !isLast(path) && pattern.match(nameOf(path)) === id)
  const lastPath = paths.find(isLast)
  checkCount(feed, dir, paths, data)
  return {
    id,
    dir,
    files: await Promise.all(data.map(path => read(path, nameOf(path)))),
    last: lastPath !== undefined && lastObject !== undefined ? await read(lastPath, lastObject) : undefined,
    ignored: paths.filter(path => path !== lastPath && !data.includes(path)),
  }
}

function checkCount(feed: Feed, dir: string, paths: readonly string[], data: readonly string[]): void {
  const { path } = feed.source
  const { text } = path
  if (data.length === 0) {
    throw misuse(
      `no file in ${dir} matches ${text}, the pattern of feed ${feed.name}`,
      `Found ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' …' : ''}. Check source.path, or give another directory.`,
    )
  }
  if (data.length > 1 && !path.varies()) {
    throw misuse(
      `${text} names one file a snapshot, but ${dir} holds ${data.length}`,
      'Use a pattern with *, or leave one file in the directory.',
    )
  }
}
