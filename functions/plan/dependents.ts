/** Materialized views of a target: each is of one table, and a publish puts another in its place. */
import type { TableRef } from '../feed/names.ts'

export interface MaterializedView {
  /** `dataset.view` */
  readonly name: string
  readonly query: string
}

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/**
 * The views that read the table; a table is always named with its dataset there. Plain views go by the name and stay
 * right: docs.cloud.google.com/bigquery/docs/materialized-views-create
 */
export function findDependents(
  { datasetId, tableId }: TableRef,
  views: readonly MaterializedView[],
): string[] {
  const path = new RegExp(String.raw`(^|[^\w-])${escapeRegex(`${datasetId}.${tableId}`)}($|[^\w-])`)
  return views.filter(({ query }) => path.test(query.replaceAll('`', ''))).map(({ name }) => name)
}
