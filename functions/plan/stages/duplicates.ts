/** A closer look at keys that stand in several rows: asked only when inspect has found some. */
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody, PlannedSnapshot } from '../run-plan.ts'
import { sql, sqlJoin } from '../sql.ts'

/** Copies of a row are a slip of the sender; rows that differ say that the key is not a key. */
export interface Duplicates {
  /** Keys whose rows differ in a column outside the key. */
  readonly differing: number
  /** One such key (else any that is duplicated), as JSON. */
  readonly sample: string
}

export function planDuplicates(context: RunContext, { landing }: PlannedSnapshot): JobBody {
  const { table, model } = context.feed
  const values = table.columns.map(({ name }) => name).filter(name => !model.key.includes(name))
  const keys = sqlJoin(model.key)
  const row = values.length > 0 ? sql`TO_JSON_STRING(STRUCT(${sqlJoin(values)}))` : sql`''`
  return planQuery(
    context,
    'inspect',
    sql`SELECT
  COUNTIF(versions > 1) AS differing,
  IFNULL(MIN(IF(versions > 1, sample, NULL)), MIN(sample)) AS sample
FROM (
  SELECT TO_JSON_STRING(STRUCT(${keys})) AS sample, COUNT(DISTINCT ${row}) AS versions
  FROM ${landing}
  GROUP BY ${keys}
  HAVING COUNT(*) > 1
)`,
  )
}

export function parseDuplicates(rows: readonly Readonly<Record<string, string | null>>[]): Duplicates {
  const [row] = rows
  return { differing: Number(row?.differing ?? 0), sample: row?.sample ?? '' }
}
