/** What a command may touch of the terminal: results, talk, and the wish to stop. */

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Io {
  /** Results only, so that they can be piped. */
  readonly stdout: Output
  /** Progress, notes and errors. */
  readonly stderr: Output
  /** Aborts when the user wants to stop. */
  readonly signal: AbortSignal
}

export function printLine(output: Output, text = ''): void {
  output.write(`${text}\n`)
}
