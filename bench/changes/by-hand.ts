/** The yardsticks in plain DuckDB: its own MERGE, or a script that has been told which days changed. One child process. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { openDuckDb } from '../open-duckdb.ts'
import { type Settings, serveSide, startWatch, type Work } from '../side.ts'
import { DAYS, dateOf } from './data.ts'

const KEY = ['date', 'product_id', 'store_id', 'attribute_id']
const COLUMNS = [...KEY, 'attr_value', 'update_id'].join(', ')
const SAME = KEY.map(name => `l.${name} = s.${name}`).join(' AND ')

const MERGE = `
  MERGE INTO staging s USING landing l ON ${SAME}
  WHEN MATCHED AND l.attr_value IS DISTINCT FROM s.attr_value THEN UPDATE SET attr_value = l.attr_value, update_id = l.update_id
  WHEN NOT MATCHED THEN INSERT (${COLUMNS}) VALUES (${COLUMNS.split(', ').map(name => `l.${name}`)})`

function sqlDays(changed: readonly number[]): string {
  return `date IN (${changed.map(day => `DATE '${dateOf(day)}'`).join(', ')})`
}

const sqlCount = (where: string) => `
  SELECT sum(copies), count(*), count(*) FILTER (copies > 1)
  FROM (SELECT count(*) AS copies FROM landing WHERE ${where} GROUP BY ${KEY})`

const sqlMerged = (where: string) => `
  CREATE TABLE merged AS SELECT ${COLUMNS} FROM landing WHERE ${where}
  UNION ALL SELECT ${COLUMNS} FROM (FROM staging WHERE ${where}) s ANTI JOIN (FROM landing WHERE ${where}) l ON ${SAME}`

/** Statements for the days that changed: keys counted, as Freshet does, then swapped in one transaction. */
function script(changed: readonly number[]): string[] {
  if (changed.length === 0) return []
  if (changed.length === DAYS)
    return [sqlCount('true'), sqlMerged('true'), 'DROP TABLE staging', 'ALTER TABLE merged RENAME TO staging']
  const where = sqlDays(changed)
  return [
    sqlCount(where),
    sqlMerged(where),
    'BEGIN TRANSACTION',
    `DELETE FROM staging WHERE ${where}`,
    `INSERT INTO staging SELECT ${COLUMNS} FROM merged`,
    'COMMIT',
    'DROP TABLE merged',
  ]
}

async function timed(connection: DuckDBConnection, statements: readonly string[]) {
  const watch = startWatch()
  for (const statement of statements) await connection.runAndReadAll(statement)
  return watch()
}

async function open(settings: Settings): Promise<Work> {
  const { name = '', steps } = settings
  const { connection, countStaging, close } = await openDuckDb(settings, name)
  let isFirst = true
  return {
    async take(dir) {
      const { changed } = steps?.find(step => step.dir === dir) ?? { changed: [] }
      const id = Number(dir.split('/').at(-1))
      const load = await timed(connection, [
        `CREATE TABLE landing AS SELECT *, ${id}::BIGINT AS update_id FROM read_parquet('${dir}/*.parquet')`,
        'CHECKPOINT',
      ])
      const first = ['CREATE TABLE staging AS FROM landing']
      const spent = await timed(connection, isFirst ? first : name === 'merge' ? [MERGE] : script(changed))
      isFirst = false
      await connection.run('DROP TABLE landing')
      return { ...spent, loadSeconds: load.seconds, rows: await countStaging() }
    },
    close,
  }
}

await serveSide(open)
