/** A place in a token list, and the small moves that every grammar rule is made of. */
import { type Offset, SqlFailure } from './error.ts'
import { describe, type Token, tokenize } from './token.ts'
import { isReserved } from './words.ts'

export class Cursor {
  readonly text: string
  readonly tokens: readonly Token[]
  position = 0
  /** Positional parameters met so far. */
  positional = 0

  constructor(text: string) {
    this.text = text
    this.tokens = tokenize(text)
  }

  peek(ahead = 0): Token {
    const token = this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)]
    if (!token) throw new Error('a token list ends with an end token')
    return token
  }

  next(): Token {
    const token = this.peek()
    this.position++
    return token
  }

  /** Whether the coming tokens are these keywords or marks. */
  at(...keys: readonly string[]): boolean {
    return keys.every((key, i) => this.peek(i).key === key)
  }

  /** Skips these keywords or marks if they come next. */
  take(...keys: readonly string[]): boolean {
    if (!this.at(...keys)) return false
    this.position += keys.length
    return true
  }

  expect(...keys: readonly string[]): void {
    for (const key of keys)
      if (!this.take(key)) throw this.unexpected(/^\w/.test(key) ? `keyword ${key}` : `"${key}"`)
  }

  unexpected(expected?: string): SqlFailure {
    const token = this.peek()
    const got = describe(token, isReserved(token.key))
    return new SqlFailure(
      `Syntax error: ${expected ? `Expected ${expected} but got ${got}` : `Unexpected ${got}`}`,
      token.at,
    )
  }

  refuse(what: string, at: Offset = this.peek().at): SqlFailure {
    return new SqlFailure(`${what} is not supported by the local BigQuery`, at)
  }

  isName(ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'name' || (token.kind === 'word' && !isReserved(token.key))
  }

  name(): string {
    if (!this.isName()) throw this.unexpected('identifier')
    return this.next().text
  }

  /** `AS name`, or a bare name. */
  alias(): string | undefined {
    if (this.take('AS')) return this.name()
    return this.isName() ? this.name() : undefined
  }

  list<T>(item: () => T): T[] {
    const items = [item()]
    while (this.take(',')) items.push(item())
    return items
  }

  /** `( item, … )` */
  parenthesised<T>(item: () => T): T[] {
    this.expect('(')
    const items = this.list(item)
    this.expect(')')
    return items
  }

  integer(): number {
    const negative = this.take('-')
    if (this.peek().kind !== 'integer') throw this.unexpected('integer literal')
    const value = Number(this.next().text)
    return negative ? -value : value
  }
}
