/** The staging table of a feed as the BigQuery API describes it; functions/plan/tables.ts writes the same as SQL. */
import { baseType } from '../functions/feed/column-type.ts'
import type { Column, Feed } from '../functions/feed/feed.ts'

/** `-` is no good in table names that people type. */
export const tableNameOf = (feed: { readonly name: string }): string => feed.name.replaceAll('-', '_')

const DAY_MS = 86_400_000

/** The API's own names: others would differ at every preview. */
const API_TYPES: Readonly<Record<string, string>> = { INT64: 'INTEGER', FLOAT64: 'FLOAT', BOOL: 'BOOLEAN' }

/** A type's parameters stand apart from its name. */
function fieldOf({ name, type, description }: Column) {
  const base = baseType(type)
  const [first, second] =
    /\((.*)\)/
      .exec(type)?.[1]
      ?.split(',')
      .map(part => part.trim()) ?? []
  const long = base === 'STRING' || base === 'BYTES'
  return {
    name,
    type: API_TYPES[base] ?? base,
    mode: 'NULLABLE',
    ...(description !== undefined && { description }),
    ...(first !== undefined && (long ? { maxLength: first } : { precision: first })),
    ...(second !== undefined && { scale: second }),
  }
}

function partitioningOf({ table: { partition } }: Feed) {
  if (!partition) return {}
  const { by, every, keepDays } = partition
  return {
    timePartitioning: {
      type: every.toUpperCase(),
      field: by,
      ...(keepDays !== undefined && { expirationMs: keepDays * DAY_MS }),
    },
  }
}

/**
 * It names no primary key: BigQuery takes one at its word, and where others write here it would be untrue.
 * docs.cloud.google.com/bigquery/docs/primary-foreign-keys
 */
export function stagingTableOf(feed: Feed) {
  const { cluster, columns, datasetId, tableId } = feed.table
  return {
    tableId: tableNameOf(feed),
    description: `Every row of ${datasetId}.${tableId}, kept by Freshet. Query the served table instead.`,
    schema: JSON.stringify(columns.map(fieldOf)),
    ...partitioningOf(feed),
    ...(cluster.length > 0 && { clusterings: [...cluster] }),
    labels: { freshet_feed: feed.name },
  }
}
