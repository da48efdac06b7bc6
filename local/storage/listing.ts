/** One page of a bucket's listing: prefixes folded at the delimiter, in name order (docs: Objects: list). */
import { invalid } from './errors.ts'
import { compareNames, lowerBound, prefixEnd } from './ordered-names.ts'

export interface ListQuery {
  readonly prefix: string
  readonly delimiter: string
  readonly maxResults: number
  /** A name ending in the delimiter is then an item as well as a prefix. */
  readonly includeTrailingDelimiter: boolean
  readonly startOffset: string
  readonly endOffset: string
  /** Where the page before this one ended. */
  readonly after: Sent | undefined
}

export interface Page {
  readonly names: readonly string[]
  readonly prefixes: readonly string[]
  readonly nextPageToken: string | undefined
}

interface Sent {
  readonly last: string
  /** Whether `last` stood for all names that start with it. */
  readonly folded: boolean
}

const encodeToken = (sent: Sent) =>
  Buffer.from(JSON.stringify([sent.last, sent.folded])).toString('base64url')

function parseToken(token: string): Sent {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (Array.isArray(value)) {
      const [last, folded]: unknown[] = value
      if (typeof last === 'string' && typeof folded === 'boolean') return { last, folded }
    }
  } catch {}
  throw invalid(`Invalid value for pageToken: ${token}`, 'parameter:pageToken')
}

function parseMaxResults(text: string | null): number {
  if (text === null) return 1000
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
    throw invalid(`Invalid value for maxResults: ${text}`, 'parameter:maxResults')
  return Math.min(Number(text), 1000)
}

export function parseListQuery(query: URLSearchParams): ListQuery {
  const token = query.get('pageToken')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxResults: parseMaxResults(query.get('maxResults')),
    includeTrailingDelimiter: query.get('includeTrailingDelimiter')?.toLowerCase() === 'true',
    startOffset: query.get('startOffset') ?? '',
    endOffset: query.get('endOffset') ?? '',
    after: token ? parseToken(token) : undefined,
  }
}

/** Where a page begins: behind what was sent, and behind all of a prefix that was sent. */
function firstPosition(names: readonly string[], query: ListQuery): number {
  const { prefix, startOffset, after } = query
  const start = Math.max(lowerBound(names, prefix), lowerBound(names, startOffset))
  if (after === undefined) return start
  const at = lowerBound(names, after.last)
  return Math.max(
    start,
    after.folded ? prefixEnd(names, after.last, at) : at + Number(names[at] === after.last),
  )
}

/** `names` is in `compareNames` order; the work grows with the page, not with the bucket. */
export function listPage(names: readonly string[], query: ListQuery): Page {
  const { prefix, delimiter, maxResults, endOffset } = query
  const [items, prefixes]: [string[], string[]] = [[], []]
  let at = firstPosition(names, query)
  let sent: Sent = { last: '', folded: false }
  for (; at < names.length; ) {
    const name = names[at] ?? ''
    if (!name.startsWith(prefix) || (endOffset !== '' && compareNames(name, endOffset) >= 0)) break
    if (items.length + prefixes.length >= maxResults)
      return { names: items, prefixes, nextPageToken: encodeToken(sent) }
    const cut = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length)
    if (cut < 0) {
      items.push(name)
      sent = { last: name, folded: false }
      at++
    } else {
      const last = name.slice(0, cut + delimiter.length)
      sent = { last, folded: true }
      prefixes.push(last)
      if (query.includeTrailingDelimiter && name === last) items.push(name)
      at = prefixEnd(names, last, at)
    }
  }
  return { names: items, prefixes, nextPageToken: undefined }
}
