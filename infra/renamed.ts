/** A renamed feed: its rows are copied into the new staging table, once; the old table stays where it is. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Stack } from './stack.ts'
import { tableNameOf } from './staging-table.ts'
import type { Warehouse } from './warehouse.ts'

/** What is wrong with `freshet:renamed`, as sentences. */
export function findRenameProblems({ settings, feeds }: Pick<Stack, 'settings' | 'feeds'>): string[] {
  const names = new Set<string>(feeds.map(({ name }) => name))
  return Object.entries(settings.renamed).flatMap(([now, before]) => [
    ...(names.has(now)
      ? []
      : [`freshet:renamed names the feed ${now}, which is not there; write it as new name → old name`]),
    ...(names.has(before)
      ? [`freshet:renamed says that ${before} is now ${now}, but there still is a feed ${before}`]
      : []),
  ])
}

export class Renamed extends pulumi.ComponentResource {
  constructor(stack: Stack, { staging, stagingTables }: Warehouse, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Renamed', 'renamed', {}, opts)
    const { project, location, renamed } = stack.settings
    for (const [now, before] of Object.entries(renamed)) {
      const table = stagingTables.get(now)
      if (!table) continue
      const source = {
        projectId: project,
        datasetId: staging.datasetId,
        tableId: tableNameOf({ name: before }),
      }
      new gcp.bigquery.Job(
        `rename-${now}`,
        {
          project,
          location,
          jobId: `${stack.names.prefix}-rename-${before}-to-${now}`,
          copy: {
            sourceTables: [source],
            destinationTable: { projectId: project, datasetId: staging.datasetId, tableId: table.tableId },
            createDisposition: 'CREATE_NEVER',
            // A second copy would fail rather than double the rows.
            writeDisposition: 'WRITE_EMPTY',
          },
        },
        { parent: this, retainOnDelete: true },
      )
    }
    this.registerOutputs({})
  }
}
