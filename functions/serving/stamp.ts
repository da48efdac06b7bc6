/** What Freshet keeps in the database itself, in the transactions of the rows: what is served, and how far a load is. */
import type { Database, Session } from '../gcp/ports.ts'
import { type PgTable, pg, pgText } from '../postgres-sql.ts'
import type { Checksum } from './row-hash.ts'

/** What a table of Postgres shows now. */
export interface Stamp {
  readonly run: string
  /** `project.dataset.table` of the rollback point whose rows it has. */
  readonly point: string
  readonly snapshot: string
  readonly way: string
  readonly rows: number
  /** The rollback point that a delta which is not done was on its way to; until then the table has rows of both. */
  readonly moving?: string
}

const lockOf = ({ schema, table }: PgTable) => pgText(`freshet ${schema}.${table}`)
const one = ({ schema, table }: PgTable) =>
  pg`schema_name = ${pgText(schema)} AND table_name = ${pgText(table)}`

const SETUP = pg`
CREATE SCHEMA IF NOT EXISTS freshet;
CREATE TABLE IF NOT EXISTS freshet.served (
  schema_name text, table_name text, feed text NOT NULL, run text NOT NULL, point text NOT NULL,
  snapshot text NOT NULL, way text NOT NULL, rows bigint NOT NULL, moving text, served_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schema_name, table_name));
CREATE TABLE IF NOT EXISTS freshet.parts (
  schema_name text, table_name text, load text, part bigint, rows bigint NOT NULL, sum numeric NOT NULL,
  PRIMARY KEY (schema_name, table_name, load, part));
CREATE TABLE IF NOT EXISTS freshet.retired (
  schema_name text, old_name text, table_name text NOT NULL, retired_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schema_name, old_name));
CREATE TABLE IF NOT EXISTS freshet.builds (
  schema_name text, table_name text, build_schema text, build_name text, point text NOT NULL, rows bigint,
  finished_at timestamptz, shown_at timestamptz, PRIMARY KEY (build_schema, build_name));`

/** Loads into one table wait for each other; the lock goes with the connection, however that ends. */
export async function lockTable(session: Session, table: PgTable): Promise<void> {
  await session.run(pg`SELECT pg_advisory_lock(hashtextextended(${pgText('freshet')}, 0))`)
  await session.run(SETUP)
  await session.run(pg`SELECT pg_advisory_unlock(hashtextextended(${pgText('freshet')}, 0))`)
  await session.run(pg`SELECT pg_advisory_lock(hashtextextended(${lockOf(table)}, 0))`)
}

export async function readStamp(session: Session, table: PgTable): Promise<Stamp | undefined> {
  const [row] = await session.query(
    pg`SELECT run, point, snapshot, way, rows::text AS rows, moving FROM freshet.served WHERE ${one(table)}`,
  )
  if (!row) return undefined
  const text = (name: string) => String(row[name])
  return {
    run: text('run'),
    point: text('point'),
    snapshot: text('snapshot'),
    way: text('way'),
    rows: Number(row.rows),
    ...(row.moving !== null && { moving: text('moving') }),
  }
}

/** Moves the stamp; called in the transaction that makes it true. */
export async function writeStamp(
  session: Session,
  { schema, table }: PgTable,
  feed: string,
  stamp: Omit<Stamp, 'moving'>,
): Promise<void> {
  const { run, point, snapshot, way, rows } = stamp
  await session.run(pg`INSERT INTO freshet.served (schema_name, table_name, feed, run, point, snapshot, way, rows)
VALUES (${pgText(schema)}, ${pgText(table)}, ${pgText(feed)}, ${pgText(run)}, ${pgText(point)}, ${pgText(snapshot)}, ${pgText(way)}, ${rows})
ON CONFLICT (schema_name, table_name) DO UPDATE SET feed = excluded.feed, run = excluded.run, point = excluded.point,
snapshot = excluded.snapshot, way = excluded.way, rows = excluded.rows, moving = NULL, served_at = now()`)
}

/** From here on the table has rows of two rollback points, until the stamp moves. */
export async function markMoving(session: Session, table: PgTable, to: string): Promise<void> {
  await session.run(pg`UPDATE freshet.served SET moving = ${pgText(to)} WHERE ${one(table)}`)
}

/** The parts of a load that were committed before. */
export async function readParts(
  database: Pick<Database, 'query'>,
  table: PgTable,
  load: string,
): Promise<ReadonlyMap<number, Checksum>> {
  const rows = await database.query(
    pg`SELECT part::text AS part, rows::text AS rows, sum::text AS sum FROM freshet.parts WHERE ${one(table)} AND load = ${pgText(load)}`,
  )
  return new Map(
    rows.map(({ part, rows, sum }) => [Number(part), { rows: Number(rows), sum: BigInt(String(sum)) }]),
  )
}

export async function writePart(
  session: Session,
  { schema, table }: PgTable,
  load: string,
  part: number,
  { rows, sum }: Checksum,
): Promise<void> {
  await session.run(
    pg`INSERT INTO freshet.parts VALUES (${pgText(schema)}, ${pgText(table)}, ${pgText(load)}, ${part}, ${rows}, ${pgText(String(sum))}::numeric)`,
  )
}

export async function forgetParts(session: Session, table: PgTable): Promise<void> {
  await session.run(pg`DELETE FROM freshet.parts WHERE ${one(table)}`)
}
