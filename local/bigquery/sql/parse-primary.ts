/** Parses what expressions are made of: literals, names, parentheses, and the postfix `.field` and `[index]`. */
import type { Expr, Index, TypedLiteral } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import { parseCall } from './parse-call.ts'
import { parseExpr } from './parse-expr.ts'
import { parseArray, parseCase, parseCast, parseExtract, parseInterval, parseStruct } from './parse-forms.ts'
import { parseQuery, startsQuery } from './parse-query.ts'
import { bareFunctions } from './words.ts'

const typedLiterals: Readonly<Record<string, TypedLiteral['type']>> = {
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  NUMERIC: 'NUMERIC',
  DECIMAL: 'NUMERIC',
  BIGNUMERIC: 'BIGNUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
  JSON: 'JSON',
}

export function parsePrimary(cursor: Cursor): Expr {
  let base = parseAtom(cursor)
  for (;;) {
    const { at } = cursor.peek()
    if (cursor.at('.') && cursor.peek(1).key !== '*' && base.kind !== 'literal') {
      cursor.next()
      base = { kind: 'field', at, base, name: fieldName(cursor) }
    } else if (cursor.take('[')) base = parseIndex(cursor, base, at)
    else return base
  }
}

/** After a dot every word is a name, reserved or not. */
function fieldName(cursor: Cursor): string {
  const token = cursor.peek()
  if (token.kind !== 'word' && token.kind !== 'name') throw cursor.unexpected('identifier')
  return cursor.next().text
}

function parseIndex(cursor: Cursor, base: Expr, at: number): Index {
  const key = cursor.peek().key
  const how =
    key === 'OFFSET' || key === 'ORDINAL' || key === 'SAFE_OFFSET' || key === 'SAFE_ORDINAL' ? key : undefined
  if (how && cursor.peek(1).key === '(') {
    cursor.next()
    cursor.next()
    const index = parseExpr(cursor)
    cursor.expect(')', ']')
    return { kind: 'index', at, base, how, index }
  }
  const index = parseExpr(cursor)
  cursor.expect(']')
  return { kind: 'index', at, base, how: 'KEY', index }
}

function parseAtom(cursor: Cursor): Expr {
  const token = cursor.peek()
  const { at, text } = token
  switch (token.kind) {
    case 'string':
    case 'bytes':
      cursor.next()
      return { kind: 'literal', at, type: token.kind === 'string' ? 'STRING' : 'BYTES', value: text }
    case 'integer':
      cursor.next()
      return { kind: 'literal', at, type: 'INT64', value: /^0x/i.test(text) ? BigInt(text).toString() : text }
    case 'float':
      cursor.next()
      return { kind: 'literal', at, type: 'FLOAT64', value: text }
    case 'parameter':
      if (text.startsWith('@@')) throw cursor.refuse(`System variable ${text}`)
      cursor.next()
      return { kind: 'parameter', at, name: text.slice(1) }
    case 'mark':
      return parseMark(cursor)
    case 'word':
    case 'name':
      return parseWord(cursor)
    case 'end':
      throw cursor.unexpected()
  }
}

function parseMark(cursor: Cursor): Expr {
  const { at } = cursor.peek()
  if (cursor.take('?')) return { kind: 'parameter', at, index: cursor.positional++ }
  if (cursor.at('[')) return parseArray(cursor)
  if (!cursor.take('(')) throw cursor.unexpected()
  if (startsQuery(cursor)) {
    const query = parseQuery(cursor)
    cursor.expect(')')
    return { kind: 'subquery', at, form: 'scalar', query }
  }
  const items = cursor.list(() => parseExpr(cursor))
  cursor.expect(')')
  const [only] = items
  if (items.length === 1 && only) return only
  return { kind: 'struct', at, items: items.map(expr => ({ expr })), isTuple: true }
}

function parseWord(cursor: Cursor): Expr {
  const { at, key } = cursor.peek()
  if (key === 'NULL' || key === 'TRUE' || key === 'FALSE') {
    cursor.next()
    return { kind: 'literal', at, type: key === 'NULL' ? 'NULL' : 'BOOL', value: key.toLowerCase() }
  }
  const typed = typedLiterals[key]
  if (typed && cursor.peek(1).kind === 'string') {
    cursor.next()
    return { kind: 'typedLiteral', at, type: typed, value: cursor.next().text }
  }
  if (key === 'CASE') return parseCase(cursor)
  if (key === 'INTERVAL') return parseInterval(cursor)
  if (key === 'STRUCT') return parseStruct(cursor)
  if (key === 'ARRAY') return parseArray(cursor)
  if (cursor.peek(1).key === '(') {
    if (key === 'CAST' || key === 'SAFE_CAST') return parseCast(cursor)
    if (key === 'EXTRACT') return parseExtract(cursor)
    if (key === 'EXISTS') return parseExists(cursor)
    if (key === 'IF' || key === 'LEFT' || key === 'RIGHT' || key === 'GROUPING')
      return parseCall(cursor, [cursor.next().text], at)
    if (key === 'WITH' || key === 'NEW') throw cursor.refuse(`The ${key} expression`)
  }
  return parseName(cursor)
}

function parseName(cursor: Cursor): Expr {
  const { at } = cursor.peek()
  if (!cursor.isName()) throw cursor.unexpected()
  const isBare = bareFunctions.has(cursor.peek().key) && !['(', '.'].includes(cursor.peek(1).key)
  if (isBare) return makeBareCall(cursor.next().key, at)
  const parts = [cursor.next().text]
  while (cursor.at('.') && cursor.peek(1).key !== '*') {
    cursor.next()
    parts.push(fieldName(cursor))
  }
  if (cursor.at('(')) return parseCall(cursor, parts, at)
  return { kind: 'path', at, parts }
}

function makeBareCall(name: string, at: number): Expr {
  return { kind: 'call', at, name, safe: false, args: [], star: false, distinct: false, orderBy: [] }
}

function parseExists(cursor: Cursor): Expr {
  const { at } = cursor.next()
  cursor.expect('(')
  if (!startsQuery(cursor)) throw new SqlFailure('Syntax error: EXISTS needs a subquery', at)
  const query = parseQuery(cursor)
  cursor.expect(')')
  return { kind: 'subquery', at, form: 'exists', query }
}
