/** Every statement of every golden plan is good GoogleSQL, by Google's own analyzer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TableRef } from '../../functions/feed/names.ts'
import { tombstoneColumns } from '../../functions/plan/models/deletes.ts'
import { planRun } from '../../functions/plan/plan-run.ts'
import { rawColumns } from '../../functions/plan/stages/quarantine.ts'
import {
  fingerprintsOf,
  landingOf,
  printsOf,
  quarantineOf,
  rawOf,
  rollbackPointOf,
  scratchOf,
  stagingOf,
  targetOf,
  tombstonesOf,
} from '../../functions/plan/tables.ts'
import { type ScalarName, scalar } from '../../local/bigquery/sql/type.ts'
import { type GoogleSql, noGoogleSql, type OracleTable, startGoogleSql } from '../support/googlesql.ts'
import { applyCase, type PlanCase, readPlanCases, statementsOf } from '../support/plan-case.ts'

const nameOf = ({ projectId, datasetId, tableId }: TableRef) => `${projectId}.${datasetId}.${tableId}`

/** Every table that a plan speaks of, with the feed's columns. */
function tablesOf({ feed, snapshots, state }: PlanCase): OracleTable[] {
  const { run } = planRun(feed, snapshots, state)
  const context = { feed, run, warehouse: state.warehouse }
  const columns = feed.table.columns.map(({ name, type }) => ({
    name,
    type: scalar(type.replace(/\(.*/, '') as ScalarName),
  }))
  const refs = [
    targetOf(feed, state.warehouse),
    stagingOf(feed, state.warehouse),
    rollbackPointOf(context),
    ...snapshots.map(({ id }) => landingOf(context, id)),
    ...(state.last?.rollbackPoint ? [state.last.rollbackPoint] : []),
  ]
  const scratch = [...snapshots.map(({ id }) => printsOf(context, id)), scratchOf(context, 'changes')]
  const typed = (name: string, type: ScalarName) => ({ name, type: scalar(type) })
  const by = columns.find(({ name }) => name === feed.table.partition?.by)
  const measured = [
    typed('partition_start', 'STRING'),
    ...['partition_rows', 'high', 'middle', 'low', 'key_high', 'key_middle', 'key_low', 'staging_rows'].map(
      name => typed(name, 'INT64'),
    ),
    ...['outside_rows', 'filled_0', 'filled_1'].map(name => typed(name, 'INT64')),
    ...['snapshot', 'change', 'run', 'layout'].map(name => typed(name, 'STRING')),
    typed('proven', 'BOOL'),
    typed('same_keys', 'BOOL'),
    ...(by ? [{ ...by, name: 'partition_value' }] : []),
  ]
  const stored = measured.filter(
    ({ name }) => !['snapshot', 'outside_rows', 'partition_value', 'same_keys'].includes(name),
  )
  const remembered = new Set<string>(tombstoneColumns(feed).map(({ name }) => name))
  const tables = [
    ...[...refs, scratchOf(context, 'merged'), scratchOf(context, 'kept')].map(ref => ({
      name: nameOf(ref),
      columns,
    })),
    ...scratch.map(ref => ({ name: nameOf(ref), columns: measured })),
    { name: nameOf(fingerprintsOf(feed, state.warehouse)), columns: stored },
    ...[tombstonesOf(feed, state.warehouse), ...(state.last?.beside ?? []).map(({ table }) => table)].map(
      ref => ({ name: nameOf(ref), columns: columns.filter(({ name }) => remembered.has(name)) }),
    ),
  ]
  if (feed.source.badRows === undefined) return tables
  const texts = rawColumns(feed).map(({ name, type }) => ({ name, type: scalar(type as ScalarName) }))
  const quarantine = ['run', 'snapshot', 'row_text', 'reason'].map(name => ({ name, type: scalar('STRING') }))
  return [
    ...tables,
    ...snapshots.map(({ id }) => ({ name: nameOf(rawOf(context, id)), columns: texts })),
    {
      name: nameOf(quarantineOf(feed, state.warehouse)),
      columns: [...quarantine, { name: 'quarantined_at', type: scalar('TIMESTAMP') }],
    },
  ]
}

describe.skipIf(noGoogleSql)(
  `golden plans in Google's analyzer${noGoogleSql ? ` (${noGoogleSql})` : ''}`,
  () => {
    let google: GoogleSql
    beforeAll(async () => {
      google = await startGoogleSql()
    })
    afterAll(() => google?.close())

    test.each(readPlanCases())('$name', async planCase => {
      const plan = planRun(planCase.feed, planCase.snapshots, planCase.state)
      const applied = applyCase(planCase, plan)?.stages ?? []
      const queries = statementsOf([...plan.stages, ...applied])
      expect(queries.length).toBeGreaterThan(5)
      const tables = tablesOf(planCase)
      for (const query of queries) {
        const verdict = await google.analyze(query, tables).then(
          () => 'fine',
          (error: Error) => `${error.message}\n${query}`,
        )
        expect(verdict).toBe('fine')
      }
    })

    test('a wrong statement does not pass', async () => {
      await expect(google.analyze('SELECT nothing FROM nowhere', [])).rejects.toThrow('Table not found')
    })
  },
)
