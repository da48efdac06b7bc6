/** Lists in pages: `maxResults` items from `pageToken` on; a token is the place of the next item. */
import { invalid } from '../errors.ts'

export function readPlace(url: URL, field: string): number | undefined {
  const text = url.searchParams.get(field)
  if (text === null || text === '') return undefined
  const place = Number(text)
  if (!Number.isSafeInteger(place) || place < 0) throw invalid(`Invalid value for ${field}: ${text}`, field)
  return place
}

export function page<T>(all: readonly T[], url: URL) {
  const start = readPlace(url, 'pageToken') ?? 0
  const size = Math.min(readPlace(url, 'maxResults') ?? 1000, 1000)
  const items = all.slice(start, start + size)
  const end = start + items.length
  return { items, nextPageToken: end < all.length ? String(end) : undefined }
}
