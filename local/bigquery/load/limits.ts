/** Limits of parameterized types, such as STRING(5) and NUMERIC(10, 2), for one value of a file. */
import { DuckDBBlobValue, DuckDBDecimalValue, type DuckDBValue } from '@duckdb/node-api'
import type { Field } from '../catalogue/field.ts'

function lengthOf(value: DuckDBValue): number {
  // STRING counts characters, BYTES bytes.
  return typeof value === 'string'
    ? [...value].length
    : value instanceof DuckDBBlobValue
      ? value.bytes.length
      : 0
}

/** Why the value is too much for its column; `undefined` when it fits. */
export function findExcess(
  { type, maxLength, precision, scale = 0 }: Field,
  value: DuckDBValue,
): string | undefined {
  if (maxLength !== undefined && lengthOf(value) > maxLength)
    return `${type}(${maxLength}) has maximum length ${maxLength} but got a value with length ${lengthOf(value)}`
  if (precision === undefined || !(value instanceof DuckDBDecimalValue)) return undefined
  const size = value.value < 0n ? -value.value : value.value
  // Kept with nine digits after the point.
  const fits = size < 10n ** BigInt(precision - scale + 9) && size % 10n ** BigInt(9 - scale) === 0n
  return fits ? undefined : `NUMERIC(${precision}, ${scale}) does not hold so many digits`
}
