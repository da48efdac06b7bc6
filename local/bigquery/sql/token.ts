/** Cuts BigQuery SQL into tokens. */
import { type Offset, SqlFailure } from './error.ts'
import { readString } from './token-string.ts'

export type TokenKind =
  | 'word'
  | 'name'
  | 'string'
  | 'bytes'
  | 'integer'
  | 'float'
  | 'parameter'
  | 'mark'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  /** A decoded value: the name without backticks, the string's characters, the mark. */
  readonly text: string
  /** Upper case of an unquoted word or of a mark, else empty: what grammar rules compare with. */
  readonly key: string
  readonly at: Offset
  readonly end: Offset
}

const blank = /(?:\s+|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)+/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
// A number is not allowed to swallow the dot of `my-project-1.dataset`.
const number =
  /0[xX][0-9a-fA-F]+|(?:\d+\.\d+|\.\d+|\d+\.(?![A-Za-z_`])|\d+(?=[eE][+-]?\d)|\d+\.(?=[eE]\d))(?:[eE][+-]?\d+)?|\d+/y
const parameter = /@@?(?:[A-Za-z_][A-Za-z0-9_]*|`[^`\n]+`)/y
const mark = /<<|>>|<=|>=|<>|!=|\|\||\|>|=>|[-+*/%=<>()[\]{},.;?:~&|^!]/y
const stringStart = /(?:[rR][bB]?|[bB][rR]?)?(?:'''|"""|'|")/y
const quotedName = /`((?:[^`\\\n]|\\.)+)`/y

function match(pattern: RegExp, text: string, at: Offset): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function token(kind: TokenKind, text: string, key: string, at: Offset, end: Offset): Token {
  return { kind, text, key, at, end }
}

function readToken(text: string, at: Offset): Token {
  const opening = match(stringStart, text, at)
  if (opening !== undefined) {
    const { value, end, isBytes } = readString(text, at, opening)
    return token(isBytes ? 'bytes' : 'string', value, '', at, end)
  }
  const plain = match(word, text, at)
  if (plain !== undefined) return token('word', plain, plain.toUpperCase(), at, at + plain.length)
  const quoted = match(quotedName, text, at)
  if (quoted !== undefined)
    return token('name', quoted.slice(1, -1).replace(/\\(.)/g, '$1'), '', at, at + quoted.length)
  const digits = match(number, text, at)
  if (digits !== undefined) {
    const kind = /^(0[xX][0-9a-fA-F]+|\d+)$/.test(digits) ? 'integer' : 'float'
    return token(kind, digits, '', at, at + digits.length)
  }
  const named = match(parameter, text, at)
  if (named !== undefined) return token('parameter', named.replaceAll('`', ''), '', at, at + named.length)
  const sign = match(mark, text, at)
  if (sign !== undefined) return token('mark', sign, sign, at, at + sign.length)
  if (text[at] === '`') throw new SqlFailure('Syntax error: Unclosed identifier literal', at)
  throw new SqlFailure(
    `Syntax error: Illegal input character "${String.fromCodePoint(text.codePointAt(at) ?? 0)}"`,
    at,
  )
}

/** All tokens of a text, the last of kind `end`. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    at += match(blank, text, at)?.length ?? 0
    if (at >= text.length) break
    if (text.startsWith('/*', at)) throw new SqlFailure('Syntax error: Unclosed comment', at)
    const next = readToken(text, at)
    tokens.push(next)
    at = next.end
  }
  tokens.push(token('end', '', '', text.length, text.length))
  return tokens
}

/** A token as BigQuery's syntax errors name it. */
export function describe(token: Token, isKeyword: boolean): string {
  switch (token.kind) {
    case 'word':
      return isKeyword ? `keyword ${token.key}` : `identifier "${token.text}"`
    case 'name':
      return `identifier \`${token.text}\``
    case 'string':
      return `string literal ${JSON.stringify(token.text)}`
    case 'bytes':
      return 'bytes literal'
    case 'integer':
      return `integer literal "${token.text}"`
    case 'float':
      return `floating point literal "${token.text}"`
    case 'parameter':
      return token.text
    case 'mark':
      return `"${token.text}"`
    case 'end':
      return 'end of script'
  }
}
