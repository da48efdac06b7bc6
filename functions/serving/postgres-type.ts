/** How each column type goes from BigQuery to Postgres: the type there, and one text that both sides can write. */
import { baseType } from '../feed/column-type.ts'
import type { Column } from '../feed/feed.ts'
import { type Sql, sql } from '../plan/sql.ts'
import { type PgSql, pg, pgGiven } from '../postgres-sql.ts'

interface Kind {
  readonly type: string
  /** What BigQuery sends: Postgres reads it as the type without a loss. */
  readonly sent: (column: Sql) => Sql
  /** The same value as one text on both sides; what is `sent`, unless said. */
  readonly checked?: (column: Sql) => Sql
  /** `checked`, as Postgres writes it. */
  readonly shown: (column: PgSql) => PgSql
}

const plain = (column: PgSql) => pg`${column}::text`
const cast = (column: Sql) => sql`CAST(${column} AS STRING)`
const moment = (format: 'DATETIME' | 'TIMESTAMP') => (column: Sql) =>
  format === 'DATETIME'
    ? sql`FORMAT_DATETIME('%E4Y-%m-%d %H:%M:%E6S', ${column})`
    : sql`FORMAT_TIMESTAMP('%E4Y-%m-%d %H:%M:%E6S', ${column}, 'UTC')`
const decimal: Omit<Kind, 'type'> = { sent: cast, shown: column => pg`trim_scale(${column})::text` }
const clock = pgGiven(`'YYYY-MM-DD HH24:MI:SS.US'`)

/**
 * A FLOAT64 goes over with all its digits; checked are 15 of them, which is what both sides round alike.
 * www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-FLOAT
 */
const FLOAT: Kind = {
  type: 'double precision',
  sent: cast,
  checked: column =>
    sql`CASE WHEN IS_NAN(${column}) THEN 'nan' WHEN IS_INF(${column}) THEN IF(${column} > 0, 'inf', '-inf') WHEN ${column} = 0 THEN '0' ELSE FORMAT('%.14e', ${column}) END`,
  shown: column =>
    pg`CASE WHEN ${column} = 'NaN' THEN 'nan' WHEN ${column} = 'Infinity' THEN 'inf' WHEN ${column} = '-Infinity' THEN '-inf' WHEN ${column} = 0 THEN '0' ELSE trim(to_char(${column}::numeric, '9.99999999999999EEEE')) END`,
}

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#cast_as_string */
const KINDS: Readonly<Record<string, Kind>> = {
  INT64: { type: 'bigint', sent: cast, shown: plain },
  NUMERIC: { type: 'numeric', ...decimal },
  BIGNUMERIC: { type: 'numeric', ...decimal },
  FLOAT64: FLOAT,
  BOOL: { type: 'boolean', sent: cast, shown: plain },
  STRING: { type: 'text', sent: column => column, shown: column => column },
  BYTES: {
    type: 'bytea',
    sent: column => sql`CONCAT(r'\\x', TO_HEX(${column}))`,
    shown: column => pg`concat('\\x', encode(${column}, 'hex'))`,
  },
  DATE: {
    type: 'date',
    sent: column => sql`FORMAT_DATE('%E4Y-%m-%d', ${column})`,
    shown: column => pg`to_char(${column}, 'YYYY-MM-DD')`,
  },
  DATETIME: {
    type: 'timestamp',
    sent: moment('DATETIME'),
    shown: column => pg`to_char(${column}, ${clock})`,
  },
  TIMESTAMP: {
    type: 'timestamptz',
    sent: column => sql`CONCAT(${moment('TIMESTAMP')(column)}, '+00')`,
    checked: moment('TIMESTAMP'),
    shown: column => pg`to_char(${column} AT TIME ZONE 'UTC', ${clock})`,
  },
  TIME: {
    type: 'time',
    sent: column => sql`FORMAT_TIME('%H:%M:%E6S', ${column})`,
    shown: column => pg`to_char(${column}, 'HH24:MI:SS.US')`,
  },
  // `json` keeps the text as it is; `jsonb` would order keys and write numbers anew.
  JSON: { type: 'json', sent: column => sql`TO_JSON_STRING(${column})`, shown: plain },
}

function kindOf(type: string): Kind {
  const kind = KINDS[baseType(type)]
  if (!kind) throw new Error(`${type} has no counterpart in Postgres`)
  return kind
}

/** `NUMERIC(10, 2)` → `numeric(10, 2)`; a length of STRING or BYTES is BigQuery's to keep. */
export function pgTypeOf(type: string): PgSql {
  const { type: name } = kindOf(type)
  const digits = name === 'numeric' ? (/\(.*\)$/.exec(type)?.[0] ?? '') : ''
  return pgGiven(name + digits)
}

export const sqlSent = ({ name, type }: Column): Sql => kindOf(type).sent(sql`${name}`)

/** `checked`: what both sides write alike. `sent`: every digit of what is sent. */
export type RowTextOf = 'checked' | 'sent'

/** One text of a row's values that no other row has: each with its length in front, NULL as a letter. */
export function sqlRowText(columns: readonly Column[], of: RowTextOf): Sql {
  return columns.reduce((row, { name, type }) => {
    const { sent, checked = sent } = kindOf(type)
    const value = (of === 'sent' ? sent : checked)(sql`${name}`)
    const one = sql`IF(${name} IS NULL, 'N', CONCAT('V', CAST(LENGTH(${value}) AS STRING), ':', ${value}))`
    return row.text === '' ? one : sql`CONCAT(${row}, ${one})`
  }, sql``)
}

/** The same text, written by Postgres. */
export function pgRowText(columns: readonly Column[]): PgSql {
  return columns.reduce((row, { name, type }) => {
    const value = kindOf(type).shown(pg`${name}`)
    const one = pg`CASE WHEN ${name} IS NULL THEN 'N' ELSE concat('V', length(${value}), ':', ${value}) END`
    return row.text === '' ? one : pg`${row} || ${one}`
  }, pg``)
}
