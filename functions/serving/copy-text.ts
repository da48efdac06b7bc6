/** Rows as Postgres' COPY reads them, and the refusal of what it cannot hold. */
import { FreshetError } from '../errors.ts'
import type { Column } from '../feed/feed.ts'

/** A row as BigQuery sent it: a text or NULL for each column, and then the row's hash. */
export type SentRow = readonly (string | null)[]

/** www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS */
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escapeText = (text: string) => text.replace(/[\\\t\n\r]/g, c => ESCAPES[c] ?? c)

function refuse(columns: readonly Column[], key: ReadonlySet<string>, row: SentRow, at: number): never {
  const shown = columns
    .map(({ name }, place) => (key.has(name) ? `${name} = ${row[place] ?? 'NULL'}` : ''))
    .filter(text => text !== '')
    .join(', ')
  const name = columns[at]?.name ?? ''
  throw row[at] === null
    ? new FreshetError({
        code: 'bad-row',
        message: `Column ${name} of the key is NULL in the row where ${shown}; a primary key of Postgres has no NULL.`,
        hint: 'Mend the row at its source, or let the gate null_keys reject it.',
      })
    : new FreshetError({
        code: 'bad-row',
        message: `Column ${name} holds a NUL character in the row where ${shown.replaceAll('\0', '\\0')}; Postgres can't store one.`,
        hint: 'Remove it at the source.',
      })
}

/** Makes a line of COPY's text format of a row; throws `bad-row` and names the row. */
export function makeEncodeRow(columns: readonly Column[], keyNames: readonly string[]) {
  const key = new Set(keyNames)
  const inKey = columns.map(({ name }) => key.has(name))
  return (row: SentRow): string => {
    let line = ''
    for (let at = 0; at < columns.length; at += 1) {
      const value = row[at] ?? null
      if ((value === null && inKey[at]) || value?.includes('\0')) refuse(columns, key, row, at)
      line += (at === 0 ? '' : '\t') + (value === null ? '\\N' : escapeText(value))
    }
    return `${line}\n`
  }
}
