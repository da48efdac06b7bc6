/** Bad rows: texts become values on their way to landing, and what is none goes to the quarantine table instead. */
import { baseType } from '../../feed/column-type.ts'
import { type Column, type Feed, type Format, sourceColumns } from '../../feed/feed.ts'
import type { SnapshotId } from '../../feed/snapshot-id.ts'
import { planQuery, type RunContext } from '../job.ts'
import type { JobBody } from '../run-plan.ts'
import { type Sql, sql, sqlJoin, sqlText, sqlType } from '../sql.ts'
import { landingOf, quarantineOf, rawOf, sqlFrom } from '../tables.ts'

/** What a snapshot had of bad rows. */
export interface BadRows {
  readonly count: number
  /** Some of the reasons. */
  readonly reasons: readonly string[]
}

/** How long a bad row is kept. */
const KEEP_DAYS = 90
/** How many characters of a bad value a reason shows. */
const SHOWN = 80

/** The columns of the files as texts; a JSON value of a line of JSON can't be bad and has no text of its own. */
export function rawColumns(feed: Feed): readonly { name: Column['name']; type: string }[] {
  const { kind } = feed.source.format
  return sourceColumns(feed).map(({ name, type }) => ({
    name,
    type: kind === 'ndjson' && type === 'JSON' ? 'JSON' : 'STRING',
  }))
}

/** A CSV field without text is NULL, quoted or not; only texts and bytes can be empty. */
function sqlGiven({ name, type }: Column, format: Format): Sql {
  const emptyIsNull = format.kind === 'csv' && format.nullText === ''
  return emptyIsNull && !['STRING', 'BYTES'].includes(baseType(type))
    ? sql`NULLIF(${name}, '')`
    : sql`${name}`
}

/** The words that a load takes for a BOOL: docs.cloud.google.com/bigquery/docs/loading-data-cloud-storage-csv#data_types */
const sqlBool = (given: Sql): Sql =>
  sql`CASE WHEN LOWER(${given}) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(${given}) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END`

/** A number of a line of JSON is seconds since 1970. */
function sqlTimestamp(given: Sql, format: Format): Sql {
  const plain = sql`SAFE_CAST(${given} AS TIMESTAMP)`
  if (format.kind !== 'ndjson') return plain
  const number = sql`SAFE_CAST(${given} AS FLOAT64)`
  // The years 1 to 9999: what lies outside would be an error, not NULL.
  return sql`IFNULL(${plain}, IF(${number} >= -62135596800 AND ${number} < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(${number} * 1000000 AS INT64)), NULL))`
}

/** The value of a text, NULL where it has none; `undefined` for a column that takes every text as it is. */
function sqlConverted(column: Column, format: Format): Sql | undefined {
  const { type } = column
  const given = sqlGiven(column, format)
  switch (baseType(type)) {
    case 'STRING':
      return type === 'STRING' ? undefined : sql`SAFE_CAST(${given} AS ${sqlType(type)})`
    case 'BYTES': {
      const bytes = sql`SAFE.FROM_BASE64(${given})`
      return type === 'BYTES' ? bytes : sql`SAFE_CAST(${bytes} AS ${sqlType(type)})`
    }
    case 'JSON':
      return format.kind === 'ndjson' ? undefined : sql`SAFE.PARSE_JSON(${given})`
    case 'BOOL':
      return sqlBool(given)
    case 'TIMESTAMP':
      return sqlTimestamp(given, format)
    default:
      return sql`SAFE_CAST(${given} AS ${sqlType(type)})`
  }
}

/** A text that is there and has no value: always true or false, so that a row lands or is quarantined, never both. */
const listChecks = (feed: Feed): { readonly column: Column; readonly isBad: Sql }[] =>
  sourceColumns(feed).flatMap(column => {
    const { format } = feed.source
    const converted = sqlConverted(column, format)
    if (!converted) return []
    return [{ column, isBad: sql`${sqlGiven(column, format)} IS NOT NULL AND ${converted} IS NULL` }]
  })

function sqlIsBad(feed: Feed): Sql {
  const checks = listChecks(feed).map(({ isBad }) => sql`(${isBad})`)
  return checks.length > 0 ? sqlJoin(checks, '\n  OR ') : sql`FALSE`
}

function sqlInsertGood(context: RunContext, snapshot: SnapshotId): Sql {
  const { feed } = context
  const columns = sourceColumns(feed)
  const values = columns.map(column => sqlConverted(column, feed.source.format) ?? sql`${column.name}`)
  // The snapshot's column is not named, so its default fills it.
  return sql`INSERT INTO ${landingOf(context, snapshot)} (${sqlJoin(columns.map(({ name }) => name))})
SELECT
  ${sqlJoin(values, ',\n  ')}
FROM ${sqlFrom(feed, rawOf(context, snapshot))}
WHERE NOT (
  ${sqlIsBad(feed)}
)`
}

/** The first column that is bad, its text and the type that it should have. */
function sqlReason(feed: Feed): Sql {
  const cases = listChecks(feed).map(({ column: { name, type }, isBad }) => {
    const shown = sql`SUBSTR(${name}, 1, ${SHOWN})`
    return sql`WHEN ${isBad} THEN CONCAT(${sqlText(`${name} is no ${type}: `)}, ${shown})`
  })
  return sql`CASE\n    ${sqlJoin(cases, '\n    ')}\n  END`
}

function sqlInsertBad(context: RunContext, snapshot: SnapshotId): Sql {
  const { feed, run, warehouse } = context
  return sql`INSERT INTO ${quarantineOf(feed, warehouse)} (run, snapshot, row_text, reason, quarantined_at)
SELECT
  ${sqlText(run)},
  ${sqlText(snapshot)},
  TO_JSON_STRING(STRUCT(${sqlJoin(sourceColumns(feed).map(({ name }) => name))})),
  ${sqlReason(feed)},
  CURRENT_TIMESTAMP()
FROM ${sqlFrom(feed, rawOf(context, snapshot))}
WHERE ${sqlIsBad(feed)}`
}

const sqlCreateQuarantine = ({ feed, warehouse }: RunContext): Sql =>
  sql`CREATE TABLE IF NOT EXISTS ${quarantineOf(feed, warehouse)} (
  run STRING,
  snapshot STRING,
  row_text STRING,
  reason STRING,
  quarantined_at TIMESTAMP
)
PARTITION BY DATE(quarantined_at)
OPTIONS(partition_expiration_days = ${KEEP_DAYS})`

/** The table of texts, before the load job fills it. */
export function planRaw(context: RunContext, snapshot: SnapshotId): JobBody {
  const columns = rawColumns(context.feed).map(({ name, type }) => sql`  ${name} ${sqlType(type)}`)
  return planQuery(
    context,
    'load',
    sql`CREATE TABLE IF NOT EXISTS ${rawOf(context, snapshot)} (\n${sqlJoin(columns, ',\n')}\n)`,
  )
}

/** After the load: good rows to landing, the others to the quarantine table. */
export function planConversion(context: RunContext, snapshot: SnapshotId): JobBody[] {
  const bad = listChecks(context.feed).length > 0 ? [sqlInsertBad(context, snapshot)] : []
  const all = [sqlInsertGood(context, snapshot), sqlCreateQuarantine(context), ...bad]
  return all.map(query => planQuery(context, 'load', query))
}

/** Counts the quarantined rows of one snapshot of this run. */
export function sqlCountBad({ feed, run, warehouse }: RunContext, snapshot: SnapshotId): Sql {
  // A run that takes longer has lost its landing table; the bound leaves the older partitions unread.
  return sql`SELECT
  ${sqlText(snapshot)} AS snapshot,
  COUNT(*) AS bad_rows,
  IFNULL(MIN(reason), '') AS first_reason,
  IFNULL(MAX(reason), '') AS last_reason
FROM ${quarantineOf(feed, warehouse)}
WHERE run = ${sqlText(run)} AND snapshot = ${sqlText(snapshot)}
  AND quarantined_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)`
}

/** Rows that the load could not read have no columns: what the load job says of them is kept in their stead. */
export function planUnreadable(
  context: RunContext,
  snapshot: SnapshotId,
  reasons: readonly string[],
): JobBody {
  const { feed, run, warehouse } = context
  const texts = sqlJoin(reasons.map(sqlText), ',\n  ')
  return planQuery(
    context,
    'inspect',
    sql`INSERT INTO ${quarantineOf(feed, warehouse)} (run, snapshot, row_text, reason, quarantined_at)
SELECT ${sqlText(run)}, ${sqlText(snapshot)}, CAST(NULL AS STRING), reason, CURRENT_TIMESTAMP()
FROM UNNEST([
  ${texts}
]) AS reason`,
  )
}
