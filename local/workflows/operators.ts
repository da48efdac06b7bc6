/** What the operators do to values: types, overflow, errors. */

import { indexError, keyError, typeError, valueError, zeroDivisionError } from './errors.ts'
import type { BinaryOperator } from './expression.ts'
import { equalValues, isList, isMap, isNumeric, typeName, type Value } from './values.ts'

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** An int result, unless it does not fit 64 bits. */
export function int64(value: bigint): bigint {
  if (value > INT64_MAX || value < INT64_MIN)
    throw valueError('integer overflow: the result does not fit 64 bits')
  return value
}

/** The text of a scalar, as `string()` and `+` with a string make it. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || isNumeric(value)) return String(value)
  return undefined
}

function mismatch(operator: string, left: Value, right: Value): Error {
  return typeError(`unsupported operand types for ${operator}: '${typeName(left)}' and '${typeName(right)}'`)
}

/**
 * Numbers add up; a string takes any number or boolean onto it.
 * https://cloud.google.com/workflows/docs/reference/syntax/datatypes#implicit-conversions
 */
function add(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return int64(left + right)
  if (isNumeric(left) && isNumeric(right)) return Number(left) + Number(right)
  if (typeof left === 'string' || typeof right === 'string') {
    const [a, b] = [textOf(left), textOf(right)]
    if (a !== undefined && b !== undefined) return a + b
  }
  throw mismatch('+', left, right)
}

/** `//` floors, and `%` is what it leaves: `a == (a // b) * b + a % b`. */
function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient
}

type Arithmetic = '-' | '*' | '/' | '//' | '%'

function onInts(operator: Arithmetic, left: bigint, right: bigint): Value {
  if (operator === '-') return int64(left - right)
  if (operator === '*') return int64(left * right)
  if (right === 0n) throw zeroDivisionError('division by zero')
  if (operator === '/') return Number(left) / Number(right)
  const quotient = floorDivide(left, right)
  return operator === '//' ? int64(quotient) : left - quotient * right
}

function onDoubles(operator: Arithmetic, left: number, right: number): Value {
  if (operator === '-') return left - right
  if (operator === '*') return left * right
  if (right === 0) throw zeroDivisionError('division by zero')
  if (operator === '/') return left / right
  return operator === '//' ? Math.floor(left / right) : left - Math.floor(left / right) * right
}

function compare(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  const comparable =
    (isNumeric(left) && isNumeric(right)) || (typeof left === 'string' && typeof right === 'string')
  if (!comparable) throw mismatch(operator, left, right)
  // Code points order strings as their UTF-8 bytes do, which JavaScript's own comparison of UTF-16 does not.
  const [a, b] =
    typeof left === 'string' && typeof right === 'string'
      ? [Buffer.compare(Buffer.from(left), Buffer.from(right)), 0]
      : [left, right]
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  return operator === '>' ? a > b : a >= b
}

function contains(needle: Value, haystack: Value): boolean {
  if (isList(haystack)) return haystack.some(item => equalValues(item, needle))
  if (!isMap(haystack)) {
    throw typeError(`the argument of 'in' must be a map or a list; got: ${typeName(haystack)}`)
  }
  if (typeof needle !== 'string') throw typeError(`a map key must be a string; got: ${typeName(needle)}`)
  return haystack.has(needle)
}

/** Applies a binary operator other than `and` and `or`, which decide what is evaluated at all. */
export function applyBinary(
  operator: Exclude<BinaryOperator, 'and' | 'or'>,
  left: Value,
  right: Value,
): Value {
  switch (operator) {
    case '+':
      return add(left, right)
    case '==':
      return equalValues(left, right)
    case '!=':
      return !equalValues(left, right)
    case 'in':
      return contains(left, right)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator, left, right)
    default:
      if (typeof left === 'bigint' && typeof right === 'bigint') return onInts(operator, left, right)
      if (isNumeric(left) && isNumeric(right)) return onDoubles(operator, Number(left), Number(right))
      throw mismatch(operator, left, right)
  }
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return int64(-value)
  if (typeof value === 'number') return -value
  throw typeError(`unsupported operand type for unary -: '${typeName(value)}'`)
}

export function truth(value: Value, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw typeError(`${where} must be a boolean; got: ${typeName(value)}`)
}

/** `object.key` and `object[key]`. */
export function elementOf(object: Value, key: Value): Value {
  if (isMap(object)) {
    if (typeof key !== 'string') throw typeError(`a map key must be a string; got: ${typeName(key)}`)
    const value = object.get(key)
    if (value === undefined) throw keyError(`key not found: ${key}`)
    return value
  }
  if (isList(object)) {
    if (typeof key !== 'bigint') throw typeError(`a list index must be an integer; got: ${typeName(key)}`)
    const value = key < 0n ? undefined : object[Number(key)]
    if (value === undefined) throw indexError(`index ${key} is out of range for a list of ${object.length}`)
    return value
  }
  throw typeError(`a ${typeName(object)} has no elements: only a map or a list does`)
}
