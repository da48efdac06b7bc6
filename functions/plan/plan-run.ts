/** The planner: what one run does for the snapshots that wait. It knows no client, clock, environment or chance. */
import { FreshetError } from '../errors.ts'
import { type AddedColumn, accumulates, extendFeed, type Feed, ordersArrival } from '../feed/feed.ts'
import { parseIdentifier } from '../feed/names.ts'
import { compareSnapshots } from '../feed/snapshot-id.ts'
import { contentOf, fingerprintOf, hashOf, runIdOf } from './ids.ts'
import type { RunContext } from './job.ts'
import { describeMeddling } from './meddled.ts'
import { checkModel } from './model-kept.ts'
import { modelPlanOf } from './models/index.ts'
import { besideOf } from './models/tombstones.ts'
import type { PendingSnapshot, PlannedSnapshot, RunPlan, RunState, Stage } from './run-plan.ts'
import { planInspect } from './stages/inspect.ts'
import { planLoad, planUriLists } from './stages/load.ts'
import { planAnnounce, planClone, planSave } from './stages/publish.ts'
import { planInspectChanges } from './strategies/changed-partitions/inspect.ts'
import { chooseFiles, planObjects } from './strategies/changed-partitions/unchanged-objects.ts'
import { planAppend, planRestore } from './strategies/rewrite.ts'
import { landingOf, printsOf, rawOf, rollbackPointOf, scratchOf, targetOf } from './tables.ts'

/** A snapshot is a set of files: the order in which a manifest names them changes nothing. */
const sortFiles = (snapshot: PendingSnapshot): PendingSnapshot => ({
  ...snapshot,
  files: snapshot.files.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
})

/** Under keep all that waits is applied at once; under delete only the newest counts. */
function choose(feed: Feed, pending: readonly PendingSnapshot[]) {
  const sorted = pending.map(sortFiles).toSorted((a, b) => compareSnapshots(a.id, b.id, feed.source.snapshot))
  const newest = sorted.at(-1)
  if (!newest) throw new Error('a run needs a snapshot')
  if (feed.model.missingRows === 'keep') return { snapshots: sorted, superseded: [] }
  return { snapshots: [newest], superseded: sorted.slice(0, -1) }
}

/** Rows that stay as they are keep the id of an older snapshot: from then on it tells their age no more. */
function ageIsLost({ model, refresh }: Feed, { last }: RunState): boolean {
  const { from, columns } = model.sequence
  if (model.kind === 'aggregate') return ordersArrival(model)
  if (model.kind !== 'unique' || model.replacePartitions) return false
  if (from === 'column') return columns.length === 0
  return refresh.strategy === 'changed-partitions' || last?.skipped === true
}

/**
 * Snapshots that come too late. Under delete the table mirrors the newest, and an older one would bring back what was
 * deleted. Under keep an older one changes nothing newer, unless the age of rows is lost.
 */
export function findStale(
  feed: Feed,
  pending: readonly PendingSnapshot[],
  state: RunState,
): PendingSnapshot[] {
  const { last } = state
  if (!last) return []
  const older = pending
    .filter(({ id }) => compareSnapshots(id, last.newest, feed.source.snapshot) < 0)
    .toSorted((a, b) => compareSnapshots(a.id, b.id, feed.source.snapshot))
  if (feed.model.missingRows === 'delete') return older.length === pending.length ? older : []
  return ageIsLost(feed, state) ? older : []
}

function checkOrder(feed: Feed, pending: readonly PendingSnapshot[], state: RunState): void {
  const stale = findStale(feed, pending, state).at(-1)
  if (!stale) return
  const { missingRows, sequence } = feed.model
  const arrival =
    sequence.columns.length === 0
      ? 'shows, and without a sequence it would win'
      : 'shows; rows that did not change are not marked as newer'
  throw new FreshetError({
    code: 'stale-snapshot',
    message: `Snapshot ${stale.id} of ${feed.name} is older than ${state.last?.newest}, which the table ${missingRows === 'delete' ? 'mirrors' : arrival}.`,
    hint: 'Send a newer snapshot, or roll the table back first.',
  })
}

/** What was added to the table before, and what the files bring now. */
function findAdded(feed: Feed, snapshots: readonly PendingSnapshot[], { staging }: RunState): AddedColumn[] {
  if (feed.source.onNewColumn === 'reject') return []
  const named = new Set<string>(feed.table.columns.map(({ name }) => name.toLowerCase()))
  const before = (staging?.columns ?? []).flatMap(({ name, type }) => {
    const identifier = named.has(name.toLowerCase()) ? undefined : parseIdentifier(name)
    return identifier ? [{ name: identifier, type }] : []
  })
  return [...before, ...snapshots.flatMap(({ added = [] }) => added)]
}

function checkColumns(feed: Feed, snapshots: readonly PendingSnapshot[], { staging }: RunState): void {
  // What the files bring anew is added by this very run.
  const brought = snapshots.flatMap(({ added = [] }) => added)
  const difference = staging && describeDrift(feed, [...brought, ...staging.columns])
  if (!difference) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `The staging table of ${feed.name} does not have the feed's columns: ${difference}.`,
    hint: 'Change the feed back, or alter the staging table to match; columns are never changed unasked.',
  })
}

function describeDrift(
  { table }: Feed,
  actual: readonly { name: string; type: string }[],
): string | undefined {
  const types = new Map(actual.map(({ name, type }) => [name.toLowerCase(), type]))
  for (const { name, type } of table.columns) {
    const found = types.get(name.toLowerCase())
    if (found === undefined) return `${name} is missing there`
    const compact = type.replaceAll(' ', '')
    if (found !== compact) return `${name} is ${found} there and ${compact} in the feed`
  }
  const names = new Set<string>(table.columns.map(({ name }) => name.toLowerCase()))
  const extra = actual.find(({ name }) => !names.has(name.toLowerCase()))
  return extra && `${extra.name} is not in the feed`
}

/** The snapshots as they are loaded, and what of them is not. */
interface Loads {
  readonly snapshots: readonly PendingSnapshot[]
  readonly skipped: PlannedSnapshot['skipped']
}

function chooseLoads(feed: Feed, snapshots: readonly PendingSnapshot[], state: RunState): Loads {
  const [only, ...others] = snapshots
  const landed = previousOf(feed, state) && state.last?.landed
  if (!only || others.length > 0 || !landed) return { snapshots, skipped: undefined }
  const { files, skipped } = chooseFiles(feed, only, landed)
  return { snapshots: [{ ...only, files }], skipped }
}

const describeSkipped = (skipped: PlannedSnapshot['skipped']) =>
  skipped ? ` ${skipped.files} objects are those of the last snapshot, and are not loaded.` : ''

function describe(
  context: RunContext,
  snapshot: PendingSnapshot,
  skipped: PlannedSnapshot['skipped'],
): PlannedSnapshot {
  const { id, arrivedAt, files, rows, approved = false } = snapshot
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return {
    id,
    arrivedAt,
    files: files.length,
    bytes,
    approved,
    fingerprint: fingerprintOf(snapshot),
    ...(accumulates(context.feed) && { content: contentOf(snapshot) }),
    landing: landingOf(context, id),
    ...(context.feed.source.badRows !== undefined && { raw: rawOf(context, id) }),
    ...(rows !== undefined && { rows }),
    ...(skipped && { skipped }),
  }
}

/** What staging holds; nothing where there is none or others wrote it, whatever was published before. */
export function previousOf(feed: Feed, { staging, last }: RunState): RunPlan['previous'] {
  if (!staging || !last || describeMeddling(feed, staging.rows, last.published) !== undefined)
    return undefined
  return { run: last.run, newest: last.newest }
}

function planStages(context: RunContext, { snapshots, skipped }: Loads, state: RunState): Stage[] {
  // A stage that outlives the promise is still worth its end: the table is late then, not wrong.
  const timeoutSeconds = Math.max(3_600, context.feed.refresh.withinSeconds)
  const { way, ...model } = modelPlanOf(context.feed)
  const compares = way === 'changed-partitions'
  const inspect = compares
    ? planInspectChanges(
        context,
        snapshots,
        previousOf(context.feed, state),
        skipped?.partitions.map(({ start }) => start),
      )
    : [...planInspect(context, snapshots), ...(model.inspect?.(context, snapshots, state) ?? [])]
  const append = [...planAppend(context, state), ...(model.append?.(context, snapshots) ?? [])]
  const { badRows } = context.feed.source
  const landings = snapshots.flatMap(({ id }) => [
    landingOf(context, id),
    ...(badRows === undefined ? [] : [rawOf(context, id)]),
  ])
  const scratch = [
    ...snapshots.map(({ id }) => printsOf(context, id)),
    scratchOf(context, 'changes'),
    scratchOf(context, 'merged'),
    scratchOf(context, 'kept'),
  ]
  const drops = compares ? [...landings, ...scratch] : landings
  return [
    { name: 'load', timeoutSeconds, jobs: planLoad(context, snapshots) },
    { name: 'inspect', timeoutSeconds, jobs: inspect },
    { name: 'append', timeoutSeconds, jobs: append },
    { name: 'deduplicate', timeoutSeconds, jobs: model.deduplicate?.(context, snapshots) ?? [] },
    { name: 'restore', timeoutSeconds, jobs: planRestore(context, state) },
    { name: 'save', timeoutSeconds, jobs: planSave(context) },
    { name: 'clone', timeoutSeconds, jobs: planClone(context, rollbackPointOf(context), state.target) },
    { name: 'announce', timeoutSeconds, jobs: planAnnounce(context, drops) },
  ]
}

/**
 * Plans one run. Pure: the same feed, snapshots (in any order) and state give the same plan, ids included.
 * Throws `FreshetError` `stale-snapshot` or `schema-drift`.
 */
export function planRun(given: Feed, pending: readonly PendingSnapshot[], state: RunState): RunPlan {
  const { snapshots, superseded } = choose(given, pending)
  checkOrder(given, pending, state)
  checkModel(given, state)
  const added = findAdded(given, snapshots, state)
  const feed = extendFeed(given, added)
  checkColumns(feed, snapshots, state)
  const run = runIdOf({
    feed,
    snapshots,
    superseded,
    last: state.last && { run: state.last.run, newest: state.last.newest },
    warehouse: state.warehouse,
    staging: state.staging !== undefined,
  })
  const context = { feed, run, warehouse: state.warehouse }
  const previous = previousOf(feed, state)
  const loads = chooseLoads(feed, snapshots, state)
  return {
    version: 1,
    kind: 'refresh',
    run,
    feed: feed.name,
    table: targetOf(feed, state.warehouse),
    strategy: modelPlanOf(feed).way,
    why: `The feed asks for ${modelPlanOf(feed).way}.${describeSkipped(loads.skipped)}`,
    snapshots: snapshots.map(snapshot => describe(context, snapshot, loads.skipped)),
    superseded: superseded.map(snapshot => ({ id: snapshot.id, fingerprint: fingerprintOf(snapshot) })),
    rowsBefore: state.staging?.rows ?? 0,
    rollbackPoint: rollbackPointOf(context),
    ...besideOf(feed, rollbackPointOf(context)),
    ...(state.target && { governance: state.target }),
    feedHash: hashOf(feed),
    ...(added.length > 0 && { added }),
    ...(previous && { previous }),
    ...planObjects(feed, snapshots),
    uriLists: loads.snapshots.flatMap(snapshot => planUriLists(context, snapshot)),
    stages: planStages(context, loads, state),
  }
}
