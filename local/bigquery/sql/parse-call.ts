/** Parses function calls with all that may stand in and after their parentheses. */
import type { Call, Expr, Frame, FrameBound, OrderItem, WindowSpec } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseExpr } from './parse-expr.ts'
import { parseQuery, startsQuery } from './parse-query.ts'

/** `path` is the function's name, already read; the cursor is at its parenthesis. */
export function parseCall(cursor: Cursor, path: readonly string[], at: number): Call {
  const safe = path.length > 1 && path[0]?.toUpperCase() === 'SAFE'
  const name = path
    .slice(safe ? 1 : 0)
    .join('.')
    .toUpperCase()
  cursor.expect('(')
  const distinct = cursor.take('DISTINCT')
  const star = cursor.take('*')
  const args = star || cursor.at(')') ? [] : cursor.list(() => parseArgument(cursor))
  const modifiers = parseModifiers(cursor)
  cursor.expect(')')
  const over = cursor.take('OVER') ? parseOver(cursor) : undefined
  return { kind: 'call', at, name, safe, args, star, distinct, ...modifiers, ...(over ? { over } : {}) }
}

function parseArgument(cursor: Cursor): Expr {
  if (cursor.isName() && cursor.peek(1).key === '=>') throw cursor.refuse('A named argument')
  if (startsQuery(cursor)) {
    const { at } = cursor.peek()
    return { kind: 'subquery', at, form: 'scalar', query: parseQuery(cursor) }
  }
  return parseExpr(cursor)
}

function parseModifiers(cursor: Cursor): Pick<Call, 'orderBy' | 'nulls' | 'having' | 'limit'> {
  const nulls = cursor.take('IGNORE', 'NULLS')
    ? 'IGNORE'
    : cursor.take('RESPECT', 'NULLS')
      ? 'RESPECT'
      : undefined
  let having: Call['having']
  if (cursor.take('HAVING')) {
    const which = cursor.take('MAX') ? 'MAX' : 'MIN'
    if (which === 'MIN' && !cursor.take('MIN')) throw cursor.unexpected('keyword MAX')
    having = { which, expr: parseExpr(cursor) }
  }
  const orderBy = cursor.take('ORDER', 'BY') ? parseOrder(cursor) : []
  const limit = cursor.take('LIMIT') ? parseExpr(cursor) : undefined
  return { orderBy, ...(nulls ? { nulls } : {}), ...(having ? { having } : {}), ...(limit ? { limit } : {}) }
}

export function parseOrder(cursor: Cursor): OrderItem[] {
  return cursor.list(() => {
    const expr = parseExpr(cursor)
    if (cursor.at('COLLATE')) throw cursor.refuse('COLLATE')
    const descending = cursor.take('DESC')
    if (!descending) cursor.take('ASC')
    const nulls = cursor.take('NULLS', 'FIRST') ? 'FIRST' : cursor.take('NULLS', 'LAST') ? 'LAST' : undefined
    return { expr, descending, ...(nulls ? { nulls } : {}) }
  })
}

function parseOver(cursor: Cursor): WindowSpec {
  if (cursor.isName()) return { base: cursor.name(), partitionBy: [], orderBy: [] }
  return parseWindow(cursor)
}

export function parseWindow(cursor: Cursor): WindowSpec {
  cursor.expect('(')
  const base = cursor.isName() ? cursor.name() : undefined
  const partitionBy = cursor.take('PARTITION', 'BY') ? cursor.list(() => parseExpr(cursor)) : []
  const orderBy = cursor.take('ORDER', 'BY') ? parseOrder(cursor) : []
  const frame = cursor.at('ROWS') || cursor.at('RANGE') ? parseFrame(cursor) : undefined
  cursor.expect(')')
  return { partitionBy, orderBy, ...(base === undefined ? {} : { base }), ...(frame ? { frame } : {}) }
}

function parseFrame(cursor: Cursor): Frame {
  const unit = cursor.next().key === 'ROWS' ? 'ROWS' : 'RANGE'
  if (!cursor.take('BETWEEN')) return { unit, start: parseBound(cursor) }
  const start = parseBound(cursor)
  cursor.expect('AND')
  return { unit, start, end: parseBound(cursor) }
}

function parseBound(cursor: Cursor): FrameBound {
  if (cursor.take('UNBOUNDED', 'PRECEDING')) return { kind: 'UNBOUNDED PRECEDING' }
  if (cursor.take('UNBOUNDED', 'FOLLOWING')) return { kind: 'UNBOUNDED FOLLOWING' }
  if (cursor.at('CURRENT') && cursor.peek(1).key === 'ROW') {
    cursor.next()
    cursor.next()
    return { kind: 'CURRENT ROW' }
  }
  const offset = parseExpr(cursor)
  if (cursor.take('PRECEDING')) return { kind: 'PRECEDING', offset }
  cursor.expect('FOLLOWING')
  return { kind: 'FOLLOWING', offset }
}
