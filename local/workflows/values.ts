/** The values that a workflow computes with, and what can be asked of any of them. */
import { isDeepStrictEqual } from 'node:util'

/**
 * An integer is a bigint (64 bit, signed), a double a number. Maps and lists are immutable: an assignment to a part
 * of one makes a new whole, so two variables never share a value that changes.
 * https://cloud.google.com/workflows/docs/reference/syntax/datatypes
 */
export type Value = null | boolean | bigint | number | string | Uint8Array | ValueList | ValueMap
export type ValueList = readonly Value[]
export type ValueMap = ReadonlyMap<string, Value>

export type TypeName = 'null' | 'bool' | 'int' | 'double' | 'string' | 'bytes' | 'list' | 'map'

export const isList = (value: Value): value is ValueList => Array.isArray(value)
export const isMap = (value: Value): value is ValueMap => value instanceof Map
export const isNumeric = (value: Value): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number'

export function typeName(value: Value): TypeName {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'double'
  if (typeof value === 'string') return 'string'
  if (value instanceof Uint8Array) return 'bytes'
  return isList(value) ? 'list' : 'map'
}

export function mapOf(entries: Readonly<Record<string, Value>>): ValueMap {
  return new Map(Object.entries(entries))
}

/** Deep equality; an int equals a double of the same size, values of other different types are unequal. */
export function equalValues(left: Value, right: Value): boolean {
  if (isNumeric(left) && isNumeric(right)) {
    // biome-ignore lint/suspicious/noDoubleEquals: loose equality compares bigint and number by mathematical value
    return left == right
  }
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, i) => equalValues(item, right[i] ?? null))
  }
  if (isMap(left) && isMap(right)) {
    if (left.size !== right.size) return false
    for (const [key, value] of left) {
      const other = right.get(key)
      if (other === undefined || !equalValues(value, other)) return false
    }
    return true
  }
  return isDeepStrictEqual(left, right)
}

/** Bytes that a value takes from the memory limit. Google does not publish its measure; this is about its JSON. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.byteLength
  if (isList(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 2)
  if (isMap(value)) {
    let sum = 2
    for (const [key, item] of value) sum += Buffer.byteLength(key) + sizeOf(item)
    return sum
  }
  return 8
}
