/** The functions without a module: conversions, sizes, conditions. */
import { typeError, valueError } from '../errors.ts'
import { type Library, plainFunction } from '../library.ts'
import { int64, textOf } from '../operators.ts'
import { isList, isMap, isNumeric, type TypeName, typeName, type Value } from '../values.ts'

function conversionError(functionName: string, value: Value, expecting: string): Error {
  return typeError(
    `unsupported operand type for ${functionName}(): '${typeName(value)}' (expecting ${expecting})`,
  )
}

/** A double loses its fraction. */
function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw valueError(`int: ${value} is not finite`)
    return int64(BigInt(Math.trunc(value)))
  }
  if (typeof value !== 'string') throw conversionError('int', value, 'number or string')
  if (!/^[+-]?\d+$/.test(value)) throw valueError(`int: "${value}" is not an integer`)
  return int64(BigInt(value.replace('+', '')))
}

function toDouble(value: Value): Value {
  if (isNumeric(value)) return Number(value)
  if (typeof value !== 'string') throw conversionError('double', value, 'number or string')
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value))
    throw valueError(`double: "${value}" is not a number`)
  return Number(value)
}

function toText(value: Value): Value {
  const text = textOf(value)
  if (text === undefined) throw conversionError('string', value, 'number, string, or boolean')
  return text
}

function length(value: Value): Value {
  if (typeof value === 'string') return BigInt([...value].length)
  if (isList(value)) return BigInt(value.length)
  if (isMap(value)) return BigInt(value.size)
  throw conversionError('len', value, 'list, map or string')
}

const TYPE_NAMES: Readonly<Record<TypeName, string>> = {
  null: 'null',
  bool: 'boolean',
  int: 'integer',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  list: 'list',
  map: 'map',
}

/** False and null choose the second value. */
function choose(condition: Value, whenTrue: Value, whenFalse: Value): Value {
  if (condition !== null && typeof condition !== 'boolean')
    throw conversionError('if', condition, 'boolean or null')
  return condition ? whenTrue : whenFalse
}

/** https://cloud.google.com/workflows/docs/reference/stdlib/expression-helpers */
export const EXPRESSIONS: Library = new Map([
  ['int', plainFunction('x', args => toInt(args.any('x')))],
  ['double', plainFunction('x', args => toDouble(args.any('x')))],
  ['string', plainFunction('x', args => toText(args.any('x')))],
  ['keys', plainFunction('map', args => [...args.map('map').keys()])],
  ['len', plainFunction('value', args => length(args.any('value')))],
  [
    'default',
    plainFunction('val defaultVal', args =>
      args.any('val') === null ? args.any('defaultVal') : args.any('val'),
    ),
  ],
  [
    'if',
    plainFunction('condition ifTrue ifFalse', args =>
      choose(args.any('condition'), args.any('ifTrue'), args.any('ifFalse')),
    ),
  ],
  ['get_type', plainFunction('value', args => TYPE_NAMES[typeName(args.any('value'))])],
])
