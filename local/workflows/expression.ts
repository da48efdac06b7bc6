/** Parses `${…}`: a Pratt parser over the precedence table of the Workflows syntax reference. */
import { ExpressionError, parseTokens, type Token } from './tokens.ts'
import type { Value } from './values.ts'

export type BinaryOperator =
  | ('or' | 'and')
  | ('<' | '<=' | '>' | '>=' | '==' | '!=' | 'in')
  | ('+' | '-')
  | ('*' | '/' | '//' | '%')

export type Expression =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: Expression; readonly key: string }
  | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-'; readonly operand: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'call'; readonly function: string; readonly args: readonly Expression[] }

/**
 * Binding power, one level per row of the table: comparison, equality and membership share one.
 * https://cloud.google.com/workflows/docs/reference/syntax/datatypes#order-operations
 */
const POWER = new Map<string, readonly [BinaryOperator, number]>([
  ['or', ['or', 1]],
  ['OR', ['or', 1]],
  ['and', ['and', 2]],
  ['AND', ['and', 2]],
  ['<', ['<', 3]],
  ['<=', ['<=', 3]],
  ['>', ['>', 3]],
  ['>=', ['>=', 3]],
  ['==', ['==', 3]],
  ['!=', ['!=', 3]],
  ['in', ['in', 3]],
  ['IN', ['in', 3]],
  ['+', ['+', 4]],
  ['-', ['-', 4]],
  ['*', ['*', 5]],
  ['/', ['/', 5]],
  ['//', ['//', 5]],
  ['%', ['%', 5]],
])
/** `not` and unary minus bind tighter than every binary operator: write `not ("k" in m)`. */
const PREFIX_POWER = 6

const LITERALS = new Map<string, Value>([
  ...['true', 'True', 'TRUE'].map(word => [word, true] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, false] as const),
  ['null', null],
])
const RESERVED = new Set(['and', 'AND', 'or', 'OR', 'not', 'NOT', 'in', 'IN'])
const INT64_MAX = 2n ** 63n - 1n

/** The dotted name that a chain of plain members spells, such as `text.split`. */
export function dottedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name
  if (expression.kind !== 'member') return undefined
  const object = dottedName(expression.object)
  return object === undefined ? undefined : `${object}.${expression.key}`
}

class Parser {
  #at = 0
  readonly #tokens: readonly Token[]

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  peek(): Token {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new ExpressionError('the expression ends too early', 0)
    return token
  }

  take(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  sees(symbol: string): boolean {
    return this.peek().kind === 'symbol' && this.peek().text === symbol
  }

  expect(symbol: string): void {
    const token = this.take()
    if (token.kind !== 'symbol' || token.text !== symbol) throw unexpected(token, `, expected ${symbol}`)
  }

  parse(minimum: number): Expression {
    let left = this.prefix()
    for (;;) {
      const token = this.peek()
      const known = token.kind === 'string' ? undefined : POWER.get(token.text)
      if (known === undefined || known[1] < minimum) return left
      this.take()
      left = { kind: 'binary', operator: known[0], left, right: this.parse(known[1] + 1) }
    }
  }

  prefix(): Expression {
    const token = this.peek()
    if (token.kind === 'name' && (token.text === 'not' || token.text === 'NOT')) {
      this.take()
      return { kind: 'unary', operator: 'not', operand: this.parse(PREFIX_POWER) }
    }
    if (this.sees('-')) {
      this.take()
      return { kind: 'unary', operator: '-', operand: this.parse(PREFIX_POWER) }
    }
    return this.postfix(this.primary())
  }

  postfix(start: Expression): Expression {
    let object = start
    for (;;) {
      if (this.sees('.')) {
        this.take()
        const key = this.take()
        if (key.kind !== 'name') throw unexpected(key, ', expected a key after "."')
        object = { kind: 'member', object, key: key.text }
      } else if (this.sees('[')) {
        this.take()
        object = { kind: 'index', object, index: this.parse(1) }
        this.expect(']')
      } else if (this.sees('(')) {
        const name = dottedName(object)
        if (name === undefined) throw unexpected(this.peek(), ': only a named function can be called')
        this.take()
        object = { kind: 'call', function: name, args: this.list(')') }
      } else return object
    }
  }

  /** Expressions up to a closing bracket, which is taken. */
  list(close: string): Expression[] {
    const items: Expression[] = []
    if (!this.sees(close)) {
      items.push(this.parse(1))
      while (this.sees(',')) {
        this.take()
        items.push(this.parse(1))
      }
    }
    this.expect(close)
    return items
  }

  primary(): Expression {
    const token = this.take()
    if (token.kind === 'string') return { kind: 'literal', value: token.text }
    if (token.kind === 'double') return { kind: 'literal', value: Number(token.text) }
    if (token.kind === 'int') return { kind: 'literal', value: parseInt64(token) }
    if (token.kind === 'symbol' && token.text === '(') {
      const inner = this.parse(1)
      this.expect(')')
      return inner
    }
    if (token.kind === 'symbol' && token.text === '[') return { kind: 'list', items: this.list(']') }
    if (token.kind !== 'name' || RESERVED.has(token.text)) throw unexpected(token, '')
    const literal = LITERALS.get(token.text)
    return literal === undefined ? { kind: 'name', name: token.text } : { kind: 'literal', value: literal }
  }
}

function parseInt64(token: Token): bigint {
  const value = BigInt(token.text)
  if (value > INT64_MAX) throw new ExpressionError(`${token.text} does not fit a 64-bit integer`, token.at)
  return value
}

function unexpected(token: Token, more: string): ExpressionError {
  const what = token.kind === 'end' ? 'the expression ends too early' : `unexpected "${token.text}"`
  return new ExpressionError(`${what}${more}`, token.at)
}

/** Parses the text between `${` and `}`. Throws `ExpressionError`. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(parseTokens(text))
  const expression = parser.parse(1)
  const rest = parser.peek()
  if (rest.kind === 'name' && rest.text === 'not') {
    throw new ExpressionError('"not in" is not an operator of Workflows: write not ("key" in map)', rest.at)
  }
  if (rest.kind !== 'end') throw unexpected(rest, '')
  return expression
}
