/** Parses INSERT, DELETE, UPDATE, MERGE and TRUNCATE. */
import type { Expr, From } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import { parseExpr } from './parse-expr.ts'
import { parseFrom, parseFromItem } from './parse-from.ts'
import { parseQuery } from './parse-query.ts'
import type { Unplaced } from './parse-script.ts'
import { parseTableName } from './parse-table.ts'
import type { Assignment, MergeAction, MergeClause } from './statement.ts'

function valueOrDefault(cursor: Cursor): Expr | undefined {
  return cursor.take('DEFAULT') ? undefined : parseExpr(cursor)
}

function columnList(cursor: Cursor): string[] {
  return cursor.at('(') ? cursor.parenthesised(() => cursor.name()) : []
}

export function parseInsert(cursor: Cursor): Unplaced {
  cursor.next()
  cursor.take('INTO')
  const name = parseTableName(cursor)
  const columns =
    cursor.at('(') && !['SELECT', 'WITH', '('].includes(cursor.peek(1).key) ? columnList(cursor) : []
  const made = { kind: 'insert', statementType: 'INSERT', name, columns } as const
  if (cursor.take('VALUES')) {
    return { ...made, values: cursor.list(() => cursor.parenthesised(() => valueOrDefault(cursor))) }
  }
  return { ...made, query: parseQuery(cursor) }
}

/** The target's alias; SET, USING and WHERE follow it and are reserved or checked for. */
function targetAlias(cursor: Cursor): { alias?: string } {
  const alias = cursor.at('USING') ? undefined : cursor.alias()
  return alias === undefined ? {} : { alias }
}

export function parseDelete(cursor: Cursor): Unplaced {
  const { at } = cursor.next()
  cursor.take('FROM')
  const name = parseTableName(cursor)
  const alias = targetAlias(cursor)
  if (!cursor.take('WHERE')) throw new SqlFailure('DELETE must have a WHERE clause', at)
  return { kind: 'delete', statementType: 'DELETE', name, ...alias, where: parseExpr(cursor) }
}

function parseAssignment(cursor: Cursor, target: string): Assignment {
  const { at } = cursor.peek()
  const parts = [cursor.name()]
  while (cursor.take('.')) parts.push(cursor.name())
  if (parts.length === 2 && parts[0]?.toLowerCase() === target.toLowerCase()) parts.shift()
  const [column] = parts
  if (parts.length !== 1 || column === undefined) throw cursor.refuse('Assigning to a field of a STRUCT', at)
  cursor.expect('=')
  return { column, value: valueOrDefault(cursor), at }
}

export function parseUpdate(cursor: Cursor): Unplaced {
  const { at } = cursor.next()
  const name = parseTableName(cursor)
  const alias = targetAlias(cursor)
  cursor.expect('SET')
  const set = cursor.list(() => parseAssignment(cursor, alias.alias ?? name.table))
  const from = cursor.take('FROM') ? parseFrom(cursor) : undefined
  if (!cursor.take('WHERE')) throw new SqlFailure('UPDATE must have a WHERE clause', at)
  return {
    kind: 'update',
    statementType: 'UPDATE',
    name,
    ...alias,
    set,
    where: parseExpr(cursor),
    ...(from ? { from } : {}),
  }
}

export function parseMerge(cursor: Cursor): Unplaced {
  cursor.next()
  cursor.take('INTO')
  const name = parseTableName(cursor)
  const alias = targetAlias(cursor)
  cursor.expect('USING')
  const source: From = parseFromItem(cursor)
  cursor.expect('ON')
  const on = parseExpr(cursor)
  const clauses: MergeClause[] = []
  while (cursor.at('WHEN')) clauses.push(parseWhen(cursor, alias.alias ?? name.table))
  if (clauses.length === 0) throw cursor.unexpected('keyword WHEN')
  return { kind: 'merge', statementType: 'MERGE', name, ...alias, source, on, clauses }
}

function parseWhen(cursor: Cursor, target: string): MergeClause {
  const { at } = cursor.next()
  const not = cursor.take('NOT')
  cursor.expect('MATCHED')
  const bySource = not && cursor.take('BY', 'SOURCE')
  if (not && !bySource && cursor.take('BY')) cursor.expect('TARGET')
  const and = cursor.take('AND') ? parseExpr(cursor) : undefined
  cursor.expect('THEN')
  const when = bySource ? 'notMatchedBySource' : not ? 'notMatchedByTarget' : 'matched'
  const action = parseAction(cursor, target)
  const isInsert = action.kind === 'insert' || action.kind === 'insertRow'
  if (isInsert !== (when === 'notMatchedByTarget')) {
    throw new SqlFailure(
      'Syntax error: INSERT belongs to WHEN NOT MATCHED BY TARGET only, UPDATE and DELETE to the others',
      at,
    )
  }
  return { when, action, ...(and ? { and } : {}) }
}

function parseAction(cursor: Cursor, target: string): MergeAction {
  if (cursor.take('DELETE')) return { kind: 'delete' }
  if (cursor.take('UPDATE')) {
    cursor.expect('SET')
    return { kind: 'update', set: cursor.list(() => parseAssignment(cursor, target)) }
  }
  cursor.expect('INSERT')
  const columns = columnList(cursor)
  if (cursor.take('ROW')) return { kind: 'insertRow' }
  cursor.expect('VALUES')
  return { kind: 'insert', columns, values: cursor.parenthesised(() => valueOrDefault(cursor)) }
}

export function parseTruncate(cursor: Cursor): Unplaced {
  cursor.next()
  cursor.expect('TABLE')
  return { kind: 'truncate', statementType: 'TRUNCATE_TABLE', name: parseTableName(cursor) }
}
