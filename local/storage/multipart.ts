/** A multipart/related upload, read as a stream: a JSON part, then the content, of any size (RFC 2387). */
import { invalid } from './errors.ts'

const headLimit = 1024 * 1024

/** Reads a byte stream up to markers, and holds no more of it than a marker can straddle. */
function makeByteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const next = await chunks.next()
    if (!next.done) held = held.length === 0 ? Buffer.from(next.value) : Buffer.concat([held, next.value])
    return !next.done
  }

  return {
    async until(marker: string, what: string): Promise<Buffer> {
      for (;;) {
        const at = held.indexOf(marker)
        if (at >= 0) {
          const found = held.subarray(0, at)
          held = held.subarray(at + marker.length)
          return found
        }
        if (held.length > headLimit) throw invalid(`Malformed multipart body: no ${what} in its first MiB.`)
        if (!(await more())) throw invalid(`Malformed multipart body: it ends before ${what}.`)
      }
    },

    async *streamUntil(marker: string): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = held.indexOf(marker)
        if (at >= 0) {
          yield held.subarray(0, at)
          held = held.subarray(at + marker.length)
          return
        }
        const safe = Math.max(0, held.length - marker.length + 1)
        if (safe > 0) yield held.subarray(0, safe)
        held = held.subarray(safe)
        if (!(await more())) throw invalid('Malformed multipart body: it ends before the closing boundary.')
      }
    },

    async drain(): Promise<void> {
      while (await more()) held = Buffer.alloc(0)
    },
  }
}

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
  const reader = makeByteReader(body)
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
