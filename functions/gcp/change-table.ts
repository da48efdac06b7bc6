/** Reads what makes a table one that takes changes out of the API's metadata. */
import { z } from 'zod'
import type { ChangeTableFacts } from '../plan/changes/change-table.ts'
import type { TableFacts } from './ports.ts'

/** docs.cloud.google.com/bigquery/docs/reference/rest/v2/tables */
const metadata = z.object({
  tableConstraints: z
    .object({ primaryKey: z.object({ columns: z.array(z.string()) }).optional() })
    .optional(),
  clustering: z.object({ fields: z.array(z.string()) }).optional(),
  maxStaleness: z.string().optional(),
})

/** BigQuery's canonical form of an INTERVAL, such as `0-0 0 0:15:0`. */
const INTERVAL = /^(\d+)-(\d+) (\d+) (\d+):(\d+):(\d+)(?:\.\d+)?$/

function secondsOf(interval: string): number {
  const parts = INTERVAL.exec(interval)?.slice(1).map(Number)
  if (!parts) throw new Error(`${interval} is no interval of max_staleness`)
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  return (((years * 12 + months) * 30 + days) * 24 + hours) * 3_600 + minutes * 60 + seconds
}

export function parseChangeTable({ rows, columns }: TableFacts, table: unknown): ChangeTableFacts {
  const { tableConstraints, clustering, maxStaleness } = metadata.parse(table)
  return {
    rows,
    columns,
    primaryKey: tableConstraints?.primaryKey?.columns ?? [],
    clustering: clustering?.fields ?? [],
    maxStalenessSeconds: maxStaleness === undefined ? 0 : secondsOf(maxStaleness),
  }
}
