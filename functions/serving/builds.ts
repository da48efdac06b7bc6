/** Tables of way apart, in the database that builds them: which holds what, which is shown, which may go. */
import type { Session } from '../gcp/ports.ts'
import { type PgTable, pg, pgText } from '../postgres-sql.ts'
import { pgDrop } from './target-table.ts'

const homeIs = ({ schema, table }: PgTable) =>
  pg`schema_name = ${pgText(schema)} AND table_name = ${pgText(table)}`
const buildIs = ({ schema, table }: PgTable) =>
  pg`build_schema = ${pgText(schema)} AND build_name = ${pgText(table)}`

/** Rows of a build that was finished and verified; `undefined` when it was not. */
export async function readFinished(session: Session, build: PgTable): Promise<number | undefined> {
  const [row] = await session.query(
    pg`SELECT rows::text AS rows FROM freshet.builds WHERE ${buildIs(build)} AND finished_at IS NOT NULL
AND to_regclass(${pgText(pg`${build}`.text)}) IS NOT NULL`,
  )
  return row && Number(row.rows)
}

/** The build that was shown last: the next one gets its indexes, grants and settings. */
export async function readShown(session: Session, home: PgTable): Promise<PgTable | undefined> {
  const [row] = await session.query(
    pg`SELECT build_schema AS schema, build_name AS name FROM freshet.builds WHERE ${homeIs(home)} AND shown_at IS NOT NULL
AND to_regclass(format('%I.%I', build_schema, build_name)) IS NOT NULL ORDER BY shown_at DESC LIMIT 1`,
  )
  return row && { schema: String(row.schema), table: String(row.name) }
}

export async function beginBuild(
  session: Session,
  home: PgTable,
  build: PgTable,
  point: string,
): Promise<void> {
  await session.run(
    pg`INSERT INTO freshet.builds (schema_name, table_name, build_schema, build_name, point)
VALUES (${pgText(home.schema)}, ${pgText(home.table)}, ${pgText(build.schema)}, ${pgText(build.table)}, ${pgText(point)})
ON CONFLICT (build_schema, build_name) DO UPDATE SET rows = NULL, finished_at = NULL, shown_at = NULL`,
  )
}

export async function finishBuild(session: Session, build: PgTable, rows: number): Promise<void> {
  await session.run(
    pg`UPDATE freshet.builds SET rows = ${rows}, finished_at = clock_timestamp() WHERE ${buildIs(build)}`,
  )
}

/** Said before readers are led to it, so that a crash between the two lets nothing go that is still read. */
export async function markShown(session: Session, build: PgTable): Promise<void> {
  await session.run(pg`UPDATE freshet.builds SET shown_at = clock_timestamp() WHERE ${buildIs(build)}`)
}

/** Builds that nobody is led to any more: not the one before, which is there to go back to, and none within its grace. */
export async function readSpare(
  session: Session,
  home: PgTable,
  used: readonly PgTable[],
  graceSeconds: number,
): Promise<PgTable[]> {
  const rows = await session.query(pg`
SELECT build_schema AS schema, build_name AS name FROM (
  SELECT *, row_number() OVER latest AS place, lag(shown_at) OVER latest AS hidden_at FROM freshet.builds
  WHERE ${homeIs(home)} WINDOW latest AS (ORDER BY shown_at DESC NULLS LAST)) b
WHERE shown_at IS NULL OR (place > 2 AND hidden_at <= now() - make_interval(secs => ${graceSeconds}))`)
  const spare = rows.map(({ schema, name }) => ({ schema: String(schema), table: String(name) }))
  return spare.filter(({ schema, table }) => !used.some(one => one.schema === schema && one.table === table))
}

/** A query that still reads it has it stay until the next load. */
export async function dropBuild(session: Session, build: PgTable): Promise<void> {
  await session.transaction(async () => {
    await session.run(pg`SET LOCAL lock_timeout = '2s'`)
    await session.run(pgDrop(build))
    await session.run(pg`DELETE FROM freshet.builds WHERE ${buildIs(build)}`)
  })
}
