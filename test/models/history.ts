/** Sends snapshots of changes through handlers and the embedded BigQuery, and reads the target. */
import type { Feed } from '../../functions/feed/feed.ts'
import { type DayShop, openDayShop } from '../support/day-shop.ts'
import { readFeedText } from '../support/plan-case.ts'
import type { Row, Value } from './reference.ts'

export const feedOf = (name: string, table: string, model: string): Feed =>
  readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/*.ndjson
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: ${table}
model: ${model}
gates: { zero_rows: allow, min_rows_vs_last: 0%, duplicate_keys: newest, null_keys: allow, emptied_columns: allow, max_deleted: 100% }
`)

/** Snapshots of one element wait together for the next run; each is applied in the order of the list. */
export type Waiting = readonly (readonly Row[])[]

export const show = (row: Readonly<Record<string, unknown>>, names: readonly string[]): string =>
  names.map(name => String(row[name] ?? null)).join('|')

export async function openHistory() {
  const shop: DayShop = await openDayShop()

  async function readTarget({ table }: Feed): Promise<Record<string, Value>[]> {
    const names = table.columns.map(({ name }) => name)
    const rows = await shop.bigquery.query(
      `SELECT ${names.map(name => `CAST(\`${name}\` AS STRING)`).join(', ')} FROM \`${table.datasetId}.${table.tableId}\``,
      { maxResults: 10_000 },
    )
    return rows.map(cells =>
      Object.fromEntries(names.map((name, at) => [name, (cells[at] as string | null | undefined) ?? null])),
    )
  }

  /** Answers the target's rows and the messages of the runs. */
  async function play(feed: Feed, runs: readonly Waiting[]) {
    const cloud = shop.openCloud(feed)
    let id = 0
    for (const snapshots of runs) {
      for (const rows of snapshots) {
        id += 1
        const lines = rows.map(row => `${JSON.stringify(row)}\n`).join('')
        await cloud.send(`${feed.name}/${id}/a.ndjson`, lines)
        await cloud.send(`${feed.name}/${id}/_DONE`, '')
      }
      await cloud.execute(feed.name, `holder ${id}`)
    }
    return { rows: await readTarget(feed), messages: cloud.messages, cloud }
  }

  return { ...shop, play, readTarget }
}
export type History = Awaited<ReturnType<typeof openHistory>>
