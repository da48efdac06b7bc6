/** The yardstick: DuckDB's own MERGE of the loaded snapshot into one table. One child process. */
import { openDuckDb } from '../open-duckdb.ts'
import { type Settings, serveSide, startWatch, type Work } from '../side.ts'

const MERGE = `
  MERGE INTO staging s USING landing l ON l.name = s.name
  WHEN MATCHED AND l.repo IS DISTINCT FROM s.repo THEN UPDATE SET repo = l.repo, snapshot = l.snapshot
  WHEN NOT MATCHED THEN INSERT (name, repo, snapshot) VALUES (l.name, l.repo, l.snapshot)`

async function open(settings: Settings): Promise<Work> {
  const { connection, countStaging, close } = await openDuckDb(settings, 'merge')
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
      return { ...taken, loadSeconds, rows: await countStaging() }
    },
    close,
  }
}

await serveSide(open)
