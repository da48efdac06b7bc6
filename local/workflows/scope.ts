/** Variables: who sees them, who may change them, and how much memory they take. */
import { indexError, keyError, resourceLimitError, typeError, valueError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { isList, isMap, sizeOf, typeName, type Value, type ValueMap } from './values.ts'

/** The memory of one execution, shared by all its scopes. */
export class Memory {
  #used = 0

  add(bytes: number): void {
    this.#used += bytes
    if (bytes > 0 && this.#used > LIMITS.memoryBytes) throw resourceLimitError('Memory usage limit exceeded')
  }
}

/**
 * One level of variables. A variable first assigned in a loop, a branch or an except block ends with it; one that an
 * enclosing level has is changed there. A branch may change only what its parallel step lists as shared.
 * https://cloud.google.com/workflows/docs/reference/syntax/variables
 */
export class Scope {
  readonly #memory: Memory
  readonly #parent: Scope | undefined
  /** Set where a branch begins: the outer variables that it may write. */
  readonly #shared: ReadonlySet<string> | undefined
  readonly #variables = new Map<string, Value>()

  constructor(memory: Memory, parent?: Scope, shared?: ReadonlySet<string>) {
    this.#memory = memory
    this.#parent = parent
    this.#shared = shared
  }

  /** A level inside this one. `shared` makes it the beginning of a branch. */
  inner(shared?: ReadonlySet<string>): Scope {
    return new Scope(this.#memory, this, shared)
  }

  get(name: string): Value {
    const owner = this.#owner(name)
    const value = owner === undefined ? undefined : owner.#variables.get(name)
    if (value === undefined) throw keyError(`variable not found: ${name}`)
    return value
  }

  /** Declares in this very level, as parameters and loop variables are. */
  declare(name: string, value: Value): void {
    const old = this.#variables.get(name)
    this.#memory.add(sizeOf(value) - (old === undefined ? 0 : sizeOf(old)))
    this.#variables.set(name, value)
  }

  set(name: string, value: Value): void {
    const owner = this.#owner(name)
    if (owner === undefined) {
      this.declare(name, value)
      return
    }
    for (let scope: Scope = this; scope !== owner && scope.#parent; scope = scope.#parent) {
      if (scope.#shared && !scope.#shared.has(name)) {
        throw valueError(
          `variable ${name} belongs to the steps around this parallel step: list it under shared`,
        )
      }
    }
    owner.declare(name, value)
  }

  /** Assigns to an element: only maps and lists on the way are rebuilt, missing maps are made. */
  setElement(name: string, path: readonly Value[], value: Value): void {
    const root = this.#owner(name) === undefined ? new Map() : this.get(name)
    this.set(name, withElement(root, path, value))
  }

  /** Gives back the memory of this level. */
  close(): void {
    for (const value of this.#variables.values()) this.#memory.add(-sizeOf(value))
    this.#variables.clear()
  }

  #owner(name: string): Scope | undefined {
    if (this.#variables.has(name)) return this
    return this.#parent === undefined ? undefined : this.#parent.#owner(name)
  }
}

function withElement(container: Value, path: readonly Value[], value: Value): Value {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (isList(container)) {
    if (typeof key !== 'bigint') throw typeError(`a list index must be an integer; got: ${typeName(key)}`)
    const old = key < 0n ? undefined : container[Number(key)]
    if (old === undefined) throw indexError(`index ${key} is out of range for a list of ${container.length}`)
    return container.with(Number(key), withElement(old, rest, value))
  }
  if (container === null || isMap(container)) {
    if (typeof key !== 'string') throw typeError(`a map key must be a string; got: ${typeName(key)}`)
    const map: ValueMap = container ?? new Map()
    return new Map(map).set(key, withElement(map.get(key) ?? null, rest, value))
  }
  throw typeError(`a ${typeName(container)} has no elements: only a map or a list does`)
}
