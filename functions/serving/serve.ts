/** `serve`: brings a feed's tables in Postgres to what its target shows. */
import { FreshetError } from '../errors.ts'
import type { Feed, ServedApart, ServedInPostgres } from '../feed/feed.ts'
import { parseTable, showTable, type TableRef } from '../feed/names.ts'
import type { Database, Log, OpenDatabase, RowsOut, Session, Warehouse } from '../gcp/ports.ts'
import type { Warehouse as WarehouseNames } from '../plan/run-plan.ts'
import type { State } from '../state/state.ts'
import { makePace } from './pace.ts'
import { planExtract, sqlChangedRows, sqlGoneKeys } from './rows-out.ts'
import { lockTable, readStamp, type Stamp } from './stamp.ts'
import { serveApart } from './ways/apart.ts'
import { canDelta, serveByDelta } from './ways/delta.ts'
import type { Load, Outcome } from './ways/load.ts'
import { serveBySwap } from './ways/swap.ts'

export interface ServeDeps {
  readonly feeds: ReadonlyMap<string, Feed>
  readonly state: State
  readonly warehouse: Warehouse
  readonly rowsOut: RowsOut
  readonly openDatabase: OpenDatabase
  readonly names: WarehouseNames
  readonly log: Log
  sleep(milliseconds: number): Promise<void>
}

export interface ServedTable extends Outcome {
  readonly feed: string
  readonly database: string
  readonly table: string
  readonly snapshot: string
  readonly run: string
  readonly rollbackPoint: string
}

/** A change of more than this share of the rows is cheaper as a new table. */
export const MOST_BY_DELTA = 0.2

async function readCurrent({ state }: ServeDeps, feed: Feed) {
  const last = (await state.leases.read(feed.name))?.lease.last
  if (last?.rollbackPoint) return { run: last.run, snapshot: last.newest, point: last.rollbackPoint }
  throw new FreshetError({
    code: 'not-found',
    message: `${feed.name} has not been refreshed yet, so there is nothing to serve.`,
    hint: 'Send a snapshot first.',
  })
}

/** The small change goes as a delta, the large one as a new table; `way` in the feed says otherwise. */
async function chooseWay(
  session: Session,
  load: Load,
  way: ServedInPostgres['way'],
): Promise<'delta' | 'swap'> {
  if (way === 'swap' || !load.served) return 'swap'
  if (!(await canDelta(session, load))) {
    if (way === 'auto') return 'swap'
    throw new FreshetError({
      code: 'schema-drift',
      message: `Table ${load.table.schema}.${load.table.table} has no unique index over just the key of ${load.feed.name}, which way delta needs.`,
      hint: `CREATE UNIQUE INDEX over (${load.feed.model.key.join(', ')}), or serve with way: swap.`,
    })
  }
  if (way === 'delta') return 'delta'
  const { feed, served, point } = load
  const changed = await load.extract(sqlChangedRows(feed, served.point, point))
  const gone = await load.extract(sqlGoneKeys(feed, served.point, point))
  return changed.rows + gone.rows > MOST_BY_DELTA * (await load.rowsOf(point)) ? 'swap' : 'delta'
}

/**
 * A delta on its way here goes on. One that died on its way to elsewhere has left rows of two states, of which no
 * difference tells: only a new table is sure to be right.
 */
const resumeWay = ({ moving }: Stamp, { served, stamp }: Load) =>
  served && moving === stamp.point ? 'delta' : 'swap'

interface Goal {
  readonly run: string
  readonly snapshot: string
  readonly point: TableRef
}

async function findServed(
  deps: ServeDeps,
  feed: Feed,
  stamp: Stamp | undefined,
): Promise<Load['served'] | undefined> {
  const point = stamp && parseTable(stamp.point)
  if (!point) return undefined
  const facts = await deps.warehouse.readTable(point)
  const has = new Set(facts?.columns.map(({ name }) => name))
  return facts && feed.table.columns.every(({ name }) => has.has(name)) ? { stamp, point } : undefined
}

function makeLoad(
  deps: ServeDeps,
  feed: Feed,
  to: ServedInPostgres,
  goal: Goal,
  served: Load['served'],
  session: Session,
): Load {
  const { log, names, rowsOut, warehouse } = deps
  const told = { feed: feed.name, run: goal.run, table: `${to.table.schema}.${to.table.table}` }
  return {
    feed,
    table: to.table,
    served,
    run: goal.run,
    point: goal.point,
    stamp: { run: goal.run, snapshot: goal.snapshot, point: showTable(goal.point) },
    workers: to.workers,
    graceSeconds: to.graceSeconds,
    rowsOut,
    extract: query =>
      rowsOut.extract(attempt =>
        planExtract(feed, names, query, { reader: `${to.database} ${told.table}`, attempt }),
      ),
    rowsOf: async table => (await warehouse.readTable(table))?.rows ?? 0,
    progress: (done, of) => log.info({ ...told, done, of }, `part ${done} of ${of}`),
    pace: makePace(session, deps.sleep),
  }
}

async function serveByBuilder(
  { openDatabase }: ServeDeps,
  { database }: ServedInPostgres,
  apart: ServedApart,
  session: Session,
  load: Load,
): Promise<Outcome> {
  const builder = openDatabase(apart.database)
  try {
    return await serveApart(session, load, { ...apart, builder, database })
  } finally {
    await builder.close()
  }
}

async function serveOne(
  deps: ServeDeps,
  feed: Feed,
  to: ServedInPostgres,
  database: Database,
): Promise<ServedTable> {
  return database.connect(async session => {
    await lockTable(session, to.table)
    // Read under the lock: what came meanwhile is served at once.
    const goal = await readCurrent(deps, feed)
    const stamp = await readStamp(session, to.table)
    const bring = async (): Promise<Outcome> => {
      const served = await findServed(deps, feed, stamp)
      const load = makeLoad(deps, feed, to, goal, served, session)
      if (to.apart) return serveByBuilder(deps, to, to.apart, session, load)
      const way = stamp?.moving ? resumeWay(stamp, load) : await chooseWay(session, load, to.way)
      return way === 'delta' ? serveByDelta(session, load) : serveBySwap(database, session, load)
    }
    const outcome: Outcome =
      stamp && stamp.moving === undefined && stamp.point === showTable(goal.point)
        ? { way: 'none', rows: stamp.rows, written: 0, deleted: 0 }
        : await bring()
    const { run, snapshot, point } = goal
    const table = `${to.table.schema}.${to.table.table}`
    const served = { feed: feed.name, database: to.database, table, snapshot, run, ...outcome }
    deps.log.info({ feed: feed.name, run, served }, `served ${table}: ${outcome.way}`)
    return { ...served, rollbackPoint: showTable(point) }
  })
}

/** Serves every table of the feed, one after the other. Throws `bad-request` for a feed that serves none. */
export function makeServe(deps: ServeDeps) {
  return async (name: string): Promise<readonly ServedTable[]> => {
    const feed = deps.feeds.get(name)
    if (!feed?.serve)
      throw new FreshetError({
        code: feed ? 'bad-request' : 'unknown-feed',
        message: feed ? `${name} serves no table elsewhere.` : `There is no feed ${name}.`,
        hint: feed
          ? 'Add serve: [{ postgres: … }] to the feed; docs/serving.md tells how.'
          : `The feeds are: ${[...deps.feeds.keys()].join(', ')}.`,
      })
    const served: ServedTable[] = []
    for (const to of feed.serve) {
      const database = deps.openDatabase(to.database)
      try {
        served.push(await serveOne(deps, feed, to, database))
      } finally {
        await database.close()
      }
    }
    return served
  }
}
