/** The column types that a feed may use, and what each is good for. */

/** What a key, a sequence, a partition or a tie-break may be made of. */
interface Ability {
  /** May stand in PARTITION BY of a window and in GROUP BY. */
  readonly key: boolean
  /** Orders as time or as a number does. */
  readonly sequence: boolean
  /** Has an order at all. */
  readonly ordered: boolean
  readonly partition?: readonly Granularity[]
}
export const GRANULARITIES = ['hour', 'day', 'month', 'year'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-types */
const TYPES: Readonly<Record<string, Ability>> = {
  INT64: { key: true, sequence: true, ordered: true },
  NUMERIC: { key: true, sequence: true, ordered: true },
  BIGNUMERIC: { key: true, sequence: true, ordered: true },
  FLOAT64: { key: false, sequence: false, ordered: true },
  BOOL: { key: true, sequence: false, ordered: true },
  STRING: { key: true, sequence: false, ordered: true },
  BYTES: { key: true, sequence: false, ordered: true },
  DATE: { key: true, sequence: true, ordered: true, partition: ['day', 'month', 'year'] },
  DATETIME: { key: true, sequence: true, ordered: true, partition: GRANULARITIES },
  TIMESTAMP: { key: true, sequence: true, ordered: true, partition: GRANULARITIES },
  TIME: { key: true, sequence: false, ordered: true },
  JSON: { key: false, sequence: false, ordered: false },
}
const PARAMETERS = /^(NUMERIC|BIGNUMERIC)\(\d{1,2}(,\s*\d{1,2})?\)$|^(STRING|BYTES)\(\d{1,10}\)$/
export const TYPE_NAMES: readonly string[] = Object.keys(TYPES)

/** `NUMERIC(10, 2)` → `NUMERIC`. */
export function baseType(type: string): string {
  return type.replace(/\(.*$/, '')
}

export function isColumnType(type: string): boolean {
  return type in TYPES || PARAMETERS.test(type)
}

export function abilityOf(type: string): Ability | undefined {
  return TYPES[baseType(type)]
}
