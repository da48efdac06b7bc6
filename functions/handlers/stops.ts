/** What stops a run before its rows are judged: replaced objects, a staging that others wrote, a publish that would lose something. */
import type { Feed } from '../feed/feed.ts'
import { findDependents } from '../plan/dependents.ts'
import { findHiddenRows, findLosses, type Governance } from '../plan/governance.ts'
import { describeMeddling } from '../plan/meddled.ts'
import type { RunPlan } from '../plan/run-plan.ts'
import { describeTooMany, mayBeTooMany, planCountPartitions } from '../plan/stages/count-partitions.ts'
import { stagingOf } from '../plan/tables.ts'
import type { Finding } from '../plan/verdict.ts'
import type { LastRefresh } from '../state/records.ts'
import type { Deps } from './deps.ts'

/** An object that was replaced while it was loaded may have been read half old, half new. */
async function findReplaced(deps: Deps, feed: Feed, { snapshots, uriLists }: RunPlan): Promise<Finding[]> {
  const findings = await Promise.all(
    snapshots.map(async ({ id }): Promise<Finding | undefined> => {
      const planned = uriLists.filter(({ snapshot }) => snapshot === id).flatMap(({ files }) => files)
      const listed = await deps.objects.list(deps.names.inbox, feed.source.path.prefix(id))
      const live = new Map(listed.map(({ name, generation }) => [name, generation]))
      const replaced = planned.find(({ name, generation }) => live.get(name) !== generation)
      if (!replaced) return undefined
      const what = live.has(replaced.name) ? 'was replaced' : 'was removed'
      return {
        snapshot: id,
        kind: 'rejected',
        reason: `object ${replaced.name} ${what} while the snapshot was loaded`,
        hint: 'Send the snapshot again; its files must not change once it is complete.',
      }
    }),
  )
  return findings.filter(finding => finding !== undefined)
}

const NOTHING: Governance = { labels: {}, columns: [], foreignKeys: [], rowAccessPolicies: [] }

const GOVERN_STAGING =
  'Put it on the staging table as well, from where each publish takes it; then approve the snapshot.'
/** Freshet reads staging as a whole, and can't tell whether a policy lets it. */
const HIDE_IN_A_VIEW =
  'Drop it, and let an authorized view over the target hide those rows: a view outlives every publish. Then approve the snapshot.'

/** A materialized view is bound to the table that it was made of, not to its name. */
async function findBroken(deps: Deps, { table, governance }: RunPlan): Promise<string[]> {
  if (!governance) return []
  const { projectId, datasetId } = table
  const views = await deps.warehouse.readMaterializedViews({ projectId, datasetId })
  return findDependents(table, views).map(name => `the materialized view ${name}`)
}

/** A publish that would take something from whoever governs the target is refused before anything is touched. */
async function findUngoverned(deps: Deps, feed: Feed, plan: RunPlan): Promise<Finding[]> {
  const { snapshots, governance } = plan
  const [staging, broken] = await Promise.all([
    deps.warehouse.readGoverned(stagingOf(feed, deps.names)),
    findBroken(deps, plan),
  ])
  const source = staging?.governance ?? NOTHING
  const losses = governance ? findLosses(governance, source) : []
  const stop = (reason: string, hint: string) =>
    snapshots.map(({ id }): Finding => ({ snapshot: id, kind: 'held', reason, hint }))
  const hidden = findHiddenRows(source)
  if (hidden !== undefined) return stop(hidden, HIDE_IN_A_VIEW)
  const policed = losses.some(loss => loss.startsWith('the row access policy'))
  if (losses.length > 0)
    return stop(`the publish would lose ${losses.join(', ')}`, policed ? HIDE_IN_A_VIEW : GOVERN_STAGING)
  if (broken.length === 0) return []
  return stop(
    `the publish would break ${broken.join(', ')}`,
    'Drop it, or make it a plain view; then approve the snapshot.',
  )
}

/** Only a table whose partitions never go can grow beyond what a job writes. */
async function findTooWide(deps: Deps, feed: Feed, { run, snapshots }: RunPlan): Promise<Finding[]> {
  const { partition } = feed.table
  if (!partition || partition.keepDays !== undefined) return []
  const tables = [stagingOf(feed, deps.names), ...snapshots.map(({ landing }) => landing)]
  const facts = await Promise.all(tables.map(table => deps.warehouse.readTable(table)))
  if (!mayBeTooMany(facts.map(fact => fact?.partitions))) return []
  const { jobReference, configuration } = planCountPartitions({ feed, run, warehouse: deps.names }, tables)
  // It only reads: each time it is asked it is a new job, so that a failed one spends no id.
  const jobId = `${jobReference.jobId}_${deps.now()}`
  const [row] = await deps.warehouse.runQuery({ configuration, jobReference: { ...jobReference, jobId } })
  const wide = describeTooMany(feed, Number(row?.partitions ?? 0))
  return wide ? snapshots.map(({ id }): Finding => ({ snapshot: id, kind: 'rejected', ...wide })) : []
}

/** A person who approves a snapshot has seen the staging that it goes to. */
function findMeddled(
  feed: Feed,
  { snapshots, rowsBefore }: RunPlan,
  last: LastRefresh | undefined,
): Finding[] {
  const reason = describeMeddling(feed, rowsBefore, last?.published)
  if (reason === undefined || !last) return []
  const hint = `Did something else write it? \`freshet rollback ${feed.name} ${last.newest}\` puts back what was published; then approve the snapshot. To approve without it keeps staging as it is.`
  return snapshots
    .filter(({ approved }) => !approved)
    .map(({ id }): Finding => ({ snapshot: id, kind: 'held', reason, hint }))
}

/** The first kind that is found; empty when the rows may be judged. */
export async function findStops(
  deps: Deps,
  feed: Feed,
  plan: RunPlan,
  last: LastRefresh | undefined,
): Promise<Finding[]> {
  const looks = [
    () => findReplaced(deps, feed, plan),
    () => findUngoverned(deps, feed, plan),
    async () => findMeddled(feed, plan, last),
    () => findTooWide(deps, feed, plan),
  ]
  for (const look of looks) {
    const findings = await look()
    if (findings.length > 0) return findings
  }
  return []
}
