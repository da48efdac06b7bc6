/** Bad rows: texts become values on their way to landing, and what is none goes to the quarantine table instead. */
import { baseType } from '../../feed/column-type.ts'
import { type Column, type Feed, type Format, sourceColumns } from '../../feed/feed.ts'
import type { Identifier } from '../../feed/names.ts'
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
function sqlIsGiven({ name, type }: Column, format: Format): Sql {
  const emptyIsNull = format.kind === 'csv' && format.nullText === ''
  const canBeEmpty = ['STRING', 'BYTES'].includes(baseType(type))
  return emptyIsNull && !canBeEmpty ? sql`IFNULL(${name}, '') != ''` : sql`${name} IS NOT NULL`
}

/** The words that a load takes for a BOOL: docs.cloud.google.com/bigquery/docs/loading-data-cloud-storage-csv#data_types */
const sqlBool = (name: Identifier): Sql =>
  sql`CASE WHEN LOWER(${name}) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(${name}) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END`

/** A number of a line of JSON is seconds since 1970. */
function sqlTimestamp(name: Identifier, format: Format): Sql {
  const plain = sql`SAFE_CAST(${name} AS TIMESTAMP)`
  if (format.kind !== 'ndjson') return plain
  const number = sql`SAFE_CAST(${name} AS FLOAT64)`
  // The years 1 to 9999: what lies outside would be an error, not NULL.
  return sql`IFNULL(${plain}, IF(${number} >= -62135596800 AND ${number} < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(${number} * 1000000 AS INT64)), NULL))`
}

/** The value of a text, NULL where it has none; `undefined` for a column that takes every text as it is. */
function sqlConverted({ name, type }: Column, format: Format): Sql | undefined {
  const base = baseType(type)
  switch (base) {
    case 'STRING':
      return undefined
    case 'BYTES':
      return sql`SAFE.FROM_BASE64(${name})`
    case 'JSON':
      return format.kind === 'ndjson' ? undefined : sql`SAFE.PARSE_JSON(${name})`
    case 'BOOL':
      return sqlBool(name)
    case 'TIMESTAMP':
      return sqlTimestamp(name, format)
    default:
      return sql`SAFE_CAST(${name} AS ${sqlType(base)})`
  }
}

/** `NUMERIC(10, 2)` → 10 and 2. */
const parametersOf = (type: string): number[] => /\((.*)\)/.exec(type)?.[1]?.split(',').map(Number) ?? []

/** The number from which on a NUMERIC(4, 1) has too many digits, once it is rounded as it is written: 999.95. */
function sqlFirstTooLarge(base: string, precision: number, scale: number): Sql {
  const nines = `${'9'.repeat(precision - scale) || '0'}.${'9'.repeat(scale)}5`
  return sql`SAFE_CAST(${sqlText(nines)} AS ${sqlType(base)})`
}

/**
 * Is a value too long or too large for its column? SAFE_CAST to a type with a length or digits is no way to ask: what
 * does not fit is an error there, not NULL. `undefined` for a type without.
 */
function sqlIsTooMuch({ name, type }: Column, value: Sql): Sql | undefined {
  const base = baseType(type)
  const [first, second = 0] = parametersOf(type)
  if (first === undefined) return undefined
  if (base === 'STRING') return sql`LENGTH(${name}) > ${first}`
  if (base === 'BYTES') return sql`BYTE_LENGTH(${value}) > ${first}`
  // All that a NUMERIC holds anyway.
  if (base === 'NUMERIC' && first === 38 && second === 9) return undefined
  return sql`ABS(${value}) >= ${sqlFirstTooLarge(base, first, second)}`
}

/** Always true or false, so that a row lands or is quarantined, never both or neither. */
function sqlIsBadValue(column: Column, format: Format): Sql | undefined {
  const converted = sqlConverted(column, format)
  const tooMuch = sqlIsTooMuch(column, converted ?? sql`${column.name}`)
  if (tooMuch) return sql`${sqlIsGiven(column, format)} AND IFNULL(${tooMuch}, TRUE)`
  return converted && sql`${sqlIsGiven(column, format)} AND ${converted} IS NULL`
}

const listChecks = (feed: Feed): { readonly column: Column; readonly isBad: Sql }[] =>
  sourceColumns(feed).flatMap(column => {
    const isBad = sqlIsBadValue(column, feed.source.format)
    return isBad ? [{ column, isBad }] : []
  })

function sqlIsBad(feed: Feed): Sql {
  const checks = listChecks(feed).map(({ isBad }) => sql`(${isBad})`)
  return checks.length > 0 ? sqlJoin(checks, '\n  OR ') : sql`FALSE`
}

/** A load rounds a number to the digits of its column; said here, it does not depend on how the column rounds. */
function sqlLanded(column: Column, format: Format): Sql {
  const value = sqlConverted(column, format) ?? sql`${column.name}`
  const [first, scale = 0] = parametersOf(column.type)
  const isNumber = ['NUMERIC', 'BIGNUMERIC'].includes(baseType(column.type))
  return isNumber && first !== undefined ? sql`ROUND(${value}, ${scale})` : value
}

function sqlInsertGood(context: RunContext, snapshot: SnapshotId): Sql {
  const { feed } = context
  const columns = sourceColumns(feed)
  const values = columns.map(column => sqlLanded(column, feed.source.format))
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
