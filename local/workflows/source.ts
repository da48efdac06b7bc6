/** Reads the YAML (or JSON) text of a workflow, so that every problem can say where it is. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { InvalidSource, type Position } from './errors.ts'
import { type Expression, parseExpression } from './expression.ts'
import { LIMITS } from './limits.ts'
import type { Template } from './program.ts'
import { ExpressionError } from './tokens.ts'

/** One problem of the source; collected per step, so that a deployment names them all. */
export class SourceProblem extends Error {
  readonly node: unknown
  constructor(message: string, node: unknown) {
    super(message)
    this.node = node
  }
}

export interface Entry {
  readonly key: string
  readonly keyNode: Node
  readonly value: Node | null
}

type Scalar = string | boolean | bigint | number | null

export class Source {
  readonly root: Node | null
  readonly #lines = new LineCounter()
  /** Told of every expression with the node that holds it. */
  readonly #onExpression: (expression: Expression, node: Node) => void

  constructor(text: string, onExpression: (expression: Expression, node: Node) => void) {
    this.#onExpression = onExpression
    const document = parseDocument(text, { lineCounter: this.#lines, intAsBigInt: true, uniqueKeys: true })
    // One slip in YAML makes a cascade of errors; only the first says something.
    const [error] = document.errors
    if (error)
      throw new InvalidSource([`not valid YAML: ${error.message.trim()} (in { } and [ ], quote \${…})`])
    this.root = document.contents
  }

  position(node: unknown): Position {
    const offset = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
    const start = Array.isArray(offset) && typeof offset[0] === 'number' ? offset[0] : 0
    const { line, col } = this.#lines.linePos(start)
    return { line, column: col }
  }

  entries(node: Node | null, what: string): readonly Entry[] {
    if (!isMap(node)) throw new SourceProblem(`${what} must be a map`, node)
    return node.items.map(({ key, value }) => {
      if (!isScalar(key)) throw new SourceProblem(`a key of ${what} must be a plain name`, key)
      return { key: String(key.value), keyNode: key, value: asNode(value) }
    })
  }

  /** The entries by key, each of which must be among `allowed`. */
  fields(node: Node | null, what: string, allowed: readonly string[]): ReadonlyMap<string, Node | null> {
    const entries = this.entries(node, what)
    for (const { key, keyNode } of entries) {
      if (!allowed.includes(key)) {
        throw new SourceProblem(
          `unknown key "${key}" in ${what}; it may have: ${allowed.join(', ')}`,
          keyNode,
        )
      }
    }
    return new Map(entries.map(({ key, value }) => [key, value]))
  }

  items(node: Node | null, what: string): readonly Node[] {
    if (!isSeq(node)) throw new SourceProblem(`${what} must be a list`, node)
    return node.items.map(item => asNode(item) ?? node)
  }

  /** A map with exactly one key, as steps, assignments and branches are written. */
  single(node: Node | null, what: string): Entry {
    const entries = this.entries(node, what)
    const [entry] = entries
    if (entry === undefined || entries.length > 1) {
      throw new SourceProblem(`${what} must be a map with one key; it has ${entries.length}`, node)
    }
    return entry
  }

  text(node: Node | null, what: string): string {
    if (!isScalar(node) || typeof node.value !== 'string')
      throw new SourceProblem(`${what} must be a string`, node)
    return node.value
  }

  name(node: Node | null, what: string): string {
    const name = this.text(node, what)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SourceProblem(`${what} "${name}" is not a name`, node)
    return name
  }

  template(node: Node | null): Template {
    if (node === null) return { kind: 'literal', value: null }
    if (isAlias(node)) throw new SourceProblem('YAML aliases are not supported', node)
    if (isSeq(node)) return { kind: 'list', items: node.items.map(item => this.template(asNode(item))) }
    if (isMap(node)) {
      const entries = this.entries(node, 'a map').map(
        ({ key, value }) => [key, this.template(value)] as const,
      )
      return { kind: 'map', entries }
    }
    const value = scalarOf(node)
    if (typeof value === 'string' && value.includes('${')) {
      return { kind: 'expression', expression: this.expression(value, node) }
    }
    return { kind: 'literal', value }
  }

  /** A string that must be one whole `${…}`. */
  expression(text: string, node: Node): Expression {
    const inner = /^\s*\$\{(?<inner>.*)\}\s*$/s.exec(text)?.groups?.inner
    if (inner === undefined) {
      throw new SourceProblem(
        `an expression must be the whole value: write \${"text" + x}, not ${text}`,
        node,
      )
    }
    return this.bareExpression(inner, node)
  }

  bareExpression(text: string, node: Node): Expression {
    if (text.length > LIMITS.expressionCharacters) {
      const limit = LIMITS.expressionCharacters
      throw new SourceProblem(
        `an expression of ${text.length} characters; at most ${limit} are allowed`,
        node,
      )
    }
    try {
      const expression = parseExpression(text)
      this.#onExpression(expression, node)
      return expression
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      throw new SourceProblem(`in \${${text}}: ${error.message} (at character ${error.at + 1})`, node)
    }
  }
}

function asNode(value: unknown): Node | null {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value) ? value : null
}

function scalarOf(node: Node): Scalar {
  const value: unknown = isScalar(node) ? node.value : null
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'bigint' || typeof value === 'number') return value
  throw new SourceProblem('this kind of YAML value is not supported', node)
}
