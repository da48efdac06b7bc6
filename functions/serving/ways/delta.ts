/** Way `delta`: only rows that differ go over, in key order and short transactions. */
import { FreshetError } from '../../errors.ts'
import type { Column } from '../../feed/feed.ts'
import type { Session } from '../../gcp/ports.ts'
import { type PgSql, type PgTable, pg, pgGiven, pgJoin } from '../../postgres-sql.ts'
import { makeEncodeRow, type SentRow } from '../copy-text.ts'
import { pgTypeOf } from '../postgres-type.ts'
import { add, type Checksum, equal, NOTHING, parseChecksum, pgChecksum } from '../row-hash.ts'
import { keyColumns, sqlChangedRows, sqlGoneKeys } from '../rows-out.ts'
import { forgetParts, markMoving, readParts, writePart, writeStamp } from '../stamp.ts'
import { addColumns, checkTable, hasKeyIndex } from '../target-table.ts'
import type { Load, Outcome } from './load.ts'

/** Rows of a transaction: what the primary's locks and WAL feel at a time. */
export const BATCH_ROWS = 5_000

const BATCH = pgGiven('pg_temp.freshet_batch')

const names = (columns: readonly Column[]) => pgJoin(columns.map(({ name }) => name))

/** An identifier list of the key, compared with that of the batch. */
const sameKey = (key: readonly Column[]) =>
  pgJoin(
    key.map(({ name }) => pg`live.${name} = batch.${name}`),
    ' AND ',
  )

function pgUpsert(table: PgTable, columns: readonly Column[], key: readonly Column[]): PgSql {
  const keyNames = new Set(key.map(({ name }) => name))
  const values = columns.filter(({ name }) => !keyNames.has(name))
  const change =
    values.length === 0
      ? pg`DO NOTHING`
      : pg`DO UPDATE SET ${pgJoin(values.map(({ name }) => pg`${name} = excluded.${name}`))}`
  return pg`INSERT INTO ${table} (${names(columns)}) SELECT ${names(columns)} FROM ${BATCH} ORDER BY ${names(key)} ON CONFLICT (${names(key)}) ${change}`
}

const pgDelete = (table: PgTable, key: readonly Column[]): PgSql =>
  pg`DELETE FROM ${table} live USING ${BATCH} batch WHERE ${sameKey(key)}`

async function fillBatch(
  session: Session,
  columns: readonly Column[],
  key: readonly Column[],
  rows: AsyncIterable<SentRow>,
): Promise<Checksum> {
  const encode = makeEncodeRow(
    columns,
    key.map(({ name }) => name),
  )
  let sum = NOTHING
  async function* lines() {
    for await (const row of rows) {
      sum = add(sum, { rows: 1, sum: BigInt(row.at(-1) || 0) })
      yield encode(row)
    }
  }
  const fields = columns.map(({ name, type }) => pg`${name} ${pgTypeOf(type)}`)
  await session.run(pg`CREATE TEMP TABLE freshet_batch (${pgJoin(fields)}) ON COMMIT DROP`)
  await session.copy(pg`COPY ${BATCH} FROM STDIN`, lines())
  return sum
}

/** The rows of the batch as the live table has them now. */
async function verifyBatch(session: Session, load: Load, key: readonly Column[], sent: Checksum) {
  const { columns } = load.feed.table
  const stored = pg`(SELECT ${pgJoin(columns.map(({ name }) => pg`live.${name}`))} FROM ${load.table} live JOIN ${BATCH} batch ON ${sameKey(key)}) stored`
  const found = parseChecksum((await session.query(pgChecksum(columns, stored)))[0])
  if (equal(found, sent)) return
  throw new FreshetError({
    code: 'bad-row',
    message: `Postgres does not hold what BigQuery sent: ${found.rows} rows of a batch of ${sent.rows} have another checksum.`,
    hint: 'The batch was taken back. Look for triggers or rules that change rows.',
  })
}

interface Work {
  readonly columns: readonly Column[]
  readonly query: ReturnType<typeof sqlChangedRows>
  /** Puts the batch into the live table; answers how many rows it touched. */
  readonly apply: (sent: Checksum) => Promise<number>
}

async function runBatches(session: Session, load: Load, work: Work): Promise<number> {
  const { feed, table, rowsOut } = load
  const key = keyColumns(feed)
  const { into, rows } = await load.extract(work.query)
  const done = new Map(await readParts(session, table, into.tableId))
  const batches = Math.ceil(rows / BATCH_ROWS)
  for (let batch = 0; batch < batches; batch += 1) {
    if (done.has(batch)) continue
    await load.pace()
    const start = batch * BATCH_ROWS
    await session.transaction(async () => {
      const lines = rowsOut.read(into, start, Math.min(BATCH_ROWS, rows - start))
      const sent = await fillBatch(session, work.columns, key, lines)
      const touched = await work.apply(sent)
      await writePart(session, table, into.tableId, batch, { rows: touched, sum: sent.sum })
      done.set(batch, { rows: touched, sum: sent.sum })
    })
    load.progress(batch + 1, batches)
  }
  return [...done.values()].reduce((sum, { rows }) => sum + rows, 0)
}

/** Whether the table is one that batches can be put into. */
export async function canDelta(session: Session, { feed, table, served }: Load): Promise<boolean> {
  return served !== undefined && (await hasKeyIndex(session, feed, table))
}

/**
 * A batch is committed with the note that it is done, so that a load that dies goes on behind it; the stamp moves when
 * all are. Rows between the old state and the new one are seen meanwhile: each is one that BigQuery had.
 */
export async function serveByDelta(session: Session, load: Load): Promise<Outcome> {
  const { feed, table, served, point, stamp } = load
  if (!served) throw new Error('delta needs what is served now')
  const { columns } = feed.table
  const key = keyColumns(feed)
  await checkTable(session, feed, table)
  await addColumns(session, feed, table)
  await markMoving(session, table, stamp.point)
  const deleted = await runBatches(session, load, {
    columns: key,
    query: sqlGoneKeys(feed, served.point, point),
    apply: () => session.run(pgDelete(table, key)),
  })
  const written = await runBatches(session, load, {
    columns,
    query: sqlChangedRows(feed, served.point, point),
    apply: async sent => {
      await session.run(pgUpsert(table, columns, key))
      await verifyBatch(session, load, key, sent)
      return sent.rows
    },
  })
  const rows = await load.rowsOf(point)
  await session.transaction(async () => {
    await writeStamp(session, table, feed.name, { ...stamp, way: 'delta', rows })
    await forgetParts(session, table)
  })
  return { way: 'delta', rows, written, deleted }
}
