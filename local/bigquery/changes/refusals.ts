/** What a table with streamed upserts and deletes does not take (https://cloud.google.com/bigquery/docs/change-data-capture#limitations). */
import type { Draft } from '../catalogue/draft.ts'
import type { TableEntry } from '../catalogue/entry.ts'
import { invalid, unsupported } from '../errors.ts'
import { spell } from '../names.ts'
import { needsMerge } from './staleness.ts'

/** UPDATE, DELETE and MERGE: BigQuery refuses them. TRUNCATE and the like are not spoken of there, and refused here. */
export function checkNoMutation(project: string, table: TableEntry, statement: string): void {
  if (!table.upserts) return
  const name = spell(project, table)
  if (['update', 'delete', 'merge'].includes(statement)) {
    const words = statement.toUpperCase()
    throw invalid(
      `${words} statements are not supported over table ${name}, which has streamed UPSERT or DELETE changes.`,
      'query',
    )
  }
  throw unsupported(`${statement} of a table that has streamed changes (${name})`)
}

/** Copy, clone and snapshot take the table's own rows: not while changes wait for longer than max_staleness allows. */
export function checkCopyable(project: string, table: TableEntry, draft: Draft): void {
  if (!needsMerge(table, draft)) return
  throw invalid(
    `Table ${spell(project, table)} can't be copied: it has streamed changes that are not applied yet, and is staler than its max_staleness allows.`,
  )
}
