/** The yardstick of one model in plain DuckDB. One child process. */
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Settings, serveSide, startWatch, type Work } from '../side.ts'
import { MODEL_CASES } from './cases.ts'

async function open({ work, threads, memoryLimit, name }: Settings): Promise<Work> {
  const given = MODEL_CASES.find(one => `${one.name}-by-hand` === name)
  if (!given) throw new Error(`no model ${name}`)
  const instance = await DuckDBInstance.create(join(work, `${name}.duckdb`), {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: join(work, `${name}.tmp`),
    preserve_insertion_order: 'false',
  })
  const connection = await instance.connect()
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
      const counted = await connection.runAndReadAll('SELECT count(*) FROM staging')
      return { ...spent, loadSeconds, rows: Number(counted.getRows()[0]?.[0]) }
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

await serveSide(open)
