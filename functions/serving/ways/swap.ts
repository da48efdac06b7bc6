/** Way `swap`: a new table is built beside the live one, verified, and put in its place. */
import { FreshetError } from '../../errors.ts'
import type { Database, Session } from '../../gcp/ports.ts'
import { besideOf, type PgTable, pg, pgJoin } from '../../postgres-sql.ts'
import { makeEncodeRow, type SentRow } from '../copy-text.ts'
import { checkExchangeable, exchange, pgCreateLike, readIndexes, readOwnForeignKeys } from '../exchange.ts'
import { dropRetired, keep, retire } from '../retired.ts'
import { add, type Checksum, equal, NOTHING, parseChecksum, pgChecksum } from '../row-hash.ts'
import { sqlAllRows } from '../rows-out.ts'
import { forgetParts, readParts, writePart, writeStamp } from '../stamp.ts'
import {
  addColumns,
  checkTable,
  exists,
  hasKeyIndex,
  pgAnalyze,
  pgCreateTable,
  pgDrop,
  pgPrimaryKey,
  pgSchema,
} from '../target-table.ts'
import type { Extracted, Load, Outcome } from './load.ts'

/** Rows of a part: one COPY, one transaction. */
export const PART_ROWS = 100_000

/** Encodes rows for COPY and adds up what BigQuery says of them. */
async function* encodeRows(
  rows: AsyncIterable<SentRow>,
  encode: (row: SentRow) => string,
  seen: { sum: Checksum },
): AsyncGenerator<string> {
  for await (const row of rows) {
    seen.sum = add(seen.sum, { rows: 1, sum: BigInt(row.at(-1) ?? 0) })
    yield encode(row)
  }
}

async function makeBuilding(session: Session, { feed, table }: Load, building: PgTable): Promise<void> {
  await session.run(pgSchema(table))
  const isNew = !(await exists(session, table))
  if (!isNew) await checkTable(session, feed, table)
  await session.transaction(async () => {
    await session.run(pgDrop(building))
    await session.run(isNew ? pgCreateTable(feed, building) : pgCreateLike(building, table))
    await addColumns(session, feed, building)
    // Where a load dies for good, its table goes with those that were taken out of service.
    await retire(session, table, building)
  })
}

/** Parts that a load which died has committed are not sent again. */
export async function loadParts(
  database: Database,
  load: Load,
  building: PgTable,
  { into, rows }: Extracted,
): Promise<Checksum> {
  const { feed, table, rowsOut } = load
  const done = new Map(await readParts(database, table, into.tableId))
  const parts = Array.from({ length: Math.ceil(rows / PART_ROWS) }, (_, part) => part)
  const waiting = parts.filter(part => !done.has(part))
  const encode = makeEncodeRow(feed.table.columns, feed.model.key)
  const copy = pg`COPY ${building} (${pgJoin(feed.table.columns.map(({ name }) => name))}) FROM STDIN`
  const worker = () =>
    database.connect(async session => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
        const start = part * PART_ROWS
        const lines = rowsOut.read(into, start, Math.min(PART_ROWS, rows - start))
        const seen = { sum: NOTHING }
        await session.transaction(async () => {
          await session.copy(copy, encodeRows(lines, encode, seen))
          await writePart(session, table, into.tableId, part ?? 0, seen.sum)
        })
        done.set(part, seen.sum)
        load.progress(done.size, parts.length)
      }
    })
  await Promise.all(Array.from({ length: Math.min(load.workers, waiting.length) }, worker))
  const sum = [...done.values()].reduce(add, NOTHING)
  if (sum.rows === rows) return sum
  throw new Error(`${sum.rows} rows were loaded of ${rows}`)
}

export async function finishBuilding(session: Session, load: Load, building: PgTable, isNew: boolean) {
  const { feed, table, run } = load
  if (isNew) {
    // A load that died may have come this far.
    if (!(await hasKeyIndex(session, feed, building))) await session.run(pgPrimaryKey(feed, building))
  } else {
    for (const index of await readIndexes(session, table, building, run)) await session.run(index)
    for (const key of await readOwnForeignKeys(session, table, building)) await session.run(key)
  }
  await session.run(pgAnalyze(building))
}

export async function verify(
  session: Session,
  { feed }: Load,
  building: PgTable,
  sent: Checksum,
): Promise<void> {
  const [row] = await session.query(pgChecksum(feed.table.columns, building))
  const stored = parseChecksum(row)
  if (equal(stored, sent)) return
  throw new FreshetError({
    code: 'bad-row',
    message: `Postgres does not hold what BigQuery sent: ${stored.rows} rows with checksum ${stored.sum}, and sent were ${sent.rows} with ${sent.sum}.`,
    hint: 'The table that is served is as it was. Look for triggers or rules that change rows.',
  })
}

/** Resumes what a load of the same rows left behind, and leaves the live table as it is until all is verified. */
export async function serveBySwap(database: Database, session: Session, load: Load): Promise<Outcome> {
  const { feed, table, run, stamp } = load
  const building = besideOf(table, run)
  const isNew = !(await exists(session, table))
  if (!isNew) await checkExchangeable(session, table)
  await dropRetired(session, table, load.graceSeconds, building)
  const extracted = await load.extract(sqlAllRows(feed, load.point))
  const begun = (await readParts(session, table, extracted.into.tableId)).size > 0
  if (!begun || !(await exists(session, building))) {
    await forgetParts(session, table)
    await makeBuilding(session, load, building)
  }
  const sent = await loadParts(database, load, building, extracted)
  await finishBuilding(session, load, building, isNew)
  await verify(session, load, building, sent)
  const checks = await session.transaction(async () => {
    if (isNew) await session.run(pg`ALTER TABLE ${building} RENAME TO ${table.table}`)
    const done = isNew ? undefined : await exchange(session, table, building, run)
    await keep(session, building)
    if (done) await retire(session, table, done.old)
    await writeStamp(session, table, feed.name, { ...stamp, way: 'swap', rows: sent.rows })
    await forgetParts(session, table)
    return done?.checks ?? []
  })
  for (const check of checks) await session.run(check)
  await load.rowsOut.drop(extracted.into)
  return { way: 'swap', rows: sent.rows, written: sent.rows, deleted: 0 }
}
