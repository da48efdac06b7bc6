/** Subscription filters on attributes (https://cloud.google.com/pubsub/docs/subscription-message-filter). */
import { invalid } from './errors.ts'

export type Attributes = Readonly<Record<string, string>>
export type Filter = (attributes: Attributes) => boolean

const token = /\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z_][\w-]*)|(!=|[().,:=-]))/y

/** Words, quoted texts (with their quotes) and symbols. */
function tokenize(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (text.slice(token.lastIndex).trim() !== '') {
    const at = token.lastIndex
    const match = token.exec(text)
    if (!match) throw invalid(`Invalid filter: unexpected text at offset ${at}: ${text.slice(at, at + 20)}`)
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '')
  }
  return tokens
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw invalid(`Invalid filter: malformed text ${text}`)
  }
}

/** What every JavaScript object inherits is no attribute. */
const ownValue = (attributes: Attributes, key: string) =>
  Object.hasOwn(attributes, key) ? attributes[key] : undefined

class Parser {
  readonly #tokens: string[]
  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  parse(): Filter {
    const filter = this.#expression()
    if (this.#tokens.length > 0) throw invalid(`Invalid filter: unexpected ${this.#tokens[0]}`)
    return filter
  }

  /** AND and OR must not be mixed without parentheses: the documentation gives them no precedence. */
  #expression(): Filter {
    const terms = [this.#term()]
    const operator = this.#tokens[0]
    if (operator !== 'AND' && operator !== 'OR') return terms[0] ?? (() => true)
    while (this.#take(operator)) terms.push(this.#term())
    if (this.#tokens[0] === 'AND' || this.#tokens[0] === 'OR')
      throw invalid('Invalid filter: AND and OR need parentheses when they are mixed.')
    if (operator === 'AND') return attributes => terms.every(term => term(attributes))
    return attributes => terms.some(term => term(attributes))
  }

  #term(): Filter {
    if (this.#take('NOT') || this.#take('-')) {
      const inner = this.#term()
      return attributes => !inner(attributes)
    }
    if (this.#take('(')) {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    return this.#take('hasPrefix') ? this.#prefix() : this.#comparison()
  }

  #prefix(): Filter {
    this.#expect('(')
    this.#expect('attributes')
    this.#expect('.')
    const key = this.#key()
    this.#expect(',')
    const prefix = this.#value()
    this.#expect(')')
    return attributes => ownValue(attributes, key)?.startsWith(prefix) ?? false
  }

  #comparison(): Filter {
    this.#expect('attributes')
    if (this.#take(':')) {
      const key = this.#key()
      return attributes => Object.hasOwn(attributes, key)
    }
    this.#expect('.')
    const key = this.#key()
    const equal = this.#take('=')
    if (!equal) this.#expect('!=')
    const value = this.#value()
    return attributes => (ownValue(attributes, key) === value) === equal
  }

  #key(): string {
    const text = this.#tokens.shift() ?? ''
    if (text.startsWith('"')) return unquote(text)
    if (!/^\w[\w-]*$/.test(text))
      throw invalid(`Invalid filter: expected an attribute's name, found ${text || 'the end'}`)
    return text
  }

  #value(): string {
    const text = this.#tokens.shift() ?? ''
    if (!text.startsWith('"'))
      throw invalid(`Invalid filter: expected a text in double quotes, found ${text || 'the end'}`)
    return unquote(text)
  }

  #take(expected: string): boolean {
    if (this.#tokens[0] !== expected) return false
    this.#tokens.shift()
    return true
  }

  #expect(expected: string): void {
    if (!this.#take(expected))
      throw invalid(`Invalid filter: expected ${expected}, found ${this.#tokens[0] ?? 'the end'}`)
  }
}

/** Throws INVALID_ARGUMENT for what the grammar does not allow. The empty filter lets everything through. */
export function parseFilter(text: string): Filter {
  if (text.trim() === '') return () => true
  if (Buffer.byteLength(text) > 256) throw invalid('Invalid filter: it is longer than 256 bytes.')
  return new Parser(text).parse()
}
