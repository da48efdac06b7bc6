/** How many logical bytes a row takes, from its column types: https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-types#data_type_sizes */
import { baseType } from '../feed/column-type.ts'
import type { Column, Feed } from '../feed/feed.ts'
import type { Identifier } from '../feed/names.ts'

const FIXED: Readonly<Record<string, number>> = {
  INT64: 8,
  FLOAT64: 8,
  NUMERIC: 16,
  BIGNUMERIC: 32,
  BOOL: 1,
  DATE: 8,
  DATETIME: 8,
  TIME: 8,
  TIMESTAMP: 8,
}
/** A text or bytes value is two bytes and its content; JSON is its text. */
const PREFIX = 2

const widthOf = ({ type }: Column, variableBytes: number): number =>
  FIXED[baseType(type)] ?? PREFIX + variableBytes

export interface RowWidth {
  /** Bytes of a whole row. */
  readonly row: number
  /** Bytes of the key and of the partition column: what counting keys reads. */
  readonly keys: number
  /** Bytes of what comes from the files and is not part of the key. */
  readonly values: number
  /** Bytes of all but the sequence: what a fingerprint reads. */
  readonly fingerprinted: number
}

/** `variableBytes`: the content that a text, bytes or JSON value is taken to have. */
export function measureRow({ table, model }: Feed, variableBytes: number): RowWidth {
  const sum = (takes: (name: Identifier) => boolean) =>
    table.columns
      .filter(({ name }) => takes(name))
      .reduce((bytes, column) => bytes + widthOf(column, variableBytes), 0)
  const { key, sequence } = model
  const fromSnapshot = sequence.from === 'snapshot' ? sequence.columns[0] : undefined
  return {
    row: sum(() => true),
    keys: sum(name => key.includes(name) || name === table.partition?.by),
    values: sum(name => !key.includes(name) && name !== fromSnapshot),
    fingerprinted: sum(name => !sequence.columns.includes(name)),
  }
}
