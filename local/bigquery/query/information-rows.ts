/** Rows of INFORMATION_SCHEMA views as DuckDB text. */
import { quote } from '../catalogue/field.ts'
import { duckType } from '../sql/index.ts'
import { type Shape, toType } from './information-shapes.ts'

/** A value for each column, in DuckDB SQL; a missing one is NULL. */
export type SqlRow = Readonly<Record<string, string>>

export const sqlTime = (ms: number) => `make_timestamptz(${Math.round(ms) * 1000})`

/** `SELECT … UNION ALL …` of the rows, in the view's columns. */
export function sqlRows(shape: Shape, rows: readonly SqlRow[]): string {
  const select = (row: SqlRow) =>
    Object.entries(shape)
      .map(([name, type]) => `${row[name] ?? 'NULL'}::${duckType(toType(type))} AS ${quote(name)}`)
      .join(', ')
  if (rows.length === 0) return `(SELECT ${select({})} WHERE false)`
  return `(${rows.map(row => `SELECT ${select(row)}`).join(' UNION ALL ')})`
}
