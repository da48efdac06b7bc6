/** The change files of a directory, and what each is called in the inbox. */
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import { misuse } from './exit.ts'
import { type LocalFile, listFiles } from './snapshot-dir.ts'

/** A file given by its name goes below the literal start of the pattern, as the files of a directory do. */
async function listPaths(path: string): Promise<readonly { path: string; name: string }[]> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile()) return [{ path, name: basename(path) }]
  return (await listFiles(path)).map(name => ({ path: join(path, name), name }))
}

/** In the order of their names. Refuses a path without a file for the feed. */
export async function readChangeFiles(feed: ChangeFeed, path: string): Promise<readonly LocalFile[]> {
  const { path: pattern } = feed.source
  const named = (await listPaths(path)).map(file => ({ ...file, object: `${pattern.folder}${file.name}` }))
  const files = named.filter(({ object }) => pattern.matches(object))
  if (files.length === 0)
    throw misuse(
      `no file in ${path} matches ${pattern.text}, the pattern of feed ${feed.name}`,
      'Check source.path, or give another directory or file.',
    )
  return Promise.all(
    files.map(async ({ path: file, object }) => {
      const { size, mtime } = await stat(file)
      return { path: file, object, size, modified: mtime }
    }),
  )
}
