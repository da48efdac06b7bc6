/** The embedded BigQuery against DuckDB by hand: load, inspect and deduplicate the same files. `node bench/bigquery.ts [rows] [parquet|ndjson]` */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { startBigQuery } from '../local/bigquery/index.ts'
import { type ObjectFile, systemClock } from '../local/service.ts'

const rows = Number(process.argv[2] ?? 5_000_000)
const format = process.argv[3] === 'ndjson' ? 'ndjson' : 'parquet'
const memory = process.argv[4] ?? '8GB'
const dir = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), 'freshet-bench-'))
const names = ['date', 'product_id', 'store_id', 'attribute_id', 'attr_value', 'update_id']
const key = names.slice(0, 4).join(', ')
const inspect = `SELECT SUM(copies) AS row_count, COUNT(*) AS key_count, COUNTIF(copies > 1) AS duplicates FROM (SELECT ${key}, COUNT(*) AS copies FROM d.landing GROUP BY ${key})`
const deduplicate = `SELECT ${names.join(', ')} FROM d.landing QUALIFY ROW_NUMBER() OVER (PARTITION BY ${key} ORDER BY update_id DESC, attr_value DESC) = 1`

/** What is looked at of a job's answer. */
interface Job {
  readonly status: { readonly state: string; readonly errorResult?: { readonly message: string } }
  readonly jobReference: { readonly jobId: string }
}

/** Seconds by the clock and on the processors: on a busy machine only the second tells anything. */
async function timed(work: () => Promise<unknown>) {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 }
}

async function write(connection: DuckDBConnection): Promise<string[]> {
  const columns = `DATE '2026-11-01' + (i % 13)::INT AS date, (hash(i) % 300000)::BIGINT AS product_id, (hash(i + 1) % 3000)::BIGINT AS store_id, (i % 20)::BIGINT AS attribute_id, (hash(i + 7) % 1000)::BIGINT AS attr_value, i::BIGINT AS update_id`
  const [ending, options] =
    format === 'parquet' ? ['parquet', 'FORMAT parquet'] : ['json.gz', 'FORMAT json, COMPRESSION gzip']
  mkdirSync(join(dir, 'in'))
  for (let part = 0; part < 4; part++) {
    const path = join(dir, 'in', `${part}.${ending}`)
    await connection.run(
      `COPY (SELECT ${columns} FROM range(${rows}) t(i) WHERE i % 4 = ${part}) TO '${path}' (${options})`,
    )
  }
  return readdirSync(join(dir, 'in')).map(name => join(dir, 'in', name))
}

async function byHand(paths: readonly string[]) {
  const instance = await DuckDBInstance.create(join(dir, 'hand.duckdb'), {
    memory_limit: memory,
    temp_directory: join(dir, 'hand.spill'),
    preserve_insertion_order: 'false',
  })
  const c = await instance.connect()
  const list = `[${paths.map(p => `'${p}'`).join(', ')}]`
  const types =
    "{date: 'DATE', product_id: 'BIGINT', store_id: 'BIGINT', attribute_id: 'BIGINT', attr_value: 'BIGINT', update_id: 'BIGINT'}"
  const read =
    format === 'parquet'
      ? `read_parquet(${list})`
      : `read_json(${list}, format='newline_delimited', columns=${types})`
  const time = await timed(async () => {
    await c.run('CREATE SCHEMA d')
    await c.run(`CREATE TABLE d.landing AS SELECT ${names.join(', ')} FROM ${read}`)
    await c.run(inspect.replace('COUNTIF(copies > 1)', 'count(*) FILTER (copies > 1)'))
    await c.run(`CREATE TABLE d.staging AS ${deduplicate}`)
  })
  c.closeSync()
  instance.closeSync()
  return time
}

async function served(paths: readonly string[]) {
  const files: ObjectFile[] = paths.map((path, i) => ({
    bucket: 'b',
    name: `${i}`,
    generation: '1',
    size: statSync(path).size,
    path,
  }))
  const objects = { find: () => undefined, list: () => files }
  const service = await startBigQuery({
    dir: join(dir, 'served'),
    clock: systemClock,
    project: 'p',
    location: 'US',
    objects,
    memoryLimit: memory,
  })
  const call = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    return (await (await fetch(`${service.url}/bigquery/v2/projects/p${path}`, init)).json()) as Job
  }
  const run = async (configuration: unknown) => {
    let job = await call('POST', '/jobs', { configuration })
    for (;;) {
      const { state, errorResult } = job.status
      if (errorResult) throw new Error(errorResult.message)
      if (state === 'DONE') return
      await new Promise(resolve => setTimeout(resolve, 50))
      job = await call('GET', `/jobs/${job.jobReference.jobId}`)
    }
  }
  const table = (tableId: string) => ({ projectId: 'p', datasetId: 'd', tableId })
  const fields = names.map(name => ({ name, type: name === 'date' ? 'DATE' : 'INT64' }))
  const sourceFormat = format === 'parquet' ? 'PARQUET' : 'NEWLINE_DELIMITED_JSON'
  const timePartitioning = { type: 'DAY', field: 'date' }
  await call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  const step = async (name: string, configuration: unknown) => {
    const { seconds, cpuSeconds } = await timed(() => run(configuration))
    process.stderr.write(`  ${name} ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of processor\n`)
  }
  const time = await timed(async () => {
    await step('load', {
      load: {
        sourceUris: ['gs://b/*'],
        sourceFormat,
        schema: { fields },
        timePartitioning,
        destinationTable: table('landing'),
      },
    })
    await step('inspect', { query: { query: inspect, useLegacySql: false } })
    await step('deduplicate', {
      query: { query: deduplicate, useLegacySql: false, destinationTable: table('staging') },
    })
  })
  await service.close()
  return time
}

const maker = await DuckDBInstance.create(':memory:')
const connection = await maker.connect()
const paths = await write(connection)
connection.closeSync()
maker.closeSync()
const hand = await byHand(paths)
const ours = await served(paths)
rmSync(dir, { recursive: true, force: true })
const limit = hand.seconds * 1.25 + 0.5
const ratio = { seconds: ours.seconds / hand.seconds, cpu: ours.cpuSeconds / hand.cpuSeconds }
process.stdout.write(
  `${JSON.stringify({ rows, format, hand, ours, ratio, within: ours.seconds <= limit })}\n`,
)
