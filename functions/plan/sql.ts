/** SQL as a value of its own: only this tag makes it, and it quotes every name. */
import { isColumnType } from '../feed/column-type.ts'
import type { Identifier, TableRef } from '../feed/names.ts'

declare const brand: unique symbol
/** BigQuery SQL, ready to be sent as it stands. */
export interface Sql {
  readonly text: string
  readonly [brand]: true
}

const make = (text: string): Sql => ({ text }) as Sql

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/lexical#escape_sequences */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '`': '\\`',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}
const escapeText = (text: string) =>
  text.replace(
    /[\\`'\n\r\t]|\p{Cc}/gu,
    c => ESCAPES[c] ?? `\\u${c.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )

function render(part: Identifier | TableRef | Sql | number): string {
  if (typeof part === 'string') return sqlName(part).text
  if (typeof part === 'number') return String(Math.trunc(part))
  if ('text' in part) return part.text
  return `\`${escapeText([part.projectId, part.datasetId, part.tableId].join('.'))}\``
}

/**
 * SQL from a template: identifiers and tables are quoted, SQL is put in as it is, numbers become integers.
 *
 *     sql`SELECT ${column} FROM ${table}`.text // SELECT `name` FROM `p.d.t`
 */
export function sql(
  strings: TemplateStringsArray,
  ...parts: readonly (Identifier | TableRef | Sql | number)[]
): Sql {
  return make(
    strings.map((text, at) => (at === 0 ? text : render(parts[at - 1] ?? make('')) + text)).join(''),
  )
}

export function sqlJoin(parts: readonly (Identifier | Sql)[], separator = ', '): Sql {
  return make(parts.map(render).join(separator))
}

/** A text literal. */
export function sqlText(text: string): Sql {
  return make(`'${escapeText(text)}'`)
}

/** A name that the planner makes up itself, such as an alias. */
export const sqlName = (name: string): Sql => make(`\`${escapeText(name)}\``)

/** A column's type; throws for a text that is none. */
export function sqlType(type: string): Sql {
  if (!isColumnType(type)) throw new Error(`${type} is no column type`)
  return make(type)
}

/** For literals that a checked value renders itself, such as a snapshot id's. */
export function sqlLiteral(text: string): Sql {
  if (!/^(\d+|(DATE|DATETIME|TIMESTAMP) '[0-9: +-]+')$/.test(text)) throw new Error(`${text} is no literal`)
  return make(text)
}
