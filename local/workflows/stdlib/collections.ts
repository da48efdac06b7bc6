/** list.*, map.* and math.*. */
import { typeError } from '../errors.ts'
import { type Args, type Library, plainFunction } from '../library.ts'
import { int64 } from '../operators.ts'
import { isList, isMap, type Value, type ValueMap } from '../values.ts'

/** A key, or a list of keys that leads through nested maps; what is not there is the default, or null. */
function get(args: Args): Value {
  const keys = args.any('keys')
  let value: Value = args.map('map')
  for (const key of isList(keys) ? keys : [keys]) {
    if (typeof key !== 'string')
      throw typeError('map.get: argument "keys" must be a string or a list of strings')
    const next: Value | undefined = isMap(value) ? value.get(key) : undefined
    if (next === undefined) return args.any('default')
    value = next
  }
  return value
}

function without(map: ValueMap, key: string): ValueMap {
  const copy = new Map(map)
  copy.delete(key)
  return copy
}

function mergeNested(first: ValueMap, second: ValueMap): ValueMap {
  const merged = new Map(first)
  for (const [key, value] of second) {
    const old = merged.get(key)
    merged.set(key, old !== undefined && isMap(old) && isMap(value) ? mergeNested(old, value) : value)
  }
  return merged
}

function absolute(value: bigint | number): Value {
  if (typeof value === 'number') return Math.abs(value)
  return int64(value < 0n ? -value : value)
}

/** The greatest integer that is not above the value. */
function floor(value: bigint | number): Value {
  return typeof value === 'bigint' ? value : int64(BigInt(Math.floor(value)))
}

export const COLLECTIONS: Library = new Map([
  ['list.concat', plainFunction('objs val', args => [...args.list('objs'), args.any('val')])],
  ['list.prepend', plainFunction('objs val', args => [args.any('val'), ...args.list('objs')])],
  ['map.get', plainFunction('map keys default?', get)],
  ['map.delete', plainFunction('map key', args => without(args.map('map'), args.text('key')))],
  [
    'map.merge',
    plainFunction('first second', args => new Map([...args.map('first'), ...args.map('second')])),
  ],
  [
    'map.merge_nested',
    plainFunction('first second', args => mergeNested(args.map('first'), args.map('second'))),
  ],
  ['math.abs', plainFunction('x', args => absolute(args.number('x')))],
  ['math.floor', plainFunction('x', args => floor(args.number('x')))],
  [
    'math.max',
    plainFunction('x y', args => (args.number('y') > args.number('x') ? args.any('y') : args.any('x'))),
  ],
  [
    'math.min',
    plainFunction('x y', args => (args.number('y') < args.number('x') ? args.any('y') : args.any('x'))),
  ],
])
