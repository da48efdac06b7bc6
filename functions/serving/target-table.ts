/** The table in Postgres: made when it is not there, and looked at when it is. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Session } from '../gcp/ports.ts'
import { type PgSql, type PgTable, pg, pgJoin, pgText } from '../postgres-sql.ts'
import { pgTypeOf } from './postgres-type.ts'

const oid = (table: PgTable) => pg`to_regclass(${pgText(pg`${table}`.text)})`

export async function exists(session: Session, table: PgTable): Promise<boolean> {
  const [row] = await session.query(pg`SELECT ${oid(table)} IS NOT NULL AS here`)
  return row?.here === true
}

/** Without its key: that is made when the rows are there. */
export function pgCreateTable(feed: Feed, table: PgTable): PgSql {
  const key = new Set<string>(feed.model.key)
  const columns = feed.table.columns.map(
    ({ name, type }) => pg`${name} ${pgTypeOf(type)}${key.has(name) ? pg` NOT NULL` : pg``}`,
  )
  return pg`CREATE TABLE ${table} (${pgJoin(columns)})`
}

export const pgPrimaryKey = (feed: Feed, table: PgTable): PgSql =>
  pg`ALTER TABLE ${table} ADD PRIMARY KEY (${pgJoin(feed.model.key)})`

/** Columns that the feed has and the table not. */
export async function addColumns(session: Session, feed: Feed, table: PgTable): Promise<void> {
  for (const { name, type } of feed.table.columns)
    await session.run(pg`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${name} ${pgTypeOf(type)}`)
}

interface Found {
  readonly name: string
  readonly type: string
  readonly fills: boolean
}

async function readColumns(session: Session, table: PgTable): Promise<Found[]> {
  const rows = await session.query(pg`
SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull OR atthasdef OR attidentity <> '' AS fills
FROM pg_attribute WHERE attrelid = ${oid(table)} AND attnum > 0 AND NOT attisdropped`)
  return rows.map(row => ({ name: String(row.name), type: String(row.type), fills: row.fills === true }))
}

/** As `format_type` spells them. */
const SPELLED: Readonly<Record<string, string>> = {
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  time: 'time without time zone',
}
const bare = (type: string) => (SPELLED[type] ?? type).replaceAll(' ', '')

/** Throws `schema-drift` where a column is of another type, or one that the feed has not must have a value. */
export async function checkTable(session: Session, feed: Feed, table: PgTable): Promise<void> {
  const found = await readColumns(session, table)
  const wanted = new Map(feed.table.columns.map(({ name, type }) => [String(name), pgTypeOf(type).text]))
  const problems = found.flatMap(({ name, type, fills }) => {
    const want = wanted.get(name)
    if (want === undefined) return fills ? [] : [`column ${name} is not in the feed and has to have a value`]
    return bare(want) === bare(type) ? [] : [`column ${name} is ${type}, and the feed makes it ${want}`]
  })
  if (problems.length === 0) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `Table ${table.schema}.${table.table} does not fit feed ${feed.name}: ${problems.join('; ')}.`,
    hint: 'Change the table, or serve into another one.',
  })
}

/** Whether an index that is unique over just the key's columns is there, which `ON CONFLICT` asks for. */
export async function hasKeyIndex(session: Session, feed: Feed, table: PgTable): Promise<boolean> {
  const names = pgJoin(feed.model.key.map(name => pgText(name)))
  const [row] = await session.query(pg`
SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = ${oid(table)} AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
AND (SELECT array_agg(a.attname::text ORDER BY a.attname::text) FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts-1]))
  = (SELECT array_agg(k ORDER BY k) FROM unnest(ARRAY[${names}]::text[]) k)) AS here`)
  return row?.here === true
}

export const pgSchema = ({ schema }: PgTable): PgSql => pg`CREATE SCHEMA IF NOT EXISTS ${schema}`
export const pgDrop = (table: PgTable): PgSql => pg`DROP TABLE IF EXISTS ${table}`
export const pgAnalyze = (table: PgTable): PgSql => pg`ANALYZE ${table}`
