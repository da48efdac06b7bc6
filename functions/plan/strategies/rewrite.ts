/** Strategy rewrite: append what landed, keep the newest row of each key, swap staging in one job. */

import { planJob, planQuery, type RunContext } from '../job.ts'
import { MODELS } from '../models/index.ts'
import type { JobBody, PendingSnapshot, RunState } from '../run-plan.ts'
import { sql, sqlJoin } from '../sql.ts'
import { landingOf, sqlCreateStaging, sqlFrom, stagingOf } from '../tables.ts'

/** Under `missing_rows: delete` nothing is appended: staging becomes the newest snapshot. */
export function planAppend(
  context: RunContext,
  snapshots: readonly PendingSnapshot[],
  state: RunState,
): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const create = state.staging ? [] : [planQuery(context, 'append', sqlCreateStaging(feed, staging))]
  if (feed.model.missingRows === 'delete') return create
  const copies = snapshots.map(({ id }) =>
    planJob(context, 'append', {
      copy: {
        sourceTable: landingOf(context, id),
        destinationTable: staging,
        createDisposition: 'CREATE_NEVER',
        writeDisposition: 'WRITE_APPEND',
      },
    }),
  )
  return [...create, ...copies]
}

/** Run only when staging is not what it should be: back to what was published last, or to nothing. */
export function planRestore(context: RunContext, state: RunState): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const point = state.last?.rollbackPoint
  const rows = point
    ? sql`SELECT ${columns}\nFROM ${point}`
    : sql`SELECT ${columns}\nFROM ${sqlFrom(feed, staging)}\nWHERE FALSE`
  const write = {
    destinationTable: staging,
    createDisposition: 'CREATE_NEVER',
    writeDisposition: 'WRITE_TRUNCATE_DATA',
  }
  return [planQuery(context, 'restore', rows, write)]
}

/** WRITE_TRUNCATE_DATA swaps the rows and keeps policy tags, row access policies, constraints and NOT NULL. */
export function planDeduplicate(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const newest = snapshots.at(-1)
  const from = feed.model.missingRows === 'delete' && newest ? landingOf(context, newest.id) : staging
  const query = MODELS[feed.model.kind](feed, from)
  return [
    planQuery(context, 'deduplicate', query, {
      destinationTable: staging,
      createDisposition: 'CREATE_NEVER',
      writeDisposition: 'WRITE_TRUNCATE_DATA',
    }),
  ]
}
