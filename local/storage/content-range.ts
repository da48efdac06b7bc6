/** The two headers that speak of byte ranges: one on uploads in parts, one on downloads (RFC 9110 §14). */
import { invalid, rangeNotSatisfiable } from './errors.ts'

export type UploadRange =
  /** Asks how much has arrived; with `total` it may also finish the upload. */
  | { readonly kind: 'status'; readonly total: number | undefined }
  /** `total` undefined and `open`: the end of this body is the end of the content. */
  | {
      readonly kind: 'bytes'
      readonly from: number
      readonly total: number | undefined
      readonly open: boolean
    }

export function parseContentRange(header: string | undefined): UploadRange {
  if (header === undefined) return { kind: 'bytes', from: 0, total: undefined, open: true }
  const match = /^bytes (?:(\*)|(\d+)-(\d+|\*))\/(\d+|\*)$/.exec(header.trim())
  if (!match) throw invalid(`Failed to parse Content-Range header: ${header}`)
  const [, star, from, to, size] = match
  const total = size === undefined || size === '*' ? undefined : Number(size)
  if (star) return { kind: 'status', total }
  return { kind: 'bytes', from: Number(from), total, open: to === '*' && total === undefined }
}

/** First and last byte asked for; `undefined` means everything, as for a header that is not understood. */
export function parseRange(
  header: string | undefined,
  size: number,
): { first: number; last: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [, from = '', to = ''] = match
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first >= size || last < first) throw rangeNotSatisfiable()
  return { first, last }
}
