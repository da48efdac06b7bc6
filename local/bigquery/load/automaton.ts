/** A byte automaton, built by hand: for each state and byte the next state. State 0 is failure and is never left. */

export const failed = 0

export class AutomatonBuilder {
  private readonly rows: Uint16Array[] = [new Uint16Array(256)]

  state(): number {
    this.rows.push(new Uint16Array(256))
    return this.rows.length - 1
  }

  /** Goes from a state to another on each byte of the text. An edge that is there already stays. */
  edge(from: number, bytes: string, to: number): void {
    const row = this.rows[from]
    for (const byte of Buffer.from(bytes, 'latin1')) if (row && row[byte] === failed) row[byte] = to
  }

  /** Follows a text from a state, sharing the way with texts that begin alike; answers where it ends. */
  walk(from: number, text: string): number {
    let at = from
    for (const byte of Buffer.from(text)) {
      const row = this.rows[at]
      const known = row?.[byte] ?? failed
      if (row && known === failed) row[byte] = this.state()
      at = this.rows[at]?.[byte] ?? failed
    }
    return at
  }

  /** Joins a state to another: whatever leaves `to` leaves `from` too. Call it once `to` is finished. */
  join(from: number, to: number): void {
    const [row, other] = [this.rows[from], this.rows[to]]
    if (!row || !other) return
    for (const [byte, next] of other.entries()) if (row[byte] === failed) row[byte] = next
  }

  /** State × 256 + byte → next state × 256; `undefined` when there are too many states for that. */
  build(): Uint32Array | undefined {
    if (this.rows.length > 60_000) return undefined
    const table = new Uint32Array(this.rows.length * 256)
    for (const [i, row] of this.rows.entries())
      for (const [byte, next] of row.entries()) table[i * 256 + byte] = next * 256
    return table
  }
}

/** Feeds bytes; answers the state, which `run` takes again for the next bytes. */
export function run(table: Uint32Array, from: number, bytes: Uint8Array): number {
  let state = from
  // A plain loop: this runs for every byte of every file.
  for (let i = 0; i < bytes.length; i++) state = table[state | (bytes[i] ?? 0)] ?? failed
  return state
}

/** Files that DuckDB's own reader takes exactly. `start` is where a file begins; what state may a file end in? */
export interface Plain {
  readonly table: Uint32Array
  readonly start: number
  accepts(state: number): boolean
}
