/** What a day of a way counts against BigQuery's limits: https://docs.cloud.google.com/bigquery/quotas */
import type { Assumptions } from './rates.ts'
import { type Step, sumOf, type TableName, TIB } from './step.ts'
import type { Workload } from './workload.ts'

const PARTITION_MODIFICATIONS_A_DAY = 30_000
const TABLE_OPERATIONS_A_DAY = 1_500
const PARTITIONS_OF_A_TABLE = 10_000
const PARTITIONS_OF_A_JOB = 4_000
const TABLE_SNAPSHOTS_A_DAY = 50
const ON_DEMAND_TIB_A_DAY = 200
export const ON_DEMAND_LIMIT = 'TiB read on demand by the project'

export interface LimitUse {
  readonly limit: string
  readonly used: number
  readonly max: number
  readonly unit: string
  /** `near`: from the share of the assumptions on; `over`: it will be met. */
  readonly state: 'ok' | 'near' | 'over'
}

/** Writes of a whole table that a day allows: 41 at 731 partitions. Without partitions, as many as table operations allow. */
export function fullWritesADay(partitions: number): number {
  if (partitions === 0) return TABLE_OPERATIONS_A_DAY
  return Math.min(TABLE_OPERATIONS_A_DAY, Math.floor(PARTITION_MODIFICATIONS_A_DAY / partitions))
}

const TABLES: readonly TableName[] = ['landing', 'staging', 'target']

/** Landing is a table of its own for each snapshot; limits follow a table's name. */
function useOf(steps: readonly Step[], table: TableName, figure: 'operations' | 'partitions', runs: number) {
  const touches = steps.flatMap(step => step.touches).filter(touch => touch.table === table)
  return touches.reduce((sum, touch) => sum + touch[figure], 0) * (table === 'landing' ? 1 : runs)
}

type Use = Omit<LimitUse, 'state'>

function usesOfTables(steps: readonly Step[], runs: number): Use[] {
  return TABLES.flatMap(table => [
    {
      limit: `partition modifications of ${table}`,
      used: useOf(steps, table, 'partitions', runs),
      max: PARTITION_MODIFICATIONS_A_DAY,
      unit: 'a day',
    },
    {
      limit: `table operations on ${table}`,
      used: useOf(steps, table, 'operations', runs),
      max: TABLE_OPERATIONS_A_DAY,
      unit: 'a day',
    },
  ])
}

/** Limits that a way does not touch are left out. */
export function checkLimits(
  steps: readonly Step[],
  { partitions, runsADay }: Workload,
  { warnAt }: Assumptions,
): LimitUse[] {
  const widest = Math.max(
    0,
    ...steps.flatMap(({ touches }) => touches.map(touch => touch.partitions / touch.operations)),
  )
  const saves = steps.filter(({ stage }) => stage === 'save').length
  const uses: Use[] = [
    ...usesOfTables(steps, runsADay),
    { limit: 'partitions of the table', used: partitions, max: PARTITIONS_OF_A_TABLE, unit: '' },
    { limit: 'partitions that one job writes', used: widest, max: PARTITIONS_OF_A_JOB, unit: '' },
    {
      limit: 'rollback points of staging',
      used: saves * runsADay,
      max: TABLE_SNAPSHOTS_A_DAY,
      unit: 'a day',
    },
    {
      limit: ON_DEMAND_LIMIT,
      used: (sumOf(steps, 'scannedBytes') * runsADay) / TIB,
      max: ON_DEMAND_TIB_A_DAY,
      unit: 'a day',
    },
  ]
  const stateOf = ({ used, max }: Use) => (used > max ? 'over' : used >= max * warnAt ? 'near' : 'ok')
  return uses.filter(({ used }) => used > 0).map(use => ({ ...use, state: stateOf(use) }))
}
