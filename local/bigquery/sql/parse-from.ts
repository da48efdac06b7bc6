/** Parses FROM: tables, subqueries, UNNEST and joins. */
import type { From, FromTable, Join } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseExpr } from './parse-expr.ts'
import { parseQuery } from './parse-query.ts'
import { parseTableName } from './parse-table.ts'

export function parseFrom(cursor: Cursor): From {
  let left = parseJoined(cursor)
  for (;;) {
    const { at } = cursor.peek()
    if (!cursor.take(',')) return left
    left = { kind: 'join', at, type: 'CROSS', left, right: parseJoined(cursor) }
  }
}

function joinType(cursor: Cursor): Join['type'] | undefined {
  const { key } = cursor.peek()
  if (key === 'NATURAL') throw cursor.refuse('NATURAL JOIN')
  if (cursor.take('JOIN') || cursor.take('INNER', 'JOIN')) return 'INNER'
  if (cursor.take('CROSS', 'JOIN')) return 'CROSS'
  if (key !== 'LEFT' && key !== 'RIGHT' && key !== 'FULL') return undefined
  cursor.next()
  cursor.take('OUTER')
  cursor.expect('JOIN')
  return key
}

function parseJoined(cursor: Cursor): From {
  let left = parseFromItem(cursor)
  for (;;) {
    const { at } = cursor.peek()
    const type = joinType(cursor)
    if (!type) return left
    const right = parseFromItem(cursor)
    if (type === 'CROSS') left = { kind: 'join', at, type, left, right }
    else if (cursor.take('ON')) left = { kind: 'join', at, type, left, right, on: parseExpr(cursor) }
    else if (cursor.take('USING'))
      left = { kind: 'join', at, type, left, right, using: cursor.parenthesised(() => cursor.name()) }
    // A join with an UNNEST of the row's own array needs no condition.
    else if (right.kind === 'unnest' || right.kind === 'table') left = { kind: 'join', at, type, left, right }
    else throw cursor.unexpected('keyword ON or keyword USING')
  }
}

export function parseFromItem(cursor: Cursor): From {
  const { at } = cursor.peek()
  const item = cursor.at('UNNEST')
    ? parseUnnest(cursor)
    : cursor.at('(')
      ? parseParenthesised(cursor)
      : parseTable(cursor)
  for (const word of ['PIVOT', 'UNPIVOT', 'TABLESAMPLE', 'MATCH_RECOGNIZE'])
    if (cursor.at(word)) throw cursor.refuse(word, at)
  return item
}

function parseParenthesised(cursor: Cursor): From {
  const { at } = cursor.peek()
  let ahead = 0
  while (cursor.peek(ahead).key === '(') ahead++
  cursor.expect('(')
  if (!['SELECT', 'WITH'].includes(cursor.peek(ahead - 1).key)) {
    const joined = parseFrom(cursor)
    cursor.expect(')')
    return joined
  }
  const query = parseQuery(cursor)
  cursor.expect(')')
  const alias = fromAlias(cursor)
  return { kind: 'fromQuery', at, query, ...(alias === undefined ? {} : { alias }) }
}

/** Words that are no reserved keywords but begin a clause after a table. */
function fromAlias(cursor: Cursor): string | undefined {
  if (['PIVOT', 'UNPIVOT', 'MATCH_RECOGNIZE'].includes(cursor.peek().key)) return undefined
  return cursor.alias()
}

function parseUnnest(cursor: Cursor): From {
  const { at } = cursor.next()
  cursor.expect('(')
  const expr = parseExpr(cursor)
  if (cursor.at(',')) throw cursor.refuse('UNNEST of several arrays')
  cursor.expect(')')
  const alias = cursor.at('WITH') ? undefined : cursor.alias()
  const named = alias === undefined ? {} : { alias }
  if (!cursor.take('WITH', 'OFFSET')) return { kind: 'unnest', at, expr, ...named }
  return { kind: 'unnest', at, expr, ...named, offset: cursor.alias() ?? 'offset' }
}

function parseTable(cursor: Cursor): From {
  const { at } = cursor.peek()
  const name = parseTableName(cursor)
  if (cursor.at('(')) throw cursor.refuse('A table function')
  let asOf = parseAsOf(cursor)
  const alias = fromAlias(cursor)
  asOf ??= parseAsOf(cursor)
  const sample = parseSample(cursor)
  const table: FromTable = {
    kind: 'table',
    at,
    name,
    ...(alias === undefined ? {} : { alias }),
    ...(asOf ? { asOf } : {}),
    ...(sample === undefined ? {} : { sample }),
  }
  if (!cursor.take('WITH', 'OFFSET')) return table
  throw cursor.refuse('WITH OFFSET without UNNEST')
}

function parseSample(cursor: Cursor): number | undefined {
  if (!cursor.take('TABLESAMPLE')) return undefined
  cursor.expect('SYSTEM', '(')
  const percent = cursor.integer()
  cursor.expect('PERCENT', ')')
  if (percent <= 100) return percent
  throw cursor.refuse('TABLESAMPLE of more than 100 PERCENT')
}

export function parseAsOf(cursor: Cursor) {
  if (!cursor.at('FOR')) return undefined
  cursor.next()
  for (const word of ['SYSTEM_TIME', 'AS', 'OF']) cursor.expect(word)
  return parseExpr(cursor)
}
