/** A segment of changes while it grows: one DuckDB table with an appender of its own. */
import type { DuckDBValue } from '@duckdb/node-api'
import { type SegmentColumn, segmentName } from '../catalogue/entry.ts'
import { duckColumnType, type Field, quote } from '../catalogue/field.ts'
import type { Engine } from '../engine.ts'
import { appendColumns, type ChangeBatch } from './batch.ts'
import { deletedColumn, positionColumn } from './columns.ts'
import { encodePosition } from './position.ts'

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
  return {
    segment,
    columns,
    write(batches) {
      for (const { batch, arrival } of batches) {
        const lists = columns.map(({ name }) => valuesOf(batch, arrival, name))
        appendColumns(appender, lists, batch.rows)
      }
      // Outside of a transaction a flush is one of its own: on disk when it returns.
      appender.flushSync()
    },
    close() {
      appender.closeSync()
      engine.end(connection)
    },
  }
}
