/** A text file as lines, each with its number: UTF-8 or Latin-1, with LF or CRLF, a byte order mark skipped. */
import { createReadStream } from 'node:fs'
import { Problem } from './problem.ts'

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

const newline = 0x0a
/** https://cloud.google.com/bigquery/quotas#load_jobs */
const longest = 100 * 2 ** 20

/** Batches of lines, so that a reader gives way between them. Throws `Problem` for bytes that are not text. */
export async function* readLines(
  path: string,
  encoding: 'utf-8' | 'latin1' = 'utf-8',
): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  const decode = (bytes: Buffer): Line => {
    number++
    if (bytes.length > longest) throw new Problem(`Row size is larger than 100 MB in line ${number}.`)
    try {
      const text = decoder.decode(bytes)
      return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    } catch {
      throw new Problem(`Invalid UTF-8 in line ${number}.`)
    }
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const lines: Line[] = []
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      lines.push(decode(bytes.subarray(from, at)))
      from = at + 1
    }
    rest = bytes.subarray(from)
    if (rest.length > longest) throw new Problem(`Row size is larger than 100 MB in line ${number + 1}.`)
    yield lines
  }
  if (rest.length > 0) yield [decode(rest)]
}
