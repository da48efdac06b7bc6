/** Way `apart`: the table is built in a Postgres that serves no one, and the live one only points at it. */
import { FreshetError } from '../../errors.ts'
import type { Database, Session } from '../../gcp/ports.ts'
import { hashOf } from '../../plan/ids.ts'
import { besideOf, type PgTable, pg } from '../../postgres-sql.ts'
import {
  beginBuild,
  dropBuild,
  finishBuild,
  markShown,
  readFinished,
  readShown,
  readSpare,
} from '../builds.ts'
import { pgCreateLike, readProperties } from '../exchange.ts'
import { checkReachable, checkServer, pgCreateForeign, pgPoint, readPointed } from '../foreign-table.ts'
import { sqlAllRows } from '../rows-out.ts'
import { forgetParts, lockTable, readParts, writeStamp } from '../stamp.ts'
import { addColumns, checkTable, exists, pgCreateTable, pgDrop, pgSchema } from '../target-table.ts'
import type { Load, Outcome } from './load.ts'
import { finishBuilding, loadParts, verify } from './swap.ts'

export interface Apart {
  /** Where tables are built, and read from. */
  readonly builder: Database
  /** The foreign server of the live database that leads there. */
  readonly server: string
  /** The role that the server's user mappings name. */
  readonly reader?: string | undefined
  /** What the feed calls the live database: several may share a builder. */
  readonly database: string
}

/** Where the builds of a live table are: one schema for each live database. */
const homeOf = ({ schema, table }: PgTable, database: string): PgTable => ({
  schema: `freshet_${database.replaceAll('-', '_')}`,
  table: `${schema}.${table}`,
})

interface Place {
  readonly home: PgTable
  readonly build: PgTable
  readonly reader: string | undefined
}

async function makeTable(session: Session, load: Load, { home, build, reader }: Place, shown?: PgTable) {
  const { feed, stamp } = load
  if (shown) await checkTable(session, feed, shown)
  await session.transaction(async () => {
    await forgetParts(session, home)
    await session.run(pgSchema(build))
    await session.run(pgDrop(build))
    await session.run(shown ? pgCreateLike(build, shown) : pgCreateTable(feed, build))
    if (shown) {
      await addColumns(session, feed, build)
      for (const property of await readProperties(session, shown, build)) await session.run(property)
    }
    if (reader !== undefined) {
      await session.run(pg`GRANT USAGE ON SCHEMA ${build.schema} TO ${reader}`)
      await session.run(pg`GRANT SELECT ON ${build} TO ${reader}`)
    }
    await beginBuild(session, home, build, stamp.point)
  })
}

/** Builds the rows of the load's point, or finds them built: a rollback, or a load that died before readers were led there. */
async function makeBuild(builder: Database, session: Session, load: Load, place: Place): Promise<number> {
  const { home, build } = place
  const finished = await readFinished(session, build)
  if (finished !== undefined) return finished
  const shown = await readShown(session, home)
  const extracted = await load.extract(sqlAllRows(load.feed, load.point))
  const begun = (await readParts(session, home, extracted.into.tableId)).size > 0
  if (!begun || !(await exists(session, build))) await makeTable(session, load, place, shown)
  const sent = await loadParts(builder, { ...load, table: home }, build, extracted)
  await finishBuilding(session, { ...load, table: shown ?? home }, build, shown === undefined)
  // Nobody waits for this machine, so that readers find every page's rows known to be visible.
  await session.run(pg`VACUUM (FREEZE, ANALYZE) ${build}`)
  await verify(session, load, build, sent)
  await session.transaction(async () => {
    await finishBuild(session, build, sent.rows)
    await forgetParts(session, home)
  })
  await load.rowsOut.drop(extracted.into)
  return sent.rows
}

const isLocked = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03'
const MOST_TRIES = 20

/** A lock that is not to be had soon is let go and asked for again: whoever waits for it holds up the readers behind it. */
async function untilFree(load: Load, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isLocked(error)) throw error
      if (tries === MOST_TRIES)
        throw new FreshetError({
          code: 'state-conflict',
          retry: 'later',
          message: `${load.table.schema}.${load.table.table} is locked by a query that does not end; the finished table waits.`,
          hint: 'End that query; the next try publishes at once.',
        })
      await load.pace()
    }
  }
}

async function publish(session: Session, load: Load, server: string, build: PgTable, rows: number) {
  const { feed, table, stamp } = load
  await session.transaction(async () => {
    await session.run(pg`SET LOCAL lock_timeout = '2s'`)
    if (await exists(session, table)) {
      await addColumns(session, feed, table)
      await session.run(pgPoint(table, build))
    } else {
      await session.run(pgSchema(table))
      await session.run(pgCreateForeign(feed, table, server, build))
    }
    await writeStamp(session, table, feed.name, { ...stamp, way: 'apart', rows })
  })
}

/** No row passes the live database: it sees one short transaction. The build before stays, to go back to. */
export async function serveApart(session: Session, load: Load, apart: Apart): Promise<Outcome> {
  const { builder, server, database, reader } = apart
  const { feed, table, stamp } = load
  await checkServer(session, server)
  const before = await readPointed(session, table, server)
  if (before) await checkTable(session, feed, table)
  const home = homeOf(table, database)
  const build = besideOf({ schema: home.schema, table: table.table }, hashOf([table, stamp.point]))
  return builder.connect(async own => {
    await lockTable(own, home)
    const wasBuilt = (await readFinished(own, build)) !== undefined
    const rows = await makeBuild(builder, own, load, { home, build, reader })
    await checkReachable(session, feed, server, build)
    await markShown(own, build)
    await untilFree(load, () => publish(session, load, server, build, rows))
    const used = before ? [build, before] : [build]
    for (const spare of await readSpare(own, home, used, load.graceSeconds)) {
      try {
        await dropBuild(own, spare)
      } catch (error) {
        if (!isLocked(error)) throw error
      }
    }
    return { way: 'apart', rows, written: wasBuilt ? 0 : rows, deleted: 0 }
  })
}
