/** Retail-shaped snapshots: the attributes of products in stores over 13 days, of which few change from one to the next. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

const DAYS = 13
/** One row in 2,500 changes with every snapshot: 0.04 %. */
const ONE_IN = 2_500

/** The newest snapshot in which row `i` changed, up to `snapshot`. */
function sqlLastChange(snapshot: number): string {
  const changes = Array.from({ length: snapshot - 1 }, (_, at) => at + 2)
  return changes.reduce(
    (older, id) => `CASE WHEN hash(i, ${id}) % ${ONE_IN} = 0 THEN ${id} ELSE ${older} END`,
    '1',
  )
}

/** Days end today: partitions of the feed expire after 730 days. */
function sqlRows(rows: number, day: number, snapshot: number): string {
  const share = (at: number) => Math.floor((rows * at) / DAYS)
  return `
    SELECT current_date - ${DAYS - day} AS date,
      300000 + j // 2000 AS product_id, 2000 + j // 8 % 250 AS store_id, 1 + j % 8 AS attribute_id,
      (hash(i, changed) % 100)::BIGINT AS attr_value, changed::BIGINT * 1000000000 + i AS update_id
    FROM (
      SELECT i, i - ${share(day)} AS j, ${sqlLastChange(snapshot)} AS changed
      FROM range(${share(day)}, ${share(day + 1)}) t(i)
    )`
}

/** Writes snapshots 1 to `count` below `root`, one Parquet file a day, and answers with their directories. */
export async function writeSnapshots(root: string, rows: number, count: number): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const dirs = Array.from({ length: count }, (_, at) => join(root, String(at + 1)))
  for (const [at, dir] of dirs.entries()) {
    await mkdir(dir, { recursive: true })
    for (let day = 0; day < DAYS; day += 1) {
      const file = join(dir, `day-${String(day).padStart(2, '0')}.parquet`)
      if (!existsSync(file))
        await connection.run(`COPY (${sqlRows(rows, day, at + 1)}) TO '${file}' (FORMAT parquet)`)
    }
  }
  connection.closeSync()
  instance.closeSync()
  return dirs
}
