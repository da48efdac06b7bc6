/** A segment of changes while it grows: one DuckDB table with an appender of its own. */
import { DuckDBDataChunk, type DuckDBValue } from '@duckdb/node-api'
import { type SegmentColumn, segmentName } from '../catalogue/entry.ts'
import { duckColumnType, type Field, quote } from '../catalogue/field.ts'
import type { Engine } from '../engine.ts'
import type { ChangeBatch } from './batch.ts'
import { deletedColumn, positionColumn } from './columns.ts'
import { encodePosition } from './position.ts'

/** As many rows as DuckDB's own vectors hold. */
const chunkRows = 2048

export interface Log {
  readonly segment: number
  readonly columns: readonly SegmentColumn[]
  /** Puts the batches on disk, in their order; `arrivals` are the moments of their first rows, a microsecond a row. */
  write(batches: readonly { batch: ChangeBatch; arrival: number }[]): void
  close(): void
}

export function logColumns(schema: readonly Field[]): SegmentColumn[] {
  return [
    ...schema.map(field => ({ name: field.name, type: duckColumnType(field) })),
    { name: positionColumn, type: 'VARCHAR' },
    { name: deletedColumn, type: 'BOOLEAN' },
  ]
}

/** Makes the DuckDB table of a new log. */
export async function createLog(engine: Engine, segment: number, columns: readonly SegmentColumn[]) {
  const list = columns.map(({ name, type }) => `${quote(name)} ${type}`).join(', ')
  await engine.using(connection => connection.run(`CREATE TABLE ${segmentName(segment)} (${list})`))
}

function valuesOf(batch: ChangeBatch, arrival: number, column: string): readonly DuckDBValue[] | undefined {
  if (column === deletedColumn) return batch.deletes
  if (column !== positionColumn) return batch.columns.get(column)
  return batch.deletes.map((_, i) => encodePosition(batch.sequences?.[i] ?? '', arrival + i))
}

/** Opens a log's table for appending. */
export async function openLog(
  engine: Engine,
  segment: number,
  columns: readonly SegmentColumn[],
): Promise<Log> {
  const connection = await engine.connect()
  const appender = await connection.createAppender(segmentName(segment))
  const types = columns.map((_, i) => appender.columnType(i))
  const add = (batch: ChangeBatch, arrival: number) => {
    const lists = columns.map(({ name }) => valuesOf(batch, arrival, name))
    for (let from = 0; from < batch.rows; from += chunkRows) {
      const rows = Math.min(chunkRows, batch.rows - from)
      const chunk = DuckDBDataChunk.create(types, rows)
      const absent = new Array<null>(rows).fill(null)
      for (const [i, list] of lists.entries())
        chunk.setColumnValues(i, list ? list.slice(from, from + rows) : absent)
      appender.appendDataChunk(chunk)
    }
  }
  return {
    segment,
    columns,
    write(batches) {
      for (const { batch, arrival } of batches) add(batch, arrival)
      // Outside of a transaction a flush is one of its own: on disk when it returns.
      appender.flushSync()
    },
    close() {
      appender.closeSync()
      engine.end(connection)
    },
  }
}
