/** A shop's table of days, kept fresh through the embedded BigQuery: feeds of either strategy, and their deliveries. */
import type { Feed } from '../../functions/feed/feed.ts'
import { openBigQuery } from './bigquery.ts'
import { makeFakeCloud } from './fake-cloud.ts'
import type { Gate } from './fake-objects.ts'
import { readFeedText } from './plan-case.ts'
import { createDatasets, makeRealWarehouse, realNames } from './real-warehouse.ts'

export interface Settings {
  readonly name: string
  readonly strategy: 'rewrite' | 'changed-partitions'
  readonly missing: 'keep' | 'delete'
  readonly sequence: 'column' | 'snapshot'
  readonly partition?: string
  readonly type?: 'DATE' | 'TIMESTAMP' | 'DATETIME'
  readonly duplicates?: 'newest' | 'hold'
}
export interface Item {
  readonly day: string | null
  readonly id: number
  readonly seq: number
  readonly v: string
}

export function feedOf({
  name,
  strategy,
  missing,
  sequence,
  partition = 'day',
  type = 'DATE',
  duplicates = 'newest',
}: Settings): Feed {
  return readFeedText(`name: ${name}
source:
  path: ${name}/{snapshot}/*.ndjson
  complete: { marker: "${name}/{snapshot}/_DONE" }
  format: ndjson
table:
  name: shop.${name.replaceAll('-', '_')}
  columns: { day: ${type}, id: INT64, ${sequence === 'column' ? 'seq: INT64, ' : ''}v: STRING }
  partition: { by: day, every: ${partition} }
model:
  kind: unique
  key: [day, id]
  sequence: ${sequence === 'column' ? 'seq' : '{ from: snapshot, as: seq }'}
  missing_rows: ${missing}
refresh: { strategy: ${strategy} }
gates: { zero_rows: allow, min_rows_vs_last: 0%, duplicate_keys: ${duplicates}, null_keys: allow, null_partitions: allow, outside_window: allow, emptied_columns: allow, max_deleted: 100% }
`)
}

export const item = (day: string | null, id: number, v = 'a', seq = 1): Item => ({ day, id, seq, v })
export const [d1, d2, d3, d4] = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']
const days = [d1, d2, d3, d4].map(day => [item(day, 1), item(day, 2)])
export const base = days.flat()

export const encode = (items: readonly Item[], withSequence: boolean) =>
  items.map(({ seq, ...item }) => `${JSON.stringify(withSequence ? { ...item, seq } : item)}\n`).join('')

/** One embedded BigQuery for the tests of a file; each feed has a name, and so tables, of its own. */
export async function openDayShop() {
  const bigquery = await openBigQuery()
  await createDatasets(bigquery, 'shop')
  let serial = 0
  const nextName = () => `items-${++serial}`
  const openCloud = (feed: Feed, gate?: Gate) =>
    makeFakeCloud([feed], gate, objects => makeRealWarehouse(bigquery, objects), realNames)
  const readRows = async ({ table }: Feed, columns = 'CAST(day AS STRING), id, v') =>
    (
      await bigquery.query(`SELECT ${columns} FROM \`${table.datasetId}.${table.tableId}\``, {
        maxResults: 10_000,
      })
    )
      .map(cells => cells.join('|'))
      .sort()

  return { bigquery, nextName, openCloud, readRows, close: () => bigquery.close() }
}
export type DayShop = Awaited<ReturnType<typeof openDayShop>>
export type DayCloud = ReturnType<DayShop['openCloud']>

export async function send(cloud: DayCloud, feed: Feed, id: number, items: readonly Item[]): Promise<void> {
  await cloud.send(`${feed.name}/${id}/a.ndjson`, encode(items, feed.model.sequence.from === 'column'))
  await cloud.send(`${feed.name}/${id}/_DONE`, '')
}

export const showItems = (items: readonly Item[]): string[] =>
  items.map(({ day, id, v }) => `${day}|${id}|${v}`).sort()
