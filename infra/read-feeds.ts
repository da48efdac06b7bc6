/** Reads the feed files that a stack serves; a problem in any of them stops the preview. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import { findClashes } from '../functions/feed/clashes.ts'
import type { Feed } from '../functions/feed/feed.ts'
import { parseFeedFile } from '../functions/feed/parse-feed.ts'

export interface StackFeeds {
  readonly feeds: readonly Feed[]
  /** Those that say `delivers: changes`. */
  readonly changeFeeds: readonly ChangeFeed[]
}

/** Throws one error with a line for every problem of every file. */
export function readFeeds(folder: string): StackFeeds {
  const files = readdirSync(folder)
    .filter(name => /\.ya?ml$/.test(name))
    .toSorted()
  const parsed = files.map(name => parseFeedFile(readFileSync(join(folder, name), 'utf8'), name))
  const lines = parsed.flatMap(result =>
    result.kind === 'problems'
      ? result.problems.map(
          ({ file, line, path, message, hint }) => `${file}:${line}: ${path} ${message}. ${hint}`,
        )
      : [],
  )
  const read = parsed.flatMap((result, at) =>
    result.kind === 'problems' ? [] : [{ ...result, file: files[at] ?? '' }],
  )
  for (const { file, path, message, hint } of findClashes(read))
    lines.push(`${file}: ${path} ${message}. ${hint}`)
  if (files.length === 0) lines.push(`${folder} holds no feed file; add one, such as feeds/cities.yaml`)
  if (lines.length > 0) throw new Error(`The feeds are not right:\n  ${lines.join('\n  ')}`)
  return {
    feeds: read.flatMap(one => (one.kind === 'feed' ? [one.feed] : [])),
    changeFeeds: read.flatMap(one => (one.kind === 'changes' ? [one.feed] : [])),
  }
}
