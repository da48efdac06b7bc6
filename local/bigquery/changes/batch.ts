/** Rows on their way into a table: decoded, checked, in columns. */
import { type DuckDBAppender, DuckDBDataChunk, type DuckDBValue } from '@duckdb/node-api'

export interface Batch {
  readonly rows: number
  /** By the column's name; every list has a value for each row. */
  readonly columns: ReadonlyMap<string, readonly DuckDBValue[]>
}

/** Upserts and deletes. */
export interface ChangeBatch extends Batch {
  /** As `parseSequence` gives them; `undefined` when the changes come without. */
  readonly sequences: readonly string[] | undefined
  readonly deletes: readonly boolean[]
}

/** As many rows as DuckDB's own vectors hold. */
const chunkRows = 2048

/** Hands `rows` rows to DuckDB, a list for each of its table's columns; `undefined` for one that is all NULL. */
export function appendColumns(
  appender: DuckDBAppender,
  lists: readonly (readonly DuckDBValue[] | undefined)[],
  rows: number,
): void {
  const types = lists.map((_, i) => appender.columnType(i))
  for (let from = 0; from < rows; from += chunkRows) {
    const size = Math.min(chunkRows, rows - from)
    const chunk = DuckDBDataChunk.create(types, size)
    const absent = new Array<null>(size).fill(null)
    for (const [i, list] of lists.entries())
      chunk.setColumnValues(i, list ? list.slice(from, from + size) : absent)
    appender.appendDataChunk(chunk)
  }
}
