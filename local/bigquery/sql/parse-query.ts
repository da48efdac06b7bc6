/** Parses query expressions: WITH, set operations, SELECT blocks. */
import type { Expr, Query, QueryBody, Select, SelectItem, SetOperation } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import { parseOrder, parseWindow } from './parse-call.ts'
import { parseExpr } from './parse-expr.ts'
import { parseFrom } from './parse-from.ts'

export function startsQuery(cursor: Cursor): boolean {
  // `WITH (` begins an expression, not a query.
  return cursor.at('SELECT') || (cursor.at('WITH') && cursor.peek(1).key !== '(')
}

export function parseQuery(cursor: Cursor): Query {
  const { at } = cursor.peek()
  const ctes: Query['ctes'][number][] = []
  let recursive = false
  if (cursor.take('WITH')) {
    recursive = cursor.take('RECURSIVE')
    do ctes.push(parseCte(cursor))
    while (cursor.take(','))
  }
  const body = parseSet(cursor)
  const orderBy = cursor.take('ORDER', 'BY') ? parseOrder(cursor) : []
  const limit = cursor.take('LIMIT') ? parseCount(cursor) : undefined
  const offset = limit && cursor.take('OFFSET') ? parseCount(cursor) : undefined
  if (cursor.at('|>')) throw cursor.refuse('Pipe syntax')
  return {
    kind: 'query',
    at,
    recursive,
    ctes,
    body,
    orderBy,
    ...(limit ? { limit } : {}),
    ...(offset ? { offset } : {}),
  }
}

/** A number of rows: no sign, no arithmetic. */
function parseCount(cursor: Cursor): Expr {
  const { kind, key } = cursor.peek()
  if (kind !== 'integer' && kind !== 'parameter' && key !== '?' && key !== 'CAST') throw cursor.unexpected()
  return parseExpr(cursor)
}

function parseCte(cursor: Cursor): Query['ctes'][number] {
  const { at } = cursor.peek()
  const name = cursor.name()
  cursor.expect('AS', '(')
  const query = parseQuery(cursor)
  cursor.expect(')')
  return { name, query, at }
}

function setOperator(cursor: Cursor): SetOperation['op'] | undefined {
  const { key } = cursor.peek()
  if (key !== 'UNION' && key !== 'INTERSECT' && key !== 'EXCEPT') return undefined
  cursor.next()
  if (key === 'UNION' && cursor.take('ALL')) return 'UNION ALL'
  if (!cursor.take('DISTINCT'))
    throw cursor.unexpected(key === 'UNION' ? 'keyword ALL or keyword DISTINCT' : 'keyword DISTINCT')
  return `${key} DISTINCT`
}

/** Operators may not be mixed without parentheses, so there is no precedence among them. */
function parseSet(cursor: Cursor): QueryBody {
  let left = parseOperand(cursor)
  let first: SetOperation['op'] | undefined
  for (;;) {
    const { at } = cursor.peek()
    const op = setOperator(cursor)
    if (!op) return left
    if (cursor.at('BY') || cursor.at('CORRESPONDING')) throw cursor.refuse('A set operation by column name')
    if (first && first !== op) throw cursor.refuse('Mixing set operations without parentheses', at)
    first = op
    left = { kind: 'set', at, op, left, right: parseOperand(cursor) }
  }
}

function parseOperand(cursor: Cursor): QueryBody {
  if (!cursor.take('(')) return parseSelect(cursor)
  const query = parseQuery(cursor)
  cursor.expect(')')
  return query
}

function parseSelect(cursor: Cursor): Select {
  const { at } = cursor.peek()
  cursor.expect('SELECT')
  if (cursor.at('WITH')) throw cursor.refuse('SELECT WITH')
  const distinct = cursor.take('DISTINCT')
  if (!distinct) cursor.take('ALL')
  const as = cursor.take('AS', 'STRUCT') ? 'STRUCT' : cursor.take('AS', 'VALUE') ? 'VALUE' : undefined
  const items = parseItems(cursor)
  const from = cursor.take('FROM') ? parseFrom(cursor) : undefined
  const where = cursor.take('WHERE') ? parseExpr(cursor) : undefined
  const group = parseGroupBy(cursor)
  const having = cursor.take('HAVING') ? parseExpr(cursor) : undefined
  const qualify = cursor.take('QUALIFY') ? parseExpr(cursor) : undefined
  const windows = cursor.take('WINDOW') ? cursor.list(() => parseNamedWindow(cursor)) : []
  return {
    kind: 'select',
    at,
    distinct,
    items,
    windows,
    ...group,
    ...(as ? { as } : {}),
    ...(from ? { from } : {}),
    ...(where ? { where } : {}),
    ...(having ? { having } : {}),
    ...(qualify ? { qualify } : {}),
  }
}

function parseNamedWindow(cursor: Cursor): Select['windows'][number] {
  const name = cursor.name()
  cursor.expect('AS')
  return {
    name,
    spec: cursor.isName() ? { base: cursor.name(), partitionBy: [], orderBy: [] } : parseWindow(cursor),
  }
}

function parseGroupBy(cursor: Cursor): Pick<Select, 'groupBy' | 'grouping'> {
  if (!cursor.take('GROUP', 'BY')) return { groupBy: [] }
  if (cursor.take('ALL')) return { groupBy: [], grouping: 'ALL' }
  const key = cursor.peek().key
  if (key === 'GROUPING') throw cursor.refuse('GROUPING SETS')
  if ((key === 'ROLLUP' || key === 'CUBE') && cursor.peek(1).key === '(') {
    cursor.next()
    return { groupBy: cursor.parenthesised(() => parseExpr(cursor)), grouping: key }
  }
  return { groupBy: cursor.list(() => parseExpr(cursor)) }
}

/** A trailing comma is allowed. */
function parseItems(cursor: Cursor): SelectItem[] {
  if (cursor.at('FROM')) throw new SqlFailure('Syntax error: SELECT list must not be empty', cursor.peek().at)
  const items = [parseItem(cursor)]
  while (cursor.take(',')) {
    if (
      ['FROM', 'WHERE', ')', ';', 'ORDER', 'LIMIT', ''].includes(cursor.peek().key) &&
      !isOperandStart(cursor)
    )
      break
    items.push(parseItem(cursor))
  }
  return items
}

function isOperandStart(cursor: Cursor): boolean {
  return cursor.peek().key === '' && cursor.peek().kind !== 'end'
}

function parseItem(cursor: Cursor): SelectItem {
  const { at } = cursor.peek()
  if (cursor.take('*')) return { kind: 'star', at, ...parseStarModifiers(cursor) }
  const expr = parseExpr(cursor)
  if (cursor.at('.', '*')) {
    cursor.next()
    cursor.next()
    return { kind: 'star', at, of: expr, ...parseStarModifiers(cursor) }
  }
  const alias = cursor.alias()
  return { kind: 'expr', at, expr, ...(alias === undefined ? {} : { alias }) }
}

function parseStarModifiers(cursor: Cursor): { except: string[]; replace: { expr: Expr; name: string }[] } {
  const except =
    cursor.at('EXCEPT', '(') && cursor.take('EXCEPT') ? cursor.parenthesised(() => cursor.name()) : []
  const replace =
    cursor.at('REPLACE', '(') && cursor.take('REPLACE')
      ? cursor.parenthesised(() => {
          const expr = parseExpr(cursor)
          cursor.take('AS')
          return { expr, name: cursor.name() }
        })
      : []
  return { except, replace }
}
