/** What a function of the standard library or a connector is, and how it reads its arguments. */
import { typeError, valueError } from './errors.ts'
import type { Signature } from './program.ts'
import { isList, isMap, isNumeric, typeName, type Value, type ValueList, type ValueMap } from './values.ts'

/** What functions may use of the execution that calls them. */
export interface FunctionContext {
  /** Milliseconds since 1970. */
  now(): number
  /** Waits that many seconds; rejects with `Cancelled` when the execution is cancelled meanwhile. */
  sleep(seconds: number): Promise<void>
  /** `undefined` for a variable that is not set. */
  environment(name: string): string | undefined
  log(entry: { readonly severity: string; readonly data: Value }): void
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal
}

export interface LibraryFunction extends Signature {
  call(args: Args, context: FunctionContext): Value | Promise<Value>
}

export type Library = ReadonlyMap<string, LibraryFunction>

/** The arguments of one call, by name; each reader raises TypeError for a value of another type. */
export class Args {
  readonly values: ValueMap
  readonly #function: string

  constructor(functionName: string, values: ValueMap) {
    this.#function = functionName
    this.values = values
  }

  has(name: string): boolean {
    return this.values.has(name)
  }

  any(name: string): Value {
    return this.values.get(name) ?? null
  }

  /** Absent and null are alike for optional arguments. */
  optional<T>(name: string, read: (name: string) => T, fallback: T): T {
    return this.any(name) === null ? fallback : read.call(this, name)
  }

  text(name: string): string {
    const value = this.any(name)
    return typeof value === 'string' ? value : this.#mismatch(name, 'a string')
  }

  int(name: string): bigint {
    const value = this.any(name)
    return typeof value === 'bigint' ? value : this.#mismatch(name, 'an integer')
  }

  /** An int or a double. */
  number(name: string): bigint | number {
    const value = this.any(name)
    return isNumeric(value) ? value : this.#mismatch(name, 'a number')
  }

  boolean(name: string): boolean {
    const value = this.any(name)
    return typeof value === 'boolean' ? value : this.#mismatch(name, 'a boolean')
  }

  bytes(name: string): Uint8Array {
    const value = this.any(name)
    return value instanceof Uint8Array ? value : this.#mismatch(name, 'bytes')
  }

  /** Bytes, or the UTF-8 of a string. */
  bytesOrText(name: string): Uint8Array {
    const value = this.any(name)
    if (typeof value === 'string') return Buffer.from(value)
    return value instanceof Uint8Array ? value : this.#mismatch(name, 'bytes or a string')
  }

  list(name: string): ValueList {
    const value = this.any(name)
    return isList(value) ? value : this.#mismatch(name, 'a list')
  }

  map(name: string): ValueMap {
    const value = this.any(name)
    return isMap(value) ? value : this.#mismatch(name, 'a map')
  }

  #mismatch(name: string, expected: string): never {
    const got = typeName(this.any(name))
    throw typeError(`${this.#function}: argument "${name}" must be ${expected}; got: ${got}`)
  }
}

/** A function that answers at once. `parameters` is like `source start end?`, `?` marking the optional ones. */
export function plainFunction(
  parameters: string,
  call: (args: Args, context: FunctionContext) => Value,
): LibraryFunction {
  return { parameters: parseParameters(parameters), blocking: false, call }
}

/** A function that waits for something; only steps call it. */
export function blockingFunction(parameters: string, call: LibraryFunction['call']): LibraryFunction {
  return { parameters: parseParameters(parameters), blocking: true, call }
}

function parseParameters(text: string): Signature['parameters'] {
  const names = text.split(' ').filter(name => name !== '')
  return names.map(name => ({ name: name.replace('?', ''), required: !name.endsWith('?') }))
}

/** A positive number of seconds within a limit. */
export function seconds(value: Value, what: string, maximum: number): number {
  if (!isNumeric(value)) throw typeError(`${what} must be a number of seconds; got: ${typeName(value)}`)
  const number = Number(value)
  if (number > 0 && number <= maximum) return number
  throw valueError(`${what} must be more than 0 and at most ${maximum} seconds; got: ${number}`)
}
