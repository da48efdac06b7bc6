/** Reads feed files: one, or a folder of them, with every problem told at once. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import { type Clash, findClashes } from '../functions/feed/clashes.ts'
import type { Feed } from '../functions/feed/feed.ts'
import { type FeedProblem, type ParsedFeedFile, parseFeedFile } from '../functions/feed/parse-feed.ts'
import { CliError, EXIT, misuse, reasonOf } from './exit.ts'
import { showControls } from './visible.ts'

/** Does not throw for what stands in the file; throws when there is no such file. */
export async function readFeedFile(path: string): Promise<ParsedFeedFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw misuse(
      `cannot read the feed file ${path}: ${reasonOf(error)}`,
      'Give the path of a feed file, such as feeds/cities.yaml.',
    )
  })
  return parseFeedFile(text, path)
}

/** `feeds/a.yaml:3: model.key: is missing. Add it.` */
export function formatProblem({ file, line, path, message, hint }: FeedProblem): string {
  return showControls(`${file}:${line}: ${path === '' ? '' : `${path}: `}${message}. ${hint}`)
}

export const deliversChanges = (feed: Feed | ChangeFeed): feed is ChangeFeed => 'delivers' in feed

/** The feed of a file that must be right, of either kind. */
export async function readAnyFeed(path: string): Promise<Feed | ChangeFeed> {
  const parsed = await readFeedFile(path)
  if (parsed.kind !== 'problems') return parsed.feed
  throw new CliError(
    EXIT.failed,
    `this is no feed yet:\n  ${parsed.problems.map(formatProblem).join('\n  ')}`,
  )
}

/** One of snapshots. */
export async function readFeed(path: string): Promise<Feed> {
  const feed = await readAnyFeed(path)
  if (!deliversChanges(feed)) return feed
  throw misuse(
    `${feed.name} delivers changes, and this works with feeds of snapshots`,
    'docs/cdc.md says what there is for change feeds.',
  )
}

interface FeedFile {
  readonly file: string
  readonly feed: Feed | ChangeFeed
}

/** Throws with every clash. */
const refuseClashes = (feeds: readonly FeedFile[]): void => {
  const clashes = findClashes(feeds)
  if (clashes.length > 0)
    throw new CliError(EXIT.failed, `these feeds clash:\n  ${clashes.map(formatClash).join('\n  ')}`)
}

/** Throws when `one` can't be served beside the feeds of other files; files with problems are not its concern. */
export async function checkClashes(files: readonly string[], one: FeedFile): Promise<void> {
  const parsed = await Promise.all(files.map(async file => ({ file, parsed: await readFeedFile(file) })))
  const feeds = parsed.flatMap(({ file, parsed }) =>
    parsed.kind === 'problems' ? [] : [{ file, feed: parsed.feed }],
  )
  refuseClashes([...feeds, one])
}

/** Every feed of a folder, in the order of the file names. */
export async function readFeeds(dir: string): Promise<readonly (Feed | ChangeFeed)[]> {
  const names = await readdir(dir).catch((error: unknown) => {
    throw misuse(
      `cannot read the feeds folder ${dir}: ${reasonOf(error)}`,
      'Give a folder of feed files with --feeds.',
    )
  })
  const files = names.filter(name => /\.ya?ml$/.test(name)).toSorted()
  const paths = files.map(name => relative('', join(dir, name)))
  const feeds = await Promise.all(paths.map(readAnyFeed))
  refuseClashes(feeds.map((feed, at) => ({ file: paths[at] ?? '', feed })))
  return feeds
}

/** `feeds/b.yaml: table.name: is geo.cities, as in feeds/a.yaml. Give one another table.` */
const formatClash = ({ file, path, message, hint }: Clash): string => `${file}: ${path}: ${message}. ${hint}`
