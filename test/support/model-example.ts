/** Reads the examples of docs/models.md, and sends each through the handlers and the embedded BigQuery. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import type { Feed } from '../../functions/feed/feed.ts'
import type { OpenBigQuery } from './bigquery.ts'
import { makeFakeCloud } from './fake-cloud.ts'
import { readFeedText } from './plan-case.ts'
import { makeRealWarehouse, realNames } from './real-warehouse.ts'

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const example = z.strictObject({
  /** Such as `duplicate`; names the feed and its table. */
  example: z.string(),
  columns: z.record(z.string(), z.string()),
  partition: z.unknown().optional(),
  model: z.record(z.string(), z.unknown()),
  refresh: z.unknown().optional(),
  gates: z.record(z.string(), z.unknown()).optional(),
  /** In their order: a snapshot's id and its rows, each in the order of the columns. */
  sent: z.array(z.record(z.string(), z.array(z.array(cell)))),
  /** Of each delivery; `refreshed` where it is left out. */
  status: z.array(z.string()).optional(),
  /** Asked of the target instead of its rows; it is called TABLE. */
  query: z.string().optional(),
  /** What the target has in the end; its columns are those above and the snapshot's. */
  result: z.array(z.array(cell)),
})
export type ModelExample = z.infer<typeof example>

const ROOT = join(import.meta.dirname, '../..')

/** Every YAML block that begins with `example:`. */
export function readExamples(): ModelExample[] {
  const texts = ['docs/models.md', ...globSync('docs/models/*.md', { cwd: ROOT })].map(path =>
    readFileSync(join(ROOT, path), 'utf8'),
  )
  return texts
    .flatMap(text => [...text.matchAll(/```yaml\n(example: .*?)```/gs)].map(match => match[1] ?? ''))
    .map(text => example.parse(parse(text)))
}

export function feedOfExample({
  example: name,
  columns,
  partition,
  model,
  refresh,
  gates,
}: ModelExample): Feed {
  const partitioned = partition === undefined ? {} : { partition }
  return readFeedText(
    stringify({
      name,
      source: {
        path: `${name}/{snapshot}/*.ndjson`,
        complete: { marker: `${name}/{snapshot}/_DONE` },
        format: 'ndjson',
      },
      table: { name: `shop.${name.replaceAll('-', '_')}`, columns, ...partitioned },
      model,
      ...(refresh !== undefined && { refresh }),
      gates: { min_rows_vs_last: '0%', outside_window: 'allow', emptied_columns: 'allow', ...gates },
    }),
  )
}

/** What became of each delivery, and the target's rows. */
export async function runExample(bigquery: OpenBigQuery, given: ModelExample) {
  const feed = feedOfExample(given)
  const cloud = makeFakeCloud([feed], undefined, objects => makeRealWarehouse(bigquery, objects), realNames)
  const names = Object.keys(given.columns)
  const statuses: string[] = []
  for (const [at, delivery] of given.sent.entries()) {
    const told = cloud.messages.length
    for (const [id, rows] of Object.entries(delivery)) {
      const lines = rows.map(row =>
        JSON.stringify(Object.fromEntries(names.map((name, i) => [name, row[i]]))),
      )
      await cloud.send(`${feed.name}/${id}/a.ndjson`, `${lines.join('\n')}\n`)
      await cloud.send(`${feed.name}/${id}/_DONE`, '')
    }
    await cloud.execute(feed.name, `holder ${at}`)
    statuses.push(
      cloud.messages
        .slice(told)
        .map(({ status }) => status)
        .join(', '),
    )
  }
  const columns = feed.table.columns.map(({ name }) => `CAST(\`${name}\` AS STRING)`).join(', ')
  const table = `\`${feed.table.datasetId}.${feed.table.tableId}\``
  const rows = await bigquery.query(
    (given.query ?? `SELECT ${columns} FROM TABLE`).replaceAll('FROM TABLE', `FROM ${table}`),
  )
  return { statuses, rows, cloud, feed }
}
