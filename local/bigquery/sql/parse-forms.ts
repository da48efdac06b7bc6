/** Parses the expressions with a grammar of their own: CASE, CAST, EXTRACT, INTERVAL, ARRAY and STRUCT. */
import type { Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseExpr } from './parse-expr.ts'
import { parseQuery, startsQuery } from './parse-query.ts'
import { parseType } from './parse-type.ts'
import type { SqlType } from './type.ts'

export function parseCase(cursor: Cursor): Expr {
  const { at } = cursor.next()
  const operand = cursor.at('WHEN') ? undefined : parseExpr(cursor)
  const branches: { when: Expr; result: Expr }[] = []
  while (cursor.take('WHEN')) {
    const when = parseExpr(cursor)
    cursor.expect('THEN')
    branches.push({ when, result: parseExpr(cursor) })
  }
  if (branches.length === 0) throw cursor.unexpected('keyword WHEN')
  const otherwise = cursor.take('ELSE') ? parseExpr(cursor) : undefined
  cursor.expect('END')
  return { kind: 'case', at, branches, ...(operand ? { operand } : {}), ...(otherwise ? { otherwise } : {}) }
}

export function parseCast(cursor: Cursor): Expr {
  const { at, key } = cursor.next()
  cursor.expect('(')
  const operand = parseExpr(cursor)
  cursor.expect('AS')
  const type = parseType(cursor)
  if (cursor.at('FORMAT')) throw cursor.refuse('CAST with FORMAT')
  cursor.expect(')')
  return { kind: 'cast', at, operand, type, safe: key === 'SAFE_CAST' }
}

export function parseExtract(cursor: Cursor): Expr {
  const { at } = cursor.next()
  cursor.expect('(')
  let part = cursor.name().toUpperCase()
  if (cursor.take('(')) {
    part = `${part}(${cursor.name().toUpperCase()})`
    cursor.expect(')')
  }
  cursor.expect('FROM')
  const operand = parseExpr(cursor)
  let zone: Expr | undefined
  if (cursor.take('AT')) {
    if (!cursor.take('TIME') || !cursor.take('ZONE')) throw cursor.unexpected('keyword TIME ZONE')
    zone = parseExpr(cursor)
  }
  cursor.expect(')')
  return { kind: 'extract', at, part, operand, ...(zone ? { zone } : {}) }
}

export function parseInterval(cursor: Cursor): Expr {
  const { at } = cursor.next()
  const value = parseExpr(cursor)
  const part = cursor.name().toUpperCase()
  if (cursor.take('TO')) {
    const to = cursor.name().toUpperCase()
    if (value.kind !== 'literal' || value.type !== 'STRING')
      throw cursor.refuse('An INTERVAL TO of no text', at)
    return { kind: 'intervalRange', at, text: value.value, from: part, to }
  }
  return { kind: 'interval', at, value, part }
}

/** `[…]`, `ARRAY[…]`, `ARRAY<T>[…]` or `ARRAY(SELECT …)`. */
export function parseArray(cursor: Cursor): Expr {
  const { at } = cursor.peek()
  let of: SqlType | undefined
  if (cursor.at('ARRAY', '<')) {
    const type = parseType(cursor)
    if (type.kind === 'array') of = type.of
  } else if (cursor.take('ARRAY') && cursor.take('(')) {
    if (!startsQuery(cursor)) throw cursor.unexpected('keyword SELECT')
    const query = parseQuery(cursor)
    cursor.expect(')')
    return { kind: 'subquery', at, form: 'array', query }
  }
  cursor.expect('[')
  const items = cursor.at(']') ? [] : cursor.list(() => parseExpr(cursor))
  cursor.expect(']')
  return { kind: 'array', at, items, ...(of ? { of } : {}) }
}

export function parseStruct(cursor: Cursor): Expr {
  const { at } = cursor.peek()
  const type = cursor.at('STRUCT', '<') ? parseType(cursor) : undefined
  if (!type) cursor.expect('STRUCT')
  cursor.expect('(')
  const items = cursor.at(')')
    ? []
    : cursor.list(() => {
        const expr = parseExpr(cursor)
        const name = cursor.take('AS') ? cursor.name() : undefined
        return name === undefined ? { expr } : { expr, name }
      })
  cursor.expect(')')
  return { kind: 'struct', at, items, ...(type ? { type } : {}) }
}
