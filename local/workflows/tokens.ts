/** Splits the text of an expression into tokens. */

export interface Token {
  readonly kind: 'int' | 'double' | 'string' | 'name' | 'symbol' | 'end'
  readonly text: string
  /** Offset in the expression. */
  readonly at: number
}

/** A malformed expression; `at` is the offset in its text. */
export class ExpressionError extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const NUMBER = /\d+(?<double>\.\d+)?(?<exponent>[eE][+-]?\d+)?/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SYMBOL = /\/\/|<=|>=|==|!=|[-+*/%<>()[\],.]/y
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '/': '/',
}

function readString(text: string, start: number): { value: string; end: number } {
  const quote = text[start]
  let value = ''
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]
    if (char === quote) return { value, end: i + 1 }
    if (char !== '\\') {
      value += char
      continue
    }
    const letter = text[++i] ?? ''
    const hex = letter === 'u' ? /^[0-9a-fA-F]{4}/.exec(text.slice(i + 1))?.[0] : undefined
    const plain = ESCAPES[letter]
    if (hex !== undefined) {
      value += String.fromCharCode(Number.parseInt(hex, 16))
      i += 4
    } else if (plain !== undefined) value += plain
    else throw new ExpressionError(`unknown escape \\${letter} in a string`, i - 1)
  }
  throw new ExpressionError('a string is not closed', start)
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function readToken(text: string, at: number): { token: Token; end: number } {
  const char = text[at]
  if (char === '"' || char === "'") {
    const { value, end } = readString(text, at)
    return { token: { kind: 'string', text: value, at }, end }
  }
  const number = match(NUMBER, text, at)
  if (number) {
    const isDouble = number.groups?.double !== undefined || number.groups?.exponent !== undefined
    return { token: { kind: isDouble ? 'double' : 'int', text: number[0], at }, end: at + number[0].length }
  }
  const name = match(NAME, text, at)
  if (name) return { token: { kind: 'name', text: name[0], at }, end: at + name[0].length }
  const symbol = match(SYMBOL, text, at)
  if (symbol) return { token: { kind: 'symbol', text: symbol[0], at }, end: at + symbol[0].length }
  throw new ExpressionError(`unexpected character ${JSON.stringify(char)}`, at)
}

/** The tokens of an expression (without its `${` and `}`), closed by an `end`. Throws `ExpressionError`. */
export function parseTokens(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      at++
      continue
    }
    const { token, end } = readToken(text, at)
    tokens.push(token)
    at = end
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }]
}
