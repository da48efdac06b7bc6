/** A record as it was read, where it stands, and what is said of one that is wrong. */
import type { Fields } from '../encode-change.ts'

export interface FileRecord {
  /** From 1: of the line in the text, unpacked. */
  readonly line: number
  readonly fields: Fields
  /** The same with the digits of every number as they are written. */
  readonly exact?: () => Fields
}

/** The file is not what the feed describes. Nothing that comes again would mend it. */
export class RecordProblem extends Error {
  /** 0: the file as a whole. */
  readonly line: number
  readonly column: string | undefined
  constructor(message: string, line: number, column?: string) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** `object orders/7.ndjson, line 12, column price: "x" is no NUMERIC` */
export function describeProblem(object: string, { line, column, message }: RecordProblem): string {
  const place = [`object ${object}`, line > 0 && `line ${line}`, column !== undefined && `column ${column}`]
  return `${place.filter(Boolean).join(', ')}: ${message}`
}
