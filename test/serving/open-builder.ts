/** What way apart works with, all of it real: the embedded BigQuery, a live Postgres, and one that builds. */
import postgres from 'pg'
import type { Feed } from '../../functions/feed/feed.ts'
import { makeWarehouse } from '../../functions/gcp/bigquery.ts'
import type { Log, OpenDatabase } from '../../functions/gcp/ports.ts'
import { makeOpenDatabase } from '../../functions/gcp/postgres.ts'
import { makeRowsOut } from '../../functions/gcp/rows-out.ts'
import { makeServe } from '../../functions/serving/serve.ts'
import { makeState } from '../../functions/state/state.ts'
import { openBigQuery, project } from '../support/bigquery.ts'
import { makeFakeObjects } from '../support/fake-objects.ts'
import { readFeedText } from '../support/plan-case.ts'
import { startPostgres } from '../support/postgres.ts'
import { createDatasets, realNames } from '../support/real-warehouse.ts'

const silent: Log = { info() {}, warn() {}, error() {}, child: () => silent }

/** With no grace: what is not needed is dropped at once. */
export function apartFeed(table = 'app.items'): Feed {
  const feed = readFeedText(`name: items
source:
  path: items/{snapshot}/*.ndjson
  complete: { marker: "items/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.items
  columns: { id: INT64, seq: INT64, v: STRING }
model: { kind: unique, key: [id], sequence: seq }
serve: [{ postgres: { database: crm, table: ${table}, apart: { database: built, server: builder, reader: reads_builds } } }]
`)
  return { ...feed, serve: (feed.serve ?? []).map(to => ({ ...to, graceSeconds: 0 })) }
}

/** `SELECT` of rows 1 to `rows`, each with `v`. */
export const numbered = (rows: number, v: string) =>
  `SELECT id, 1 AS seq, CONCAT('${v}', CAST(id AS STRING)) AS v FROM UNNEST(GENERATE_ARRAY(1, ${rows})) AS id`

async function connect(url: string): Promise<postgres.Client> {
  const client = new postgres.Client({ connectionString: url })
  await client.connect()
  return client
}

/** The administrator's part: docs/serving.md has the same statements. */
async function prepare(live: postgres.Client, builder: postgres.Client, port: number): Promise<void> {
  await builder.query('CREATE ROLE reads_builds LOGIN')
  await live.query(`
    CREATE EXTENSION postgres_fdw;
    CREATE SERVER builder FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${port}', dbname 'postgres');
    CREATE USER MAPPING FOR PUBLIC SERVER builder OPTIONS (user 'reads_builds', password_required 'false');
    CREATE SCHEMA app;
    CREATE ROLE app_reader;
    GRANT USAGE ON SCHEMA app TO app_reader;`)
}

export async function openBuilder() {
  const [bigquery, primary, second] = await Promise.all([openBigQuery(), startPostgres(), startPostgres()])
  await createDatasets(bigquery, 'shop')
  const [live, builder] = [await connect(primary.urlOf()), await connect(second.urlOf())]
  await prepare(live, builder, second.port)
  const objects = makeFakeObjects()
  const state = makeState(objects, 'state', () => 0)
  const clients = { projectId: project, apiEndpoint: bigquery.url }
  const open = makeOpenDatabase({
    FRESHET_POSTGRES_CRM: primary.urlOf(),
    FRESHET_POSTGRES_BUILT: second.urlOf(),
  })
  return {
    live,
    builder,
    connectLive: () => connect(primary.urlOf()),
    /** Makes a rollback point of a query's rows. */
    async addPoint(name: string, rows: string): Promise<void> {
      await bigquery.query(`CREATE TABLE staging.${name} AS ${rows}`)
    },
    /** From now on this is what the target shows. */
    show(name: string): void {
      const rollbackPoint = { projectId: project, datasetId: 'staging', tableId: name }
      const last = { run: '0123456789abcdef', newest: '1', rows: 1, rollbackPoint }
      objects.put('state', 'items/lease.json', JSON.stringify({ until: '2026-12-01T00:00:00.000Z', last }))
    },
    async serve(feed = apartFeed(), openDatabase: OpenDatabase = open) {
      const feeds = new Map([[feed.name, feed]])
      const warehouse = makeWarehouse(clients)
      const rowsOut = makeRowsOut(clients)
      const sleep = async () => {}
      const deps = { feeds, state, warehouse, rowsOut, openDatabase, names: realNames, log: silent, sleep }
      return (await makeServe(deps)(feed.name))[0]
    },
    open,
    async close() {
      await Promise.all([live.end(), builder.end()])
      await Promise.all([bigquery.close(), primary.close(), second.close()])
    },
  }
}
export type OpenBuilder = Awaited<ReturnType<typeof openBuilder>>
