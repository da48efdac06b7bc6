/** Reads the feed files that are deployed beside the functions. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FreshetError } from '../errors.ts'
import { findClashes } from '../feed/clashes.ts'
import type { Feed } from '../feed/feed.ts'
import { parseFeed } from '../feed/parse-feed.ts'

/** Feeds by name. Throws `FreshetError` `bad-feed` that lists every problem of every file. */
export function readFeeds(folder: string): ReadonlyMap<string, Feed> {
  const files = readdirSync(folder)
    .filter(name => /\.ya?ml$/.test(name))
    .toSorted()
  const parsed = files.map(name => parseFeed(readFileSync(join(folder, name), 'utf8'), join(folder, name)))
  const problems = parsed.flatMap(result => (result.kind === 'problems' ? result.problems : []))
  if (problems.length > 0) {
    const lines = problems.map(({ file, line, path, message }) => `${file}:${line} ${path} ${message}`)
    throw new FreshetError({
      code: 'bad-feed',
      message: lines.join('\n'),
      hint: 'freshet validate shows how to mend each.',
    })
  }
  const feeds = parsed.flatMap((result, at) =>
    result.kind === 'feed' ? [{ file: files[at] ?? '', feed: result.feed }] : [],
  )
  const [clash] = findClashes(feeds)
  if (clash)
    throw new FreshetError({
      code: 'bad-feed',
      message: `${clash.file}: ${clash.path} ${clash.message}.`,
      hint: clash.hint,
    })
  return new Map(feeds.map(({ feed }) => [feed.name, feed]))
}
