/** How what landed reaches staging: chosen once inspect has counted, written once, and kept by whoever resumes the run. */
import { extendFeed, type Feed } from '../feed/feed.ts'
import { compareSnapshots } from '../feed/snapshot-id.ts'
import { type Applied, isProven, type Jobs, MOST_PARTITIONS, stagesWith, stagesWithout } from './applied.ts'
import type { Found } from './found.ts'
import { hashOf } from './ids.ts'
import type { RunContext } from './job.ts'
import { applyAggregate, applyAppend, applyReplacement } from './models/apply.ts'
import { sqlOutsidePartitions } from './partitions.ts'
import type { RunPlan, Warehouse } from './run-plan.ts'
import type { Inspection } from './stages/inspect.ts'
import { planReplace } from './strategies/changed-partitions/apply.ts'
import {
  type ChangesFound,
  isReplaced,
  rowsByPartition,
  shareOfRows,
  startsOf,
} from './strategies/changed-partitions/changes.ts'
import {
  type Fresh,
  planFingerprints,
  type StagedRows,
} from './strategies/changed-partitions/fingerprints.ts'
import { type Older, planNewerOver } from './strategies/rewrite.ts'
import { stagingOf } from './tables.ts'

/** Above this share of rows, moving single partitions costs more than one rewrite. */
export const REWRITE_ABOVE = 0.6
/** By the snapshot id alone: a sequence that is data says nothing of whole tables. */
function findOlder(feed: Feed, { snapshots, previous, rowsBefore }: RunPlan): string | undefined {
  const newest = snapshots.at(-1)
  if (rowsBefore === 0 || !newest) return undefined
  const { from, columns } = feed.model.sequence
  if (from === 'column') return columns.length > 0 ? 'a column says which row is newer' : undefined
  if (previous && compareSnapshots(newest.id, previous.newest, feed.source.snapshot) > 0) return undefined
  return `snapshot ${newest.id} is not newer than all of staging`
}

/** Why the window function is needed; `undefined` where every row of landing wins. */
function findTies(feed: Feed, plan: RunPlan, counted: readonly Inspection[]): string | undefined {
  if (counted.length > 1) return 'several snapshots are applied at once'
  if (!isProven(counted)) return 'keys are in more than one row, or NULL'
  return feed.model.missingRows === 'delete' ? undefined : findOlder(feed, plan)
}

const describeWay = (ties: string | undefined) =>
  ties === undefined
    ? 'every row that landed is the newest of its key'
    : `the newest row is looked for: ${ties}`

/** All of staging, of which nothing is known but that it may be empty. */
const wholeStaging = ({ rowsBefore }: RunPlan): Older => ({ apart: rowsBefore === 0 })

function applyRewrite(
  context: RunContext,
  plan: RunPlan,
  why: string,
  ties: string | undefined,
  older = wholeStaging(plan),
): Applied {
  const newest = plan.snapshots.at(-1)
  const jobs: Jobs =
    ties === undefined && newest ? { deduplicate: planNewerOver(context, newest, older) } : {}
  return { kind: 'rewrite', why: `${why}; ${describeWay(ties)}.`, stages: stagesWith(plan, jobs) }
}

/** Rows of staging that tie with the snapshot's may have won: then an equal partition proves nothing. */
function freshOf(
  feed: Feed,
  plan: RunPlan,
  counted: readonly Inspection[],
): Omit<Fresh, 'staged'> | undefined {
  const { sequence, missingRows } = feed.model
  const sure = missingRows === 'delete' || sequence.from === 'column' || findOlder(feed, plan) === undefined
  const newest = plan.snapshots.at(-1)?.id
  return sure && newest !== undefined ? { newest, proven: isProven(counted) } : undefined
}

/** Staging's partitions that landing replaces whole need no look at their keys. */
function olderThan(feed: Feed, plan: RunPlan, { changes }: ChangesFound): Older {
  const landed = changes.filter(({ change }) => change !== 'vanished')
  const replaced = landed.filter(isReplaced)
  const starts = replaced.map(({ start }) => start)
  const where = sqlOutsidePartitions(feed, starts, MOST_PARTITIONS)
  return where ? { where, apart: replaced.length === landed.length } : wholeStaging(plan)
}

function rewriteAll(context: RunContext, plan: RunPlan, found: ChangesFound, why: string): Applied {
  const { feed } = context
  const unsure = found.changes.some(({ change, proven }) => change === 'equal' && !proven)
  const ties = unsure ? 'keys are in more than one row' : findTies(feed, plan, found.counted)
  const older = olderThan(feed, plan, found)
  const applied = applyRewrite(context, plan, why, ties, older)
  const fresh = freshOf(feed, plan, found.counted)
  if (!fresh) return applied
  const landed = older.apart || feed.model.missingRows === 'delete'
  const staged: StagedRows =
    ties === undefined && landed
      ? { kind: 'landed' }
      : { kind: 'all', table: stagingOf(feed, context.warehouse) }
  const stages = applied.stages.map(stage =>
    stage.name === 'deduplicate'
      ? { ...stage, jobs: [...stage.jobs, planFingerprints(context, { ...fresh, staged })] }
      : stage,
  )
  return { ...applied, stages }
}

function replaceChanged(context: RunContext, plan: RunPlan, found: ChangesFound, why: string): Applied {
  const { feed } = context
  const changed = startsOf(found.changes, 'changed')
  const gone = feed.model.missingRows === 'delete' ? startsOf(found.changes, 'vanished') : new Set<string>()
  const ties = findTies(feed, plan, found.counted)
  const replaced = new Set(found.changes.filter(isReplaced).map(({ start }) => start))
  const deduplicate = planReplace(context, {
    landing: plan.snapshots.map(({ landing }) => landing),
    changed: [...changed].toSorted(),
    mixed: [...changed].filter(start => !replaced.has(start)).toSorted(),
    deleted: [...gone].toSorted(),
    newer: ties === undefined,
    fresh: freshOf(feed, plan, found.counted),
  })
  const whole =
    found.counted.length > 1 ? found.counted.find(({ snapshot }) => snapshot === '') : found.counted[0]
  const outside = found.changes.filter(({ start }) => changed.has(start))
  return {
    kind: 'changed-partitions',
    why: `${why}; ${describeWay(ties)}.`,
    stages: stagesWith(plan, { deduplicate }),
    written: {
      keys: whole?.key_count ?? 0,
      outside: outside.reduce((sum, change) => sum + change.outside, 0),
    },
  }
}

function applyChanges(context: RunContext, plan: RunPlan, found: ChangesFound): Applied {
  const { feed } = context
  const names = new Set(found.changes.map(({ start }) => start))
  const changed = startsOf(found.changes, 'changed')
  const vanished = feed.model.missingRows === 'delete' ? startsOf(found.changes, 'vanished') : new Set()
  const count = changed.size + vanished.size
  const share = shareOfRows(found.changes, plan.snapshots.at(-1))
  const partitions = { total: names.size, changed: count }
  const said = `${count} of ${names.size} partitions differ`
  const known = plan.previous && plan.rowsBefore > 0 && names.size > changed.size
  const percent = share.all > 0 ? Math.round((100 * share.changed) / share.all) : 0
  if (known && count === 0) {
    const stages = stagesWithout(plan)
    return { kind: 'unchanged', why: 'No partition differs from what staging holds.', stages, partitions }
  }
  if (!known) {
    const why = 'No partition is known to be as it was, so that all are rewritten'
    return { ...rewriteAll(context, plan, found, why), partitions }
  }
  if (share.changed > share.all * REWRITE_ABOVE || count > MOST_PARTITIONS) {
    const why = `${said}, with ${percent} % of the rows: all are rewritten`
    return { ...rewriteAll(context, plan, found, why), partitions }
  }
  return { ...replaceChanged(context, plan, found, `${said}, with ${percent} % of the rows`), partitions }
}

/** Where no fingerprint is kept, the objects are no proof either. */
function landedOf(feed: Feed, plan: RunPlan, { changes, counted }: ChangesFound): Pick<Applied, 'landed'> {
  const fresh = plan.objects && freshOf(feed, plan, counted)
  return fresh ? { landed: rowsByPartition(changes, fresh.newest) } : {}
}

/** Pure: the same plan and findings give the same jobs, ids included. Only for a run that passed its gates. */
export function planApply(given: Feed, plan: RunPlan, found: Found, warehouse: Warehouse): Applied {
  const feed = extendFeed(given, plan.added ?? [])
  const context = { feed, run: plan.run, warehouse }
  if (hashOf(feed) !== plan.feedHash) {
    const why =
      'The feed has changed since the run was planned, so that it goes the way that was planned then.'
    return { kind: plan.strategy === 'append' ? 'append' : 'rewrite', why, stages: stagesWith(plan, {}) }
  }
  if (feed.model.kind === 'aggregate') return applyAggregate(context, plan, found)
  if (plan.strategy === 'append') return applyAppend(plan)
  if (plan.strategy === 'replace-partitions') return applyReplacement(context, plan, found)
  if (found.changes)
    return { ...applyChanges(context, plan, found.changes), ...landedOf(feed, plan, found.changes) }
  const ties = findTies(feed, plan, found.inspections)
  return applyRewrite(context, plan, 'The feed asks for rewrite', ties)
}
