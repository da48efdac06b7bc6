/** What a plan depends on, read from BigQuery's metadata and held against the feed before anything is loaded. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import { checkStaging, checkTarget } from '../plan/fit.ts'
import type { LandedObjects, RunState } from '../plan/run-plan.ts'
import { stagingOf, targetOf } from '../plan/tables.ts'
import type { HeldLease } from '../state/lease.ts'
import type { LastRefresh } from '../state/records.ts'
import type { Deps } from './deps.ts'

/** Freshet's own datasets hold its own tables: a target there could be a staging table. */
function checkDataset({ names }: Deps, { name, table: { datasetId } }: Feed): void {
  if (datasetId !== names.staging && datasetId !== names.landing) return
  throw new FreshetError({
    code: 'bad-config',
    message: `The target of ${name} is in ${datasetId}, which Freshet keeps for its own tables.`,
    hint: 'Serve from another dataset.',
  })
}

/** A clone stays in its region: docs.cloud.google.com/bigquery/docs/table-clones-intro#limitations */
async function checkServing({ warehouse, names }: Deps, feed: Feed): Promise<void> {
  const { datasetId } = feed.table
  const location = await warehouse.readLocation({ projectId: names.projectId, datasetId })
  if (location?.toLowerCase() === names.location.toLowerCase()) return
  throw new FreshetError({
    code: 'bad-config',
    message: location
      ? `The dataset ${datasetId} of ${feed.name} is in ${location}, Freshet's own are in ${names.location}.`
      : `The dataset ${datasetId} of ${feed.name} is not there.`,
    hint: `Make a dataset ${location ? 'of another name ' : ''}in ${names.location} and grant it as \`pulumi up\` does.`,
  })
}

/** Only where paths name partitions is the record of the last run worth a request. */
async function readLanded(deps: Deps, feed: Feed, { run }: LastRefresh): Promise<LandedObjects | undefined> {
  if (!feed.source.path.text.includes('{partition}')) return undefined
  const record = await deps.state.readRun(feed.name, run)
  const { objects } = record?.plan ?? {}
  const rows = record?.applied?.landed
  if (!objects || !rows) return undefined
  const partitions = Object.entries(objects.contents).flatMap(([start, content]) => {
    const count = rows[start]
    return count === undefined ? [] : [[start, { content, rows: count }] as const]
  })
  return { layout: objects.layout, partitions: Object.fromEntries(partitions) }
}

/** Throws `FreshetError` when a table is not one that the run may write, before its first job. */
export async function readRunState(deps: Deps, feed: Feed, held: HeldLease): Promise<RunState> {
  checkDataset(deps, feed)
  const [staging, target] = await Promise.all([
    deps.warehouse.readTable(stagingOf(feed, deps.names)),
    deps.warehouse.readGoverned(targetOf(feed, deps.names)),
  ])
  if (staging) checkStaging(feed, staging)
  if (target) checkTarget(feed, target)
  else await checkServing(deps, feed)
  const { last } = held.lease
  return {
    warehouse: deps.names,
    ...(staging && { staging: { rows: staging.rows, columns: staging.columns } }),
    ...(target && { target: target.governance }),
    ...(last && { last: { ...last, landed: await readLanded(deps, feed, last) } }),
  }
}
