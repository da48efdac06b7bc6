/** The yardstick: DuckDB's own MERGE of the loaded snapshot into one table. One child process. */
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Settings, serveSide, startWatch, type Work } from '../side.ts'

const MERGE = `
  MERGE INTO staging s USING landing l ON l.name = s.name
  WHEN MATCHED AND l.repo IS DISTINCT FROM s.repo THEN UPDATE SET repo = l.repo, snapshot = l.snapshot
  WHEN NOT MATCHED THEN INSERT (name, repo, snapshot) VALUES (l.name, l.repo, l.snapshot)`

async function open({ work, threads, memoryLimit }: Settings): Promise<Work> {
  const instance = await DuckDBInstance.create(join(work, 'merge.duckdb'), {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: join(work, 'merge.tmp'),
    preserve_insertion_order: 'false',
  })
  const connection = await instance.connect()
  await connection.run('CREATE TABLE staging (name VARCHAR, repo VARCHAR, snapshot BIGINT)')
  return {
    async take(dir) {
      const id = Number(dir.split('/').at(-1))
      const load = startWatch()
      await connection.run(
        `CREATE TABLE landing AS SELECT name, repo, ${id}::BIGINT AS snapshot FROM read_json('${dir}/*.ndjson', format = 'newline_delimited', columns = {name: 'VARCHAR', repo: 'VARCHAR'})`,
      )
      const { seconds: loadSeconds } = load()
      const read = startWatch()
      await connection.run(MERGE)
      const taken = read()
      await connection.run('DROP TABLE landing')
      const counted = await connection.runAndReadAll('SELECT count(*) FROM staging')
      return { ...taken, loadSeconds, rows: Number(counted.getRows()[0]?.[0]) }
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

await serveSide(open)
