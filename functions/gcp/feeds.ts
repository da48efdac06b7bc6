/** Reads the feed files that are deployed beside the functions. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FreshetError } from '../errors.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { findClashes } from '../feed/clashes.ts'
import type { Feed } from '../feed/feed.ts'
import { parseFeedFile } from '../feed/parse-feed.ts'

export interface Feeds {
  /** Feeds of snapshots, by name. */
  readonly feeds: ReadonlyMap<string, Feed>
  /** Feeds of changes, by name; no name is in both. */
  readonly changeFeeds: ReadonlyMap<string, ChangeFeed>
}

/** Throws `FreshetError` `bad-feed` that lists every problem of every file. */
export function readFeeds(folder: string): Feeds {
  const files = readdirSync(folder)
    .filter(name => /\.ya?ml$/.test(name))
    .toSorted()
  const parsed = files.map(name =>
    parseFeedFile(readFileSync(join(folder, name), 'utf8'), join(folder, name)),
  )
  const problems = parsed.flatMap(result => (result.kind === 'problems' ? result.problems : []))
  if (problems.length > 0) {
    const lines = problems.map(({ file, line, path, message }) => `${file}:${line} ${path} ${message}`)
    throw new FreshetError({
      code: 'bad-feed',
      message: lines.join('\n'),
      hint: 'freshet validate shows how to mend each.',
    })
  }
  const read = parsed.flatMap((result, at) =>
    result.kind === 'problems' ? [] : [{ ...result, file: files[at] ?? '' }],
  )
  const [clash] = findClashes(read)
  if (clash)
    throw new FreshetError({
      code: 'bad-feed',
      message: `${clash.file}: ${clash.path} ${clash.message}.`,
      hint: clash.hint,
    })
  return {
    feeds: new Map(read.flatMap(one => (one.kind === 'feed' ? [[one.feed.name, one.feed]] : []))),
    changeFeeds: new Map(read.flatMap(one => (one.kind === 'changes' ? [[one.feed.name, one.feed]] : []))),
  }
}
