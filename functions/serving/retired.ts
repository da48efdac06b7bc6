/** Tables that an exchange took out of service: kept for a grace, for queries that still read them. */
import type { Session } from '../gcp/ports.ts'
import { type PgTable, pg, pgText } from '../postgres-sql.ts'
import { pgDrop } from './target-table.ts'

export async function retire(session: Session, table: PgTable, old: PgTable): Promise<void> {
  await session.run(
    pg`INSERT INTO freshet.retired (schema_name, old_name, table_name) VALUES (${pgText(old.schema)}, ${pgText(old.table)}, ${pgText(table.table)}) ON CONFLICT DO NOTHING`,
  )
}

const named = ({ schema, table }: PgTable) =>
  pg`schema_name = ${pgText(schema)} AND old_name = ${pgText(table)}`

/** It is in service from now on. */
export async function keep(session: Session, table: PgTable): Promise<void> {
  await session.run(pg`DELETE FROM freshet.retired WHERE ${named(table)}`)
}

export async function dropRetired(
  session: Session,
  table: PgTable,
  graceSeconds: number,
  except: PgTable,
): Promise<void> {
  const rows = await session.query(
    pg`SELECT old_name FROM freshet.retired WHERE schema_name = ${pgText(table.schema)} AND table_name = ${pgText(table.table)} AND old_name <> ${pgText(except.table)} AND retired_at <= now() - make_interval(secs => ${graceSeconds})`,
  )
  for (const { old_name: name } of rows) {
    const old = { schema: table.schema, table: String(name) }
    await session.transaction(async () => {
      await session.run(pgDrop(old))
      await keep(session, old)
    })
  }
}
