/** One CSV record as the values of a row. */
import type { DuckDBValue } from '@duckdb/node-api'
import type { Field } from '../catalogue/field.ts'
import { sqlType } from '../catalogue/field.ts'
import { invalid } from '../errors.ts'
import { typeText } from '../sql/index.ts'
import type { LoadConfig } from './config.ts'
import type { CsvField } from './csv-record.ts'
import { findExcess } from './limits.ts'
import { Problem } from './problem.ts'
import { parseText } from './text-value.ts'

export type RecordParser = (fields: readonly CsvField[]) => readonly DuckDBValue[]

function isNull({ text, quoted }: CsvField, field: Field, marker: string): boolean {
  if (text !== marker) return false
  // Quoted nothing is an empty text, not NULL.
  return !(quoted && text === '' && (field.type === 'STRING' || field.type === 'BYTES'))
}

function convert(cell: CsvField, field: Field, position: number, marker: string): DuckDBValue {
  if (isNull(cell, field, marker)) {
    if (field.mode === 'REQUIRED')
      throw new Problem(`Required column value for column index: ${position} is missing, field ${field.name}`)
    return null
  }
  const value = parseText(field.type, cell.text)
  const excess = value === undefined ? undefined : findExcess(field, value)
  if (value !== undefined && excess === undefined) return value
  const why = excess === undefined ? '' : `: ${excess}`
  const type = typeText(sqlType(field))
  throw new Problem(
    `Could not parse '${cell.text}' as ${type} for field ${field.name} (position ${position})${why}`,
  )
}

/** Throws `Problem`. */
export function makeRecordParser(
  fields: readonly Field[],
  { csv, ignoreUnknownValues }: LoadConfig,
): RecordParser {
  const nested = fields.find(f => f.mode === 'REPEATED' || f.type === 'RECORD')
  if (nested)
    throw invalid(`Failed to parse schema: field ${nested.name} is nested or repeated, which CSV can't hold`)
  return cells => {
    if (cells.length > fields.length && !ignoreUnknownValues) {
      throw new Problem(
        `Too many values in row. Found ${cells.length} column(s) while expected ${fields.length}`,
      )
    }
    if (cells.length < fields.length && !csv.jaggedRows) {
      throw new Problem(
        `Too few values in row. Found ${cells.length} column(s) while expected ${fields.length}`,
      )
    }
    return fields.map((field, i) =>
      convert(cells[i] ?? { text: csv.nullMarker, quoted: false }, field, i, csv.nullMarker),
    )
  }
}
