/** Lists the materialized views of a dataset. docs.cloud.google.com/bigquery/docs/reference/rest/v2/tables/list */
import type { BigQuery } from '@google-cloud/bigquery'
import type { MaterializedView } from '../plan/dependents.ts'

interface ViewMetadata {
  readonly materializedView?: { readonly query?: string }
}

/** A list names each table's type, and only the table itself its query. */
export async function readMaterializedViews(
  client: BigQuery,
  { projectId, datasetId }: { readonly projectId: string; readonly datasetId: string },
): Promise<MaterializedView[]> {
  const [tables] = await client.dataset(datasetId, { projectId }).getTables()
  const views = tables.filter(({ metadata }) => metadata.type === 'MATERIALIZED_VIEW')
  return Promise.all(
    views.map(async view => {
      const [metadata]: [ViewMetadata, unknown] = await view.getMetadata()
      return { name: `${datasetId}.${view.id}`, query: metadata.materializedView?.query ?? '' }
    }),
  )
}
