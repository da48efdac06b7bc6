/** The foreign table that readers see in way apart: made once, and then pointed from one build to the next. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Session } from '../gcp/ports.ts'
import { type PgSql, type PgTable, pg, pgJoin, pgText } from '../postgres-sql.ts'
import { pgTypeOf } from './postgres-type.ts'

const show = ({ schema, table }: PgTable) => `${schema}.${table}`

/** Throws `not-found` when the database knows no such server of postgres_fdw. */
export async function checkServer(session: Session, server: string): Promise<void> {
  const [row] = await session.query(
    pg`SELECT has_server_privilege(s.oid, 'USAGE') AS usable FROM pg_foreign_server s
JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE s.srvname = ${pgText(server)} AND w.fdwname = 'postgres_fdw'`,
  )
  if (row?.usable === true) return
  throw new FreshetError({
    code: 'not-found',
    message: row
      ? `This user may not use the foreign server ${server}.`
      : `The database has no server ${server} of postgres_fdw.`,
    hint: row
      ? `GRANT USAGE ON FOREIGN SERVER ${server} to it.`
      : 'Its administrator makes one, with a user mapping: docs/serving.md has the statements.',
  })
}

/** Where the table points; `undefined` when it is not there. Throws `schema-drift` when it is no foreign table of `server`. */
export async function readPointed(
  session: Session,
  table: PgTable,
  server: string,
): Promise<PgTable | undefined> {
  const option = (name: string) =>
    pg`(SELECT option_value FROM pg_options_to_table(f.ftoptions) WHERE option_name = ${pgText(name)})`
  const [row] = await session.query(
    pg`SELECT s.srvname AS server, ${option('schema_name')} AS schema, ${option('table_name')} AS name
FROM pg_class c LEFT JOIN pg_foreign_table f ON f.ftrelid = c.oid LEFT JOIN pg_foreign_server s ON s.oid = f.ftserver
WHERE c.oid = to_regclass(${pgText(pg`${table}`.text)})`,
  )
  if (!row) return undefined
  if (row.server === server)
    return { schema: String(row.schema ?? table.schema), table: String(row.name ?? table.table) }
  throw new FreshetError({
    code: 'schema-drift',
    message: `${show(table)} is ${row.server === null ? 'no foreign table' : `a foreign table of ${row.server}`}; way apart leads readers through one of ${server}.`,
    hint: 'Rename it, or serve into another table; views and grants on it have to be made anew.',
  })
}

const pgOptions = ({ schema, table }: PgTable, verb: '' | 'SET ') => {
  const set = verb === '' ? pg`` : pg`SET `
  return pg`OPTIONS (${set}schema_name ${pgText(schema)}, ${set}table_name ${pgText(table)})`
}

export function pgCreateForeign(feed: Feed, table: PgTable, server: string, build: PgTable): PgSql {
  const key = new Set<string>(feed.model.key)
  const columns = feed.table.columns.map(
    ({ name, type }) => pg`${name} ${pgTypeOf(type)}${key.has(name) ? pg` NOT NULL` : pg``}`,
  )
  return pg`CREATE FOREIGN TABLE ${table} (${pgJoin(columns)}) SERVER ${server} ${pgOptions(build, '')}`
}

/** Plans that were made before, of prepared statements too, are made anew. */
export const pgPoint = (table: PgTable, build: PgTable): PgSql =>
  pg`ALTER FOREIGN TABLE ${table} ${pgOptions(build, 'SET ')}`

/** Reads a row of the build as readers will: what they lack, a grant or a column, is found before they are led there. */
export async function checkReachable(
  session: Session,
  feed: Feed,
  server: string,
  build: PgTable,
): Promise<void> {
  const probe = { schema: 'freshet', table: `probe_${build.table.slice(-16)}` }
  const columns = pgJoin(feed.table.columns.map(({ name }) => name))
  try {
    await session.transaction(async () => {
      await session.run(pgCreateForeign(feed, probe, server, build))
      await session.query(pg`SELECT ${columns} FROM ${probe} LIMIT 1`)
      await session.run(pg`DROP FOREIGN TABLE ${probe}`)
    })
  } catch (error) {
    const passing = error instanceof Error && !('code' in error && /^(42|HV|28|3D)/.test(String(error.code)))
    throw new FreshetError({
      code: 'not-found',
      retry: passing ? 'later' : 'never',
      message: `The finished table ${show(build)} can't be read through server ${server}: ${error instanceof Error ? error.message : error}`,
      hint: 'Readers still see the table before. Look at the user mapping, and at what its user may read: docs/serving.md.',
    })
  }
}
