/** Reads string and bytes literals: quotes, triple quotes, raw and bytes prefixes, escapes. */
import { type Offset, SqlFailure } from './error.ts'

// https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#escape_sequences
const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}
const coded = /([xX])([0-9a-fA-F]{2})|([0-3][0-7]{2})|(u)([0-9a-fA-F]{4})|(U)([0-9a-fA-F]{8})/y

function readEscape(text: string, at: Offset, isBytes: boolean): { value: string; end: Offset } {
  const next = text[at + 1] ?? ''
  const known = simple[next]
  if (known !== undefined) return { value: known, end: at + 2 }
  if (next === '\n') return { value: '', end: at + 2 }
  coded.lastIndex = at + 1
  const found = coded.exec(text)
  if (!found) throw new SqlFailure(`Syntax error: Illegal escape sequence: \\${next}`, at)
  const code = found[3]
    ? Number.parseInt(found[3], 8)
    : Number.parseInt(found[2] ?? found[5] ?? found[7] ?? '', 16)
  if (isBytes && (found[4] || found[6])) {
    throw new SqlFailure(
      `Syntax error: Illegal escape sequence: Unicode escape sequence \\${next} cannot be used in bytes literals`,
      at,
    )
  }
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new SqlFailure('Syntax error: Illegal escape sequence: value exceeds Unicode', at)
  }
  return { value: String.fromCodePoint(code), end: at + 1 + found[0].length }
}

function plainCharacter(text: string, at: Offset, isBytes: boolean): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  // A bytes literal holds the UTF-8 bytes of its characters, here one character each.
  return isBytes ? Buffer.from(character, 'utf8').toString('latin1') : character
}

/** Reads the literal that begins at `at` with `opening` (prefix and quotes). A bytes value has one character per byte. */
export function readString(
  text: string,
  at: Offset,
  opening: string,
): { value: string; end: Offset; isBytes: boolean } {
  const prefix = opening.replace(/['"]/g, '').toLowerCase()
  const quotes = opening.slice(prefix.length)
  const isBytes = prefix.includes('b')
  const isRaw = prefix.includes('r')
  let value = ''
  let i = at + opening.length
  while (!text.startsWith(quotes, i)) {
    const character = text[i]
    if (character === undefined || (character === '\n' && quotes.length === 1)) {
      throw new SqlFailure(
        `Syntax error: Unclosed ${quotes.length === 3 ? 'triple-quoted ' : ''}string literal`,
        at,
      )
    }
    if (character === '\\' && !isRaw) {
      const decoded = readEscape(text, i, isBytes)
      value += decoded.value
      i = decoded.end
    } else if (character === '\\') {
      value += character + plainCharacter(text, i + 1, isBytes)
      i += 1 + String.fromCodePoint(text.codePointAt(i + 1) ?? 0).length
    } else {
      value += plainCharacter(text, i, isBytes)
      i += String.fromCodePoint(text.codePointAt(i) ?? 0).length
    }
  }
  return { value, end: i + quotes.length, isBytes }
}
