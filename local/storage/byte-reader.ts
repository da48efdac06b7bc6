/** Reads a byte stream up to markers, and holds no more of it than a marker can straddle. */
import { invalid } from './errors.ts'

const headLimit = 1024 * 1024

export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** The bytes before the marker, which is skipped; at most a MiB. `what` names the marker in errors. */
  async until(marker: string, what: string): Promise<Buffer> {
    for (;;) {
      const found = this.#cut(marker)
      if (found) return found
      if (this.#held.length > headLimit)
        throw invalid(`Malformed multipart body: no ${what} in its first MiB.`)
      if (!(await this.#more())) throw invalid(`Malformed multipart body: it ends before ${what}.`)
    }
  }

  /** The bytes before the marker as they come, however many. */
  async *streamUntil(marker: string): AsyncGenerator<Uint8Array> {
    for (;;) {
      const found = this.#cut(marker)
      if (found) return yield found
      const safe = Math.max(0, this.#held.length - marker.length + 1)
      if (safe > 0) yield this.#held.subarray(0, safe)
      this.#held = this.#held.subarray(safe)
      if (!(await this.#more()))
        throw invalid('Malformed multipart body: it ends before the closing boundary.')
    }
  }

  /** Reads on to the end of the stream and forgets it. */
  async drain(): Promise<void> {
    while (await this.#more()) this.#held = Buffer.alloc(0)
  }

  #cut(marker: string): Buffer | undefined {
    const at = this.#held.indexOf(marker)
    if (at < 0) return undefined
    const found = this.#held.subarray(0, at)
    this.#held = this.#held.subarray(at + marker.length)
    return found
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next()
    if (next.done) return false
    this.#held = this.#held.length === 0 ? Buffer.from(next.value) : Buffer.concat([this.#held, next.value])
    return true
  }
}
