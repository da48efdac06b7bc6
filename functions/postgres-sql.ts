/** Postgres SQL as a value of its own: only this tag makes it, and it quotes every name. */

declare const brand: unique symbol
/** Postgres SQL, ready to be sent as it stands. */
export interface PgSql {
  readonly text: string
  readonly [brand]: true
}
/** A table of Postgres. */
export interface PgTable {
  readonly schema: string
  readonly table: string
}

const make = (text: string): PgSql => ({ text }) as PgSql
/** www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS */
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function render(part: string | number | PgTable | PgSql): string {
  if (typeof part === 'string') return quote(part)
  if (typeof part === 'number') return String(Math.trunc(part))
  if ('text' in part) return part.text
  return `${quote(part.schema)}.${quote(part.table)}`
}

/**
 * SQL from a template: texts and tables are quoted as names, SQL is put in as it is, numbers become integers.
 *
 *     pg`SELECT ${'Name'} FROM ${{ schema: 'app', table: 'towns' }}`.text // SELECT "Name" FROM "app"."towns"
 */
export function pg(
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | PgTable | PgSql)[]
): PgSql {
  return make(
    strings.map((text, at) => (at === 0 ? text : render(parts[at - 1] ?? make('')) + text)).join(''),
  )
}

export function pgJoin(parts: readonly (string | PgSql)[], separator = ', '): PgSql {
  return make(parts.map(render).join(separator))
}

/** A text literal; backslashes are plain, as `standard_conforming_strings` has them. */
export const pgText = (text: string): PgSql => make(`'${text.replaceAll("'", "''")}'`)

/** What Postgres itself wrote, such as a definition that `pg_get_indexdef` gives. */
export const pgGiven = (text: string): PgSql => make(text)

/** Names are cut at 63 bytes by Postgres; what is made up here never reaches that. */
export function besideOf({ schema, table }: PgTable, suffix: string): PgTable {
  let kept = table
  while (Buffer.byteLength(`${kept}__${suffix}`) > 63) kept = kept.slice(0, -1)
  return { schema, table: `${kept}__${suffix}` }
}
