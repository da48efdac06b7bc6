/** Reads how a table is laid out from the API's metadata. docs.cloud.google.com/bigquery/docs/reference/rest/v2/tables */
import type { TableLayout } from '../plan/fit.ts'

export interface LayoutMetadata {
  readonly type?: string
  readonly timePartitioning?: { readonly type?: string; readonly field?: string }
  readonly rangePartitioning?: { readonly field?: string }
  readonly clustering?: { readonly fields?: readonly string[] }
}

function partitionOf({ timePartitioning, rangePartitioning }: LayoutMetadata): TableLayout['partition'] {
  if (rangePartitioning) return { by: rangePartitioning.field ?? '', every: 'range' }
  if (!timePartitioning) return undefined
  const { type = 'DAY', field = '_PARTITIONTIME' } = timePartitioning
  return { by: field, every: type.toLowerCase() }
}

export function parseLayout(metadata: LayoutMetadata): TableLayout {
  const partition = partitionOf(metadata)
  return {
    kind: metadata.type ?? 'TABLE',
    ...(partition && { partition }),
    cluster: metadata.clustering?.fields ?? [],
  }
}
