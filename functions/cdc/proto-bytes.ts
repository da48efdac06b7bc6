/** Writes protobuf's wire format into one buffer, row after row. protobuf.dev/programming-guides/encoding */

const LOW = 0x80
const MAX_SHORT = 42

export class ProtoBytes {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #at = 0

  get length(): number {
    return this.#at
  }

  /** Takes back what was written since `length` was that. */
  rewind(length: number): void {
    this.#at = length
  }

  /** The bytes themselves, no copy: good until more is written. */
  view(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** The same bytes as a text, one character each: good as the key of a map. */
  text(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes))
    this.#bytes.copy(grown, 0, 0, this.#at)
    this.#bytes = grown
  }

  /** Whole numbers from 0 to 2^53. */
  varint(value: number): void {
    this.#room(10)
    let rest = value
    while (rest >= LOW) {
      this.#bytes[this.#at++] = (rest % LOW) | LOW
      rest = Math.floor(rest / LOW)
    }
    this.#bytes[this.#at++] = rest
  }

  /** An int64 or int32: negative ones take ten bytes. */
  int(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value)
      return
    }
    this.#room(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest >= 128n) {
      this.#bytes[this.#at++] = Number(rest & 127n) | LOW
      rest >>= 7n
    }
    this.#bytes[this.#at++] = Number(rest)
  }

  double(value: number): void {
    this.#room(8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** The length, then UTF-8. */
  string(text: string): void {
    if (text.length <= MAX_SHORT) {
      // At most three bytes a UTF-16 unit: the length fits into one byte.
      this.#room(1 + 3 * text.length)
      const size = this.#bytes.write(text, this.#at + 1, 'utf8')
      this.#bytes[this.#at] = size
      this.#at += 1 + size
      return
    }
    const size = Buffer.byteLength(text)
    this.varint(size)
    this.#room(size)
    this.#at += this.#bytes.write(text, this.#at, 'utf8')
  }

  bytes(value: Buffer): void {
    this.varint(value.length)
    this.#room(value.length)
    this.#at += value.copy(this.#bytes, this.#at)
  }
}
