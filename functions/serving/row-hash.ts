/** A row's hash, the same number in BigQuery and in Postgres; their sum is a checksum that no order changes. */
import type { Column } from '../feed/feed.ts'
import { type Sql, sql } from '../plan/sql.ts'
import { type PgSql, type PgTable, pg } from '../postgres-sql.ts'
import { pgRowText, type RowTextOf, sqlRowText } from './postgres-type.ts'

/** Rows and the sum of their hashes. */
export interface Checksum {
  readonly rows: number
  readonly sum: bigint
}
export const NOTHING: Checksum = { rows: 0, sum: 0n }

export const add = (a: Checksum, b: Checksum): Checksum => ({ rows: a.rows + b.rows, sum: a.sum + b.sum })
export const equal = (a: Checksum, b: Checksum): boolean => a.rows === b.rows && a.sum === b.sum

/** The first 60 bits of MD5 over the row's text, as INT64. */
export const sqlRowHash = (columns: readonly Column[], of: RowTextOf = 'checked'): Sql =>
  sql`CAST(CONCAT('0x', SUBSTR(TO_HEX(MD5(${sqlRowText(columns, of)})), 1, 15)) AS INT64)`

export const pgRowHash = (columns: readonly Column[]): PgSql =>
  pg`('x' || substr(md5(${pgRowText(columns)}), 1, 15))::bit(60)::bigint`

/** Columns `rows` and `sum`, as texts. */
export const pgChecksum = (columns: readonly Column[], from: PgTable | PgSql): PgSql =>
  pg`SELECT count(*)::text AS rows, coalesce(sum(${pgRowHash(columns)}), 0)::text AS sum FROM ${from}`

export function parseChecksum(row: Readonly<Record<string, unknown>> | undefined): Checksum {
  return { rows: Number(row?.rows ?? 0), sum: BigInt(String(row?.sum ?? 0)) }
}
