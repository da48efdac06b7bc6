/** Parses expressions by precedence. */
import type { Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parsePrimary } from './parse-primary.ts'
import { parseQuery, startsQuery } from './parse-query.ts'

// https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#operator_precedence, loosest first;
// comparison and NOT, which are not plain binary operators, stand between these two groups.
const logical: readonly (readonly string[])[] = [['OR'], ['AND']]
const arithmetic: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '||'],
]
const comparisons: readonly string[] = ['=', '<', '>', '<=', '>=', '!=', '<>']

export function parseExpr(cursor: Cursor): Expr {
  return parseLogical(cursor, 0)
}

function parseLogical(cursor: Cursor, level: number): Expr {
  const ops = logical[level]
  if (!ops) return parseNot(cursor)
  return leftAssociative(cursor, ops, () => parseLogical(cursor, level + 1))
}

function parseNot(cursor: Cursor): Expr {
  const { at } = cursor.peek()
  if (cursor.take('NOT')) return { kind: 'unary', at, op: 'NOT', operand: parseNot(cursor) }
  return parseComparison(cursor)
}

function parseArithmetic(cursor: Cursor, level: number): Expr {
  const ops = arithmetic[level]
  if (!ops) return parseUnary(cursor)
  return leftAssociative(cursor, ops, () => parseArithmetic(cursor, level + 1))
}

function leftAssociative(cursor: Cursor, ops: readonly string[], operand: () => Expr): Expr {
  let left = operand()
  while (ops.includes(cursor.peek().key)) {
    const { key } = cursor.next()
    left = { kind: 'binary', at: left.at, op: key, left, right: operand() }
  }
  return left
}

function parseUnary(cursor: Cursor): Expr {
  const { at, key } = cursor.peek()
  if (key !== '-' && key !== '+' && key !== '~') return parsePrimary(cursor)
  cursor.next()
  const operand = parseUnary(cursor)
  // The smallest INT64 has no positive twin, so a sign belongs to its literal.
  if (key === '-' && operand.kind === 'literal' && (operand.type === 'INT64' || operand.type === 'FLOAT64')) {
    return {
      ...operand,
      at,
      value: negate(operand.value),
    }
  }
  return { kind: 'unary', at, op: key, operand }
}

function parseComparison(cursor: Cursor): Expr {
  const left = parseArithmetic(cursor, 0)
  const { at } = left
  const { key } = cursor.peek()
  if (comparisons.includes(key)) {
    cursor.next()
    const right = parseArithmetic(cursor, 0)
    if (comparisons.includes(cursor.peek().key)) throw cursor.unexpected()
    return { kind: 'binary', at, op: key === '<>' ? '!=' : key, left, right }
  }
  if (key === 'IS') return parseIs(cursor, left)
  const not = key === 'NOT'
  const operator = cursor.peek(not ? 1 : 0).key
  if (operator !== 'IN' && operator !== 'BETWEEN' && operator !== 'LIKE') return left
  if (not) cursor.next()
  cursor.next()
  if (operator === 'IN') return parseIn(cursor, left, not, at)
  if (operator === 'LIKE') return parseLike(cursor, left, not, at)
  const low = parseArithmetic(cursor, 0)
  cursor.expect('AND')
  return { kind: 'between', at, operand: left, not, low, high: parseArithmetic(cursor, 0) }
}

function parseLike(cursor: Cursor, left: Expr, not: boolean, at: number): Expr {
  const quantifier = cursor.peek().key
  if (quantifier === 'ANY' || quantifier === 'SOME' || quantifier === 'ALL')
    throw cursor.refuse(`LIKE ${quantifier}`)
  const like: Expr = { kind: 'binary', at, op: 'LIKE', left, right: parseArithmetic(cursor, 0) }
  return not ? { kind: 'unary', at, op: 'NOT', operand: like } : like
}

function parseIs(cursor: Cursor, operand: Expr): Expr {
  const { at } = operand
  cursor.next()
  const not = cursor.take('NOT')
  if (cursor.take('DISTINCT', 'FROM')) {
    return {
      kind: 'binary',
      at,
      op: not ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM',
      left: operand,
      right: parseArithmetic(cursor, 0),
    }
  }
  for (const what of ['NULL', 'TRUE', 'FALSE'] as const)
    if (cursor.take(what)) return { kind: 'is', at, operand, not, what }
  throw cursor.unexpected()
}

function parseIn(cursor: Cursor, operand: Expr, not: boolean, at: number): Expr {
  if (cursor.take('UNNEST')) {
    cursor.expect('(')
    const unnest = parseExpr(cursor)
    cursor.expect(')')
    return { kind: 'in', at, operand, not, unnest }
  }
  cursor.expect('(')
  const query = startsQuery(cursor) ? parseQuery(cursor) : undefined
  const list = query ? undefined : cursor.list(() => parseExpr(cursor))
  cursor.expect(')')
  return query ? { kind: 'in', at, operand, not, query } : { kind: 'in', at, operand, not, list: list ?? [] }
}

/** Zero has no sign. */
function negate(number: string): string {
  if (!/[1-9]/.test(number.replace(/[eE].*/, ''))) return number
  return number.startsWith('-') ? number.slice(1) : `-${number}`
}
