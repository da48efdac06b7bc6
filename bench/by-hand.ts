/** The yardstick: the same load, inspection and deduplication, written by hand in DuckDB. One child process. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { openDuckDb } from './open-duckdb.ts'
import { type Settings, serveSide, startWatch, type Work } from './side.ts'

const COLUMNS = 'date, product_id, store_id, attribute_id, attr_value, update_id'
const KEY = 'date, product_id, store_id, attribute_id'
/** What the gates of the feed ask: rows, keys, duplicates, NULLs in the key, rows outside of the window, lost columns. */
const INSPECT = `
  SELECT sum(copies), count(*), count(*) FILTER (copies > 1),
    sum(copies) FILTER (date IS NULL OR product_id IS NULL OR store_id IS NULL OR attribute_id IS NULL),
    sum(copies) FILTER (date IS NULL),
    sum(copies) FILTER (date > current_date + 366 OR date < current_date - 730)
  FROM (SELECT ${KEY}, count(*) AS copies FROM landing GROUP BY ${KEY})`
const LOST_COLUMNS = 'SELECT count(attr_value) = 0, count(update_id) = 0 FROM landing'
const DEDUPLICATE = `
  CREATE TABLE next AS SELECT ${COLUMNS}
  FROM (SELECT ${COLUMNS} FROM staging UNION ALL SELECT ${COLUMNS} FROM landing)
  QUALIFY row_number() OVER (PARTITION BY ${KEY} ORDER BY update_id DESC, attr_value DESC) = 1`

async function refresh(connection: DuckDBConnection, dir: string): Promise<void> {
  await connection.run(`CREATE TABLE landing AS SELECT ${COLUMNS} FROM read_parquet('${dir}/*.parquet')`)
  await connection.runAndReadAll(INSPECT)
  await connection.runAndReadAll(LOST_COLUMNS)
  await connection.run(DEDUPLICATE)
  await connection.run('DROP TABLE staging')
  await connection.run('ALTER TABLE next RENAME TO staging')
  await connection.run('DROP TABLE landing')
}

async function open(settings: Settings): Promise<Work> {
  const { connection, countStaging, close } = await openDuckDb(settings, 'by-hand')
  await connection.run(
    `CREATE TABLE staging AS SELECT ${COLUMNS} FROM read_parquet('${settings.dirs[0]}/*.parquet') LIMIT 0`,
  )
  return {
    async take(dir) {
      const read = startWatch()
      await refresh(connection, dir)
      const taken = read()
      return { ...taken, rows: await countStaging() }
    },
    close,
  }
}

await serveSide(open)
