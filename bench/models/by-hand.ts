/** The yardstick of one model in plain DuckDB. One child process. */
import { openDuckDb } from '../open-duckdb.ts'
import { type Settings, serveSide, startWatch, type Work } from '../side.ts'
import { MODEL_CASES } from './cases.ts'

async function open(settings: Settings): Promise<Work> {
  const { name = '' } = settings
  const given = MODEL_CASES.find(one => `${one.name}-by-hand` === name)
  if (!given) throw new Error(`no model ${name}`)
  const { connection, countStaging, close } = await openDuckDb(settings, name)
  let isFirst = true
  return {
    async take(dir) {
      const batch = given.snapshotColumn ? `, ${Number(dir.split('/').at(-1))}::BIGINT AS batch` : ''
      const load = startWatch()
      await connection.run(`CREATE TABLE landing AS SELECT *${batch} FROM read_parquet('${dir}/*.parquet')`)
      await connection.run('CHECKPOINT')
      const loadSeconds = load().seconds
      const watch = startWatch()
      const statements = isFirst ? ['CREATE TABLE staging AS FROM landing'] : given.byHand
      for (const statement of statements) await connection.runAndReadAll(statement)
      const spent = watch()
      isFirst = false
      await connection.run('DROP TABLE landing')
      return { ...spent, loadSeconds, rows: await countStaging() }
    },
    close,
  }
}

await serveSide(open)
