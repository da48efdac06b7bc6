/** Makes the tables of the bench in a dataset of its own, runs each formulation on them, and drops all of it. */
import { randomBytes } from 'node:crypto'
import type { BigQuery } from '@google-cloud/bigquery'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseRunId } from '../../functions/feed/names.ts'
import { sql } from '../../functions/plan/sql.ts'
import { sqlPrints } from '../../functions/plan/strategies/changed-partitions/inspect.ts'
import { sqlMake } from './data.ts'
import { sqlFormulations, sqlSwap } from './formulations.ts'
import { type Cost, makeRunJob } from './job.ts'

export interface Settings {
  readonly feed: Feed
  readonly project: string
  readonly location: string
  readonly rows: number
  readonly runs: number
}
export type Costs = ReadonlyMap<string, readonly Cost[]>

function namesIn(project: string, datasetId: string) {
  const table = (tableId: string) => ({ projectId: project, datasetId, tableId })
  const [staging, landing, prints] = [table('staging'), table('landing'), table('prints')]
  /** What a formulation makes: a table of its own, or a clone of staging that it changes. */
  return { staging, landing, prints, made: table('made'), clone: table('clone') }
}

function contextOf({ feed, project, location }: Settings, datasetId: string) {
  const run = parseRunId('0123456789abcdef')
  if (!run) throw new Error('no run id')
  return {
    feed,
    run,
    warehouse: { projectId: project, location, landing: datasetId, staging: datasetId, inbox: '' },
  }
}

async function measureRound(
  bigquery: BigQuery,
  settings: Settings,
  datasetId: string,
  note: (name: string, cost: Cost) => void,
) {
  const runJob = makeRunJob(bigquery)
  const { feed } = settings
  const { staging, landing, prints, made, clone } = namesIn(settings.project, datasetId)
  const context = contextOf(settings, datasetId)
  note('fingerprints', await runJob(sqlPrints(context, landing).text, prints))
  const renew = () => runJob(sql`CREATE OR REPLACE TABLE ${clone} CLONE ${staging}`.text)
  const counts = new Set<string>()
  for (const { name, kind, sqlOver } of sqlFormulations(feed, landing)) {
    const old = kind === 'rows' ? staging : clone
    if (kind === 'change') await renew()
    note(name, await runJob(sqlOver(old).text, kind === 'rows' ? made : undefined))
    const [metadata] = await bigquery
      .dataset(datasetId)
      .table(kind === 'rows' ? 'made' : 'clone')
      .getMetadata()
    counts.add(String(metadata.numRows))
  }
  if (counts.size !== 1) throw new Error(`the formulations come to ${[...counts].join(', ')} rows`)
  await renew()
  note('swap of 2 partitions', await runJob(sqlSwap(feed, clone, landing, 2).text))
}

/** Interleaved, so that a busy hour meets all. The dataset goes, whatever happens; were it not to, its tables last a day. */
export async function measure(bigquery: BigQuery, settings: Settings): Promise<Costs> {
  const datasetId = `freshet_bench_${randomBytes(4).toString('hex')}`
  const costs = new Map<string, Cost[]>()
  const { staging, landing } = namesIn(settings.project, datasetId)
  const runJob = makeRunJob(bigquery)
  await bigquery.createDataset(datasetId, {
    location: settings.location,
    defaultTableExpirationMs: '86400000',
  })
  try {
    await runJob(sqlMake(staging, settings.rows, 1).text)
    await runJob(sqlMake(landing, settings.rows, 2).text)
    for (let round = 0; round < settings.runs; round += 1)
      await measureRound(bigquery, settings, datasetId, (name, cost) =>
        costs.set(name, [...(costs.get(name) ?? []), cost]),
      )
  } finally {
    await bigquery.dataset(datasetId).delete({ force: true })
  }
  return costs
}
