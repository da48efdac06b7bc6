/** A multipart/related upload, read as a stream: a JSON part, then the content, of any size (RFC 2387). */
import { ByteReader } from './byte-reader.ts'
import { invalid } from './errors.ts'

function parseBoundary(contentType: string | undefined): string {
  const match = /^multipart\/\w+\s*;.*boundary=(?:"([^"]+)"|'([^']+)'|([^;\s]+))/i.exec(contentType ?? '')
  const boundary = match?.[1] ?? match?.[2] ?? match?.[3]
  if (!boundary) throw invalid('The Content-Type of a multipart upload must name its boundary.')
  return boundary
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  throw invalid('The first part of a multipart upload must be a JSON object.')
}

export interface Multipart {
  readonly resource: Record<string, unknown>
  /** The type that the content's own part names, if it does. */
  readonly contentType: string | undefined
  /** To be read to its end; it fails when the body is cut short. */
  content(): AsyncGenerator<Uint8Array>
}

export async function readMultipart(
  type: string | undefined,
  body: AsyncIterable<Uint8Array>,
): Promise<Multipart> {
  const boundary = parseBoundary(type)
  const reader = new ByteReader(body)
  await reader.until(`--${boundary}`, 'boundary')
  // gcloud ends lines with LF alone; the content's last bytes can only be told from the framing if one of them is picked.
  const eol = (await reader.until('\n', 'line break')).includes('\r') ? '\r\n' : '\n'
  await reader.until(eol + eol, 'blank line')
  const resource = parseJson((await reader.until(`${eol}--${boundary}`, 'second boundary')).toString())
  await reader.until(eol, 'line break')
  const headers = (await reader.until(eol + eol, 'blank line')).toString()
  const contentType = /^content-type:\s*(.+?)\s*$/im.exec(headers)?.[1]
  return {
    resource,
    contentType,
    async *content() {
      yield* reader.streamUntil(`${eol}--${boundary}`)
      await reader.drain()
    },
  }
}
