/** Signatures of functions written as one line of text, and the choice among overloads. */
import { canCoerce, coerce, commonType } from './coerce.ts'
import type { Emitted } from './env.ts'
import { functionLines } from './functions.ts'
import { jsonArgument } from './json-argument.ts'
import { scalarName } from './parse-type.ts'
import { duckType, type SqlType, sameType, scalar } from './type.ts'

/**
 * `NAME(STRING, INT64?, T...) RESULT = template`. A parameter is a type, `T` (one type for all of them), `ARRAY<T>`
 * or `ANY`; `?` makes it optional, `...` repeats it. In the template `$1` is the first argument, `$*` all of them.
 */
export interface Signature {
  readonly name: string
  readonly parameters: readonly string[]
  readonly least: number
  readonly repeats: boolean
  readonly result: string
  readonly template: string
}

const shape = /^([A-Z0-9_.]+)\(([^)]*)\) (\S+) = (.+)$/

export function parseSignature(line: string): Signature {
  const [, name = '', list = '', result = '', template = ''] = shape.exec(line) ?? []
  if (!name) throw new Error(`not a signature: ${line}`)
  const written = list === '' ? [] : list.split(/,\s*/)
  const parameters = written.map(p => p.replace(/(\?|\.\.\.)$/, ''))
  const least = written.filter(p => !/(\?|\.\.\.)$/.test(p)).length
  return { name, parameters, least, repeats: written.at(-1)?.endsWith('...') ?? false, result, template }
}

const byName = new Map<string, Signature[]>()

export function signaturesOf(name: string): readonly Signature[] | undefined {
  if (byName.size === 0) {
    for (const line of functionLines) {
      const signature = parseSignature(line)
      byName.set(signature.name, [...(byName.get(signature.name) ?? []), signature])
    }
  }
  return byName.get(name)
}

/** Every name the list serves. */
export function listedNames(): readonly string[] {
  signaturesOf('')
  return [...byName.keys()]
}

function toType(text: string, variable: SqlType | undefined): SqlType | undefined {
  if (text === 'T') return variable
  const of = /^ARRAY<(.+)>$/.exec(text)?.[1]
  if (of !== undefined) {
    const element = toType(of, variable)
    return element && { kind: 'array', of: element }
  }
  const name = scalarName(text)
  return name && scalar(name)
}

function parameterAt(signature: Signature, i: number): string | undefined {
  const { parameters, repeats } = signature
  return parameters[i] ?? (repeats ? parameters.at(-1) : undefined)
}

/** What `T` stands for, given the arguments. */
function bindVariable(signature: Signature, values: readonly Emitted[]): SqlType | undefined {
  const bound: Emitted[] = []
  for (const [i, value] of values.entries()) {
    const parameter = parameterAt(signature, i)
    if (parameter === 'T') bound.push(value)
    if (parameter === 'ARRAY<T>' && value.type.kind === 'array') bound.push({ sql: '', type: value.type.of })
  }
  return bound.length === 0 ? undefined : commonType(bound)
}

function accepts(signature: Signature, values: readonly Emitted[], isExact: boolean): SqlType[] | undefined {
  if (values.length < signature.least || (values.length > signature.parameters.length && !signature.repeats))
    return undefined
  const variable = bindVariable(signature, values)
  const types: SqlType[] = []
  for (const [i, value] of values.entries()) {
    const parameter = parameterAt(signature, i) ?? ''
    const type = parameter === 'ANY' ? jsonArgument(value) && value.type : toType(parameter, variable)
    if (
      !type ||
      !(isExact ? sameType(value.type, type) && value.literal?.type !== 'NULL' : canCoerce(value, type))
    )
      return undefined
    types.push(type)
  }
  return types
}

/** The first overload that fits as it is, else the first that fits with conversions; its text and result type. */
export function matchSignature(
  signatures: readonly Signature[],
  values: readonly Emitted[],
): Emitted | undefined {
  for (const isExact of [true, false]) {
    for (const signature of signatures) {
      const types = accepts(signature, values, isExact)
      if (types) return apply(signature, values, types)
    }
  }
  return undefined
}

function apply(
  signature: Signature,
  values: readonly Emitted[],
  types: readonly SqlType[],
): Emitted | undefined {
  const args = values.map((value, i) => {
    const isAny = parameterAt(signature, i) === 'ANY'
    const argument = isAny ? (jsonArgument(value) ?? value) : value
    return coerce(argument, isAny ? argument.type : (types[i] ?? value.type)).sql
  })
  const result = toType(signature.result, bindVariable(signature, values))
  if (!result) return undefined
  const sql = signature.template.replace(/\$(\d+|\*|T)/g, (_, which: string) => {
    if (which === '*') return args.join(', ')
    if (which === 'T') return duckType(result) ?? ''
    return args[Number(which) - 1] ?? 'NULL'
  })
  return { sql, type: result }
}
