/** The column types that a feed may use, and what each is good for. */

/** What a key, a sequence, a partition or a tie-break may be made of. */
interface Ability {
  /** May stand in PARTITION BY of a window and in GROUP BY. */
  readonly key: boolean
  /** Orders as time or as a number does. */
  readonly sequence: boolean
  /** Has an order at all. */
  readonly ordered: boolean
  /** May stand in CLUSTER BY: docs/creating-clustered-tables#limitations. */
  readonly cluster: boolean
  readonly partition?: readonly Granularity[]
}
export const GRANULARITIES = ['hour', 'day', 'month', 'year'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-types */
const TYPES: Readonly<Record<string, Ability>> = {
  INT64: { key: true, sequence: true, ordered: true, cluster: true },
  NUMERIC: { key: true, sequence: true, ordered: true, cluster: true },
  BIGNUMERIC: { key: true, sequence: true, ordered: true, cluster: true },
  FLOAT64: { key: false, sequence: false, ordered: true, cluster: false },
  BOOL: { key: true, sequence: false, ordered: true, cluster: true },
  STRING: { key: true, sequence: false, ordered: true, cluster: true },
  BYTES: { key: true, sequence: false, ordered: true, cluster: false },
  DATE: { key: true, sequence: true, ordered: true, cluster: true, partition: ['day', 'month', 'year'] },
  DATETIME: { key: true, sequence: true, ordered: true, cluster: true, partition: GRANULARITIES },
  TIMESTAMP: { key: true, sequence: true, ordered: true, cluster: true, partition: GRANULARITIES },
  TIME: { key: true, sequence: false, ordered: true, cluster: false },
  JSON: { key: false, sequence: false, ordered: false, cluster: false },
}
const NUMBER = /^(NUMERIC|BIGNUMERIC)\((\d{1,2})(?:, ?(\d{1,2}))?\)$/
const TEXT = /^(STRING|BYTES)\([1-9]\d{0,9}\)$/
/** Digits after the point, and digits before it, that each takes: data-types#parameterized_decimal_type. */
const DIGITS = { NUMERIC: [9, 29], BIGNUMERIC: [38, 38] } as const
export const TYPE_NAMES: readonly string[] = Object.keys(TYPES)

/** `NUMERIC(10, 2)` → `NUMERIC`. */
export function baseType(type: string): string {
  return type.replace(/\(.*$/, '')
}

function isNumberType(type: string): boolean {
  const [, base, digits, after = '0'] = NUMBER.exec(type) ?? []
  if (base !== 'NUMERIC' && base !== 'BIGNUMERIC') return false
  const [precision, scale] = [Number(digits), Number(after)]
  const [maxScale, maxWhole] = DIGITS[base]
  return scale <= maxScale && precision >= Math.max(1, scale) && precision <= scale + maxWhole
}

export function isColumnType(type: string): boolean {
  return Object.hasOwn(TYPES, type) || TEXT.test(type) || isNumberType(type)
}

export function abilityOf(type: string): Ability | undefined {
  const base = baseType(type)
  return Object.hasOwn(TYPES, base) ? TYPES[base] : undefined
}
