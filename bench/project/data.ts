/** Retail-shaped tables made by BigQuery itself: 13 day partitions, 0.04 % of the rows changed, a tenth of these with a new key. */
import type { TableRef } from '../../functions/feed/names.ts'
import { type Sql, sql } from '../../functions/plan/sql.ts'

const DAYS = 13
const ONE_IN = 2_500

const sqlKeys = (rows: number): Sql => {
  const share = Math.ceil(rows / DAYS)
  const thousands = Math.ceil(share / 1_000)
  return sql`SELECT day, 1000 * thousand + one AS j
  FROM UNNEST(GENERATE_ARRAY(1, ${DAYS})) AS day, UNNEST(GENERATE_ARRAY(0, ${thousands - 1})) AS thousand, UNNEST(GENERATE_ARRAY(0, 999)) AS one
  WHERE 1000 * thousand + one < ${share}`
}

/** `snapshot` 1 is what staging holds, 2 what lands. */
export function sqlMake(table: TableRef, rows: number, snapshot: 1 | 2): Sql {
  const dice = sql`MOD(ABS(FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(day, j)))), ${10 * ONE_IN})`
  const changed = snapshot === 1 ? sql`0` : sql`IF(MOD(${dice}, ${ONE_IN}) = 0, 1, 0)`
  const moved = snapshot === 1 ? sql`0` : sql`IF(${dice} = 0, 100, 0)`
  return sql`CREATE TABLE ${table}
PARTITION BY date
CLUSTER BY product_id, store_id
AS SELECT
  DATE_SUB(CURRENT_DATE(), INTERVAL day DAY) AS date,
  300000 + DIV(j, 2000) AS product_id,
  2000 + MOD(DIV(j, 8), 250) AS store_id,
  1 + MOD(j, 8) + ${moved} AS attribute_id,
  MOD(j, 100) + ${changed} AS attr_value,
  ${snapshot} AS update_id
FROM (
  ${sqlKeys(rows)}
)`
}
