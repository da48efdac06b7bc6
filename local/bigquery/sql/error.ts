/** The one error that SQL raises here, with BigQuery's reason and wording. */

/** Where something stands in a SQL text: a UTF-16 offset, from 0. */
export type Offset = number

/** `invalidQuery`: the text is wrong or not supported; `notFound`: a table or dataset is not there. */
export type SqlErrorReason = 'invalidQuery' | 'notFound'

export class SqlError extends Error {
  readonly reason: SqlErrorReason
  /** From 1, when the error has a place in the text. */
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(reason: SqlErrorReason, message: string, line?: number, column?: number) {
    super(line === undefined || column === undefined ? message : `${message} at [${line}:${column}]`)
    this.name = 'SqlError'
    this.reason = reason
    this.line = line
    this.column = column
  }
}

/** A failure at an offset; whoever holds the text turns it into a `SqlError` with line and column. */
export class SqlFailure extends Error {
  readonly at: Offset
  constructor(message: string, at: Offset) {
    super(message)
    this.at = at
  }
}

/** Lines and columns count from 1; columns count characters, a tab as far as the next multiple of 8, as BigQuery's do. */
export function locate(text: string, at: Offset): { line: number; column: number } {
  let line = 1
  let column = 1
  for (const character of text.slice(0, at)) {
    if (character === '\n') {
      line++
      column = 1
    } else column = character === '\t' ? column + 8 - ((column - 1) % 8) : column + 1
  }
  return { line, column }
}

/** Runs `work`, and gives what fails in it its place in `text`. */
export function withText<T>(text: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error
    const { line, column } = locate(text, error.at)
    throw new SqlError('invalidQuery', error.message, line, column)
  }
}
