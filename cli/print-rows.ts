/** Prints the rows of a query as a table for people, as JSON or as CSV. */
import Table from 'cli-table3'
import { stringify } from 'csv-stringify/sync'
import type { Field, Value } from './cell.ts'
import { type Output, printLine } from './io.ts'
import { showControls } from './visible.ts'

export const FORMATS = ['table', 'json', 'csv'] as const
export type Format = (typeof FORMATS)[number]
export type Row = Readonly<Record<string, Value>>

const asText = (value: Value | undefined, nothing: string): string => {
  if (value === null || value === undefined) return nothing
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
const isNumeric = (field: Field) =>
  /^(INT|FLOAT|NUMERIC|BIGNUMERIC)/.test(field.type) && field.mode !== 'REPEATED'

function printTable(output: Output, fields: readonly Field[], rows: readonly Row[]): void {
  const table = new Table({
    head: fields.map(field => showControls(field.name)),
    colAligns: fields.map(field => (isNumeric(field) ? 'right' : 'left')),
    style: { head: output.isTTY ? ['bold'] : [], border: [], compact: true },
  })
  for (const row of rows) table.push(fields.map(field => showControls(asText(row[field.name], 'NULL'))))
  printLine(output, table.toString())
}

/** JSON is one array with a row a line; CSV writes NULL as an empty field. */
export function printRows(
  output: Output,
  format: Format,
  fields: readonly Field[],
  rows: readonly Row[],
): void {
  if (format === 'table') printTable(output, fields, rows)
  else if (format === 'json')
    printLine(output, `[${rows.map(row => `\n  ${JSON.stringify(row)}`).join(',')}\n]`)
  else {
    const records = rows.map(row => fields.map(field => asText(row[field.name], '')))
    output.write(stringify([fields.map(field => field.name), ...records]))
  }
}
